/**
 * "Explain this balance" in a real browser: the time line, its slider by mouse and keyboard, the
 * rule at each event, on a phone and a desktop.
 */
import t, { type Test } from 'tap'
import {
  auditorEmail,
  busyPerson,
  openAdminSite,
  person,
  type AdminSite,
} from './support/admin-site.js'
import { AdminTab, complaints, desktop, phone, type TabOptions } from './support/admin-tab.js'
import { colourRules } from './support/axe.js'
import { openBrowser } from './support/chromium.js'

const browser = await openBrowser(t, 'the admin area in a real browser')
if (browser !== undefined) {
  const site = await openAdminSite(t)
  const open = (t: Test, options: Omit<TabOptions, 'origin'> = {}) =>
    AdminTab.open(t, browser, { origin: site.origin, ...options })
  sliders(site, open)
  looks(site, open)
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

type Open = (t: Test, options?: Omit<TabOptions, 'origin'>) => Promise<AdminTab>

async function explainPath({ parts }: AdminSite, email: string): Promise<string> {
  const user = await parts.users.findByEmail(email)
  return `/wallets/${user?.walletId}/explain`
}

function sliders(site: AdminSite, open: Open): void {
  t.test('an auditor goes through the events by keyboard and reads each rule', async (t) => {
    const tab = await open(t, { email: auditorEmail })
    await tab.goTo((await explainPath(site, person.email)).replace('/explain', ''))
    await tab.page.getByRole('link', { name: 'Explain this balance' }).click()
    await tab.heading('Explain this balance').waitFor()
    const slider = tab.page.getByRole('slider', { name: /^Event \d+ of 4$/ })
    await slider.waitFor()
    t.match(await rule(tab), 'applied to an active wallet: 37.50 + 2.50 = 40.00')
    await slider.focus()
    const { keyboard } = tab.page
    await keyboard.press('ArrowLeft')
    t.match(await rule(tab), 'declined: 999.00 was asked for, 37.50 was there')
    t.match(await slider.getAttribute('aria-valuetext'), /^Event 3, Order payment, .*\$37\.50$/)
    t.match(await sum(tab), /Before\s+\$37\.50\s+Change\s+none\s+After\s+\$37\.50/)
    await keyboard.press('ArrowLeft')
    t.match(await sum(tab), /Before\s+\$50\.00\s+Change\s+−\$12\.50\s+After\s+\$37\.50/)
    await keyboard.press('Home')
    t.match(await rule(tab), 'opened: a wallet begins empty, in USD')
    await keyboard.press('End')
    t.match(await rule(tab), '37.50 + 2.50 = 40.00')
    await tab.button('Earlier').click()
    t.match(await rule(tab), 'declined')
    await tab.button('Later').click()
    await tab.button('Later').click()
    t.match(await rule(tab), '37.50 + 2.50 = 40.00', 'the end is the end')
    await tab.page.getByRole('button', { name: /^1 · Top-up/ }).click()
    t.match(await rule(tab), 'a payment that was received is always booked: 0.00 + 50.00 = 50.00')
    const chart = tab.page.getByRole('figure', { name: 'Balance' })
    t.match(await chart.getByRole('img').getAttribute('aria-label'), 'Balance, 5 events')
    t.match(await chart.locator('.chart-reading').innerText(), /Event 1\s+Balance\s+\$50\.00/)
    await chart.locator('summary').click()
    t.equal(await chart.locator('tbody tr').count(), 5)
  })

  t.test('earlier events are added in front, and the chosen one stays chosen', async (t) => {
    const { ledger, parts } = site
    const user = await parts.users.findByEmail(busyPerson.email)
    if (user === undefined) throw new Error('the busy person is there')
    for (let count = 0; count < 40; count += 1) {
      const reason = `check ${count}`
      await ledger.writer.execute(user.walletId, { type: 'Reactivate', issuer: 'service', reason })
    }
    const tab = await open(t)
    await tab.goTo(await explainPath(site, busyPerson.email))
    const more = tab.button('Load earlier events')
    await more.waitFor()
    const slider = tab.page.getByRole('slider')
    t.equal(await slider.getAttribute('max'), '99', 'a hundred at a time')
    await slider.focus()
    await tab.page.keyboard.press('Home')
    const before = await slider.getAttribute('aria-valuetext')
    await more.click()
    await more.waitFor({ state: 'detached' })
    t.equal(await slider.getAttribute('aria-valuetext'), before)
    await slider.focus()
    await tab.page.keyboard.press('Home')
    t.match(await rule(tab), 'opened')
  })

  t.test('an unknown wallet and an empty one are said in words', async (t) => {
    const tab = await open(t)
    await tab.goTo('/wallets/00000000-0000-4000-8000-000000000000/explain')
    await tab.text('There is no wallet with this id.').waitFor()
    const { walletId } = await site.parts.users.create({})
    await tab.goTo(`/wallets/${walletId}/explain`)
    await tab.text('Nothing has happened to this wallet yet').waitFor()
    t.equal(await tab.page.getByRole('slider').count(), 0)
  })
}

function looks(site: AdminSite, open: Open): void {
  for (const [name, size] of Object.entries({ small: { width: 320, height: 640 }, phone, desktop }))
    t.test(`the page fits a ${name} screen, and axe finds nothing serious`, async (t) => {
      const tab = await open(t, { size })
      // The short page last: all colours are on it, and axe looks at them once more in the dark.
      for (const [who, email] of Object.entries({ bea: busyPerson.email, ada: person.email })) {
        await tab.goTo(await explainPath(site, email))
        await tab.page.getByRole('slider').waitFor()
        await tab.page.getByRole('slider').press('ArrowLeft')
        t.equal(await tab.isTooWide(), false, `${who} is as wide as the window`)
        // Two thousand elements of the same few kinds: what axe says of them does not depend on
        // the size, and one look takes seconds.
        if (who === 'ada' || name === 'phone') t.same(await tab.seriousFaults(), [], who)
        await tab.screenshot(`explain-${name}-${who}`)
      }
      await tab.page.emulateMedia({ colorScheme: 'dark' })
      t.same(await tab.seriousFaults(...colourRules), [], 'in the dark')
      await tab.screenshot(`explain-${name}-dark`)
    })
}

function rule(tab: AdminTab): Promise<string> {
  return tab.page.locator('.fold-rule').innerText()
}

function sum(tab: AdminTab): Promise<string> {
  return tab.page.locator('.fold-sum').innerText()
}
