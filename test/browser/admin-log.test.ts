/**
 * What an operator must not overlook, in a real browser: the log of admin actions, refused logins,
 * and events that the store has lost.
 */
import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { walletIdOf } from '../../src/domain/ids.js'
import {
  adminEmail,
  auditorEmail,
  openAdminSite,
  password,
  person,
  type AdminSite,
} from './support/admin-site.js'
import { AdminTab, complaints } from './support/admin-tab.js'
import { openBrowser } from './support/chromium.js'

/** Runs in the page; what only a screen reader hears takes no line. */
const countLines = `[...document.querySelectorAll('td .table-value')].map((value) => {
  const range = document.createRange()
  range.selectNodeContents(value)
  const unseen = value.querySelector('.unseen')
  if (unseen) range.setEndBefore(unseen)
  const tops = [...range.getClientRects()].map(({ top }) => Math.round(top))
  return { text: range.toString(), lines: new Set(tops).size }
})`

const browser = await openBrowser(t, 'the log in a real browser')
if (browser !== undefined) {
  const site = await openAdminSite(t)
  refusedLogins(site, browser)
  tables(site, browser)
  lostEvents(site, browser)
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

function refusedLogins({ origin, captured }: AdminSite, browser: Browser): void {
  t.test('a wrong login is nobody’s, and what was typed is kept nowhere', async (t) => {
    const stranger = await AdminTab.open(t, browser, { origin, email: null })
    await stranger.goTo('')
    await stranger.field('Email').fill('mallory@example.com')
    await stranger.field('Password').fill('not the password')
    await stranger.button('Log in').click()
    await stranger.page.getByRole('alert').waitFor()
    const tab = await AdminTab.open(t, browser, { origin })
    await tab.goTo('/log')
    const table = tab.page.getByRole('table', { name: 'Refused logins, newest first' })
    const rows = table.getByRole('row').filter({ hasText: 'an email of nobody' })
    await rows.first().waitFor()
    const said = await rows.allTextContents()
    t.equal(said.length, 1)
    t.match(said[0], 'Admin area')
    t.match(said[0], '127.0.0.1')
    t.notMatch(await tab.page.content(), /mallory|not the password/)
    t.equal(await tab.text('Login refused').count(), 0, 'the log of admin actions has none')
    t.notMatch(captured.text, 'mallory@example.com', 'the log of the service does not hold it')
  })
}

function tables({ origin, parts, shopId }: AdminSite, browser: Browser): void {
  t.test('on a wide page no word and no piece of an id is broken', async (t) => {
    const user = await parts.users.findByEmail('ada@example.com')
    const line = { adminId: null, details: { by: 'command line' } }
    const lockedId = 'adm_30fd1e7a-1111-4222-8333-944455556666'
    for (const [action, subject] of [
      ['admin.lock', lockedId],
      ['user.create', user?.serviceUserId ?? ''],
      ['client-app.rotate', shopId],
    ] as const)
      await parts.adminLog.append({ ...line, action, subject })
    // As refused logins were logged until they were counted apart: for ever there, and shown.
    const login = { adminId: null, action: 'session.begin', subject: null, details: {} }
    const orderId = await parts.adminLog.order(login)
    await parts.adminLog.finish(orderId, login, { outcome: 'refused' })
    // Much to say about an act must not take the room of the columns beside it.
    const origins = ['https://shop.example', 'https://www.shop.example', 'https://m.shop.example']
    const details = { ...line.details, name: 'Shop', origins, parents: origins, brandName: null }
    await parts.adminLog.append({ ...line, action: 'client-app.create', subject: shopId, details })
    const long = 'somebody.with.a.name.that.is.very.long@department.of.a.company.example'
    await parts.admins.create({ email: long, password, role: 'admin' })
    for (const width of [1280, 1024, 900, 800]) {
      const email = width === 1280 ? adminEmail : long
      // The newest line is of just now at every width, however long the ones before took.
      await parts.adminLog.append({ ...line, action: 'admin.lock', subject: lockedId })
      const tab = await AdminTab.open(t, browser, { origin, email, size: { width, height: 860 } })
      await tab.goTo('/log')
      await tab.text('Admin locked').first().waitFor()
      t.equal(await tab.isTooWide(), false, `${width} px are enough`)
      await tab.screenshot(`log-${width}`)
      t.equal(await linesOf(tab, 'now'), 1, `a time is on one line at ${width} px`)
      if (width < 1280) continue
      for (const text of ['the command line', 'somebody at the login page', adminEmail])
        t.equal(await linesOf(tab, text), 1, `“${text}” is on one line at ${width} px`)
      t.equal(await linesOf(tab, 'adm_30fd1e7a'), 2, 'an id takes two lines')
    }
  })
}

/** The most lines that a cell with this text takes beside the action. */
async function linesOf(tab: AdminTab, text: string): Promise<number> {
  const cells = await tab.page.evaluate<{ text: string; lines: number }[]>(countLines)
  const counts = cells.filter((cell) => cell.text.includes(text)).map(({ lines }) => lines)
  return Math.max(...counts)
}

function lostEvents({ origin, parts }: AdminSite, browser: Browser): void {
  t.test('lost events stay on the overview until an admin has seen them', async (t) => {
    const user = await parts.users.findByEmail(person.email)
    const walletId = user?.walletId ?? walletIdOf(randomUUID())
    const entry = { entryId: randomUUID(), referenceType: 'ORDER', referenceId: 'O-77' }
    const time = '2026-01-01T00:00:00.000Z'
    const details = { type: 'WalletDebited', time, entry: { ...entry, amountMinor: 1_250 } }
    const lost = [
      { walletId, revision: 7, eventId: randomUUID(), details },
      { walletId, revision: 9, eventId: randomUUID() },
    ]
    await parts.lostEvents.record(lost)

    const auditor = await AdminTab.open(t, browser, { origin, email: auditorEmail })
    await auditor.goTo('/')
    await auditor.text('2 events that the service had acknowledged are gone').waitFor()
    t.equal(await auditor.button('We have seen these').count(), 0, 'an auditor only looks')

    const tab = await AdminTab.open(t, browser, { origin })
    await tab.goTo('/')
    const table = tab.page.getByRole('table', { name: 'Events that are gone' })
    await table.waitFor()
    t.match(await table.innerText(), /7\s+Wallet debited\s+ORDER O-77\s+\$12\.50/)
    t.match(await table.innerText(), /9\s+Not known any more/)
    t.same(await tab.seriousFaults(), [])
    await tab.screenshot('lost-events')
    await tab.button('We have seen these').click()
    await table.waitFor({ state: 'detached' })
    await auditor.page.reload()
    await auditor.page.getByRole('heading', { level: 1 }).waitFor()
    await auditor.page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
    t.equal(await auditor.page.getByRole('heading', { name: 'Lost events' }).count(), 0)
  })
}
