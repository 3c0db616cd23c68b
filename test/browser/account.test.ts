/**
 * The person's own side of the wallet, in a real browser, in a frame whose session the shop's
 * backend made: all entries, statement, receipt and proof, the account, unlinking, closing and
 * opening it again.
 */
import { readFileSync } from 'node:fs'
import type { Browser, Download } from 'playwright-core'
import t, { type Test } from 'tap'
import type { User } from '../../src/identity/users.js'
import { Mailbox } from '../support/mailbox.js'
import { openBrowser } from './support/chromium.js'
import { password, WidgetSite } from './support/widget-site.js'
import { complaints, rulesFor, WidgetTab } from './support/widget-tab.js'

const small = { width: 390, height: 844 }
const wide = { width: 1280, height: 900 }
const narrow = { width: 320, height: 700 }
const newPassword = 'another horse entirely'

const browser = await openBrowser(t, "a person's own account in a real browser")
if (browser !== undefined) {
  const mailbox = new Mailbox()
  const site = await WidgetSite.open(t, { mailer: mailbox })
  entries(site, browser)
  documents(site, browser)
  account(site, browser, mailbox)
  ends(site, browser)
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

type Person = User & { readonly email: string }

async function aPerson(site: WidgetSite): Promise<Person> {
  const person = await site.makePerson()
  const { walletId } = person
  await site.book(walletId, 'TopUp', { amountMinor: 50_00, pair: ['TOPUP', 'pi_1'] })
  for (let order = 1; order <= 30; order += 1)
    await site.book(walletId, 'Debit', {
      amountMinor: 100 + order,
      pair: ['ORDER_PAYMENT', `ORDER-${order}`],
      description: `Notebook ${order}`,
    })
  return person
}

/** As the shop shows it: in a frame with a sandbox, with a session of its backend. */
async function framed(t: Test, site: WidgetSite, person: Person, options: object = {}) {
  const session = await site.createSession(person)
  const src = site.walletUrl({ session }).replaceAll('&', '&amp;')
  const sandbox =
    'allow-same-origin allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox ' +
    'allow-downloads'
  const page = site.shop.add(
    `<h1>Corner Shop</h1>
     <iframe src="${src}" title="Wallet" width="100%" height="2600" sandbox="${sandbox}"></iframe>`,
  )
  if (browser === undefined) throw new Error('there is a browser')
  const tab = await WidgetTab.framed(t, browser, page, options)
  await tab.balance.waitFor()
  return tab
}

async function saved(tab: WidgetTab, act: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([tab.page.waitForEvent('download'), act()])
  return download
}

async function textOf(download: Download): Promise<string> {
  return readFileSync(await download.path(), 'latin1')
}

/** The name and its menu, then the account. */
async function openAccount(tab: WidgetTab): Promise<void> {
  await tab.wallet.getByRole('button', { name: /account menu/ }).click()
  await tab.button('Your account').click()
  await tab.heading('Your account').waitFor()
}

async function givePassword(tab: WidgetTab, given = password): Promise<void> {
  await tab.field('Your password').first().fill(given)
  await tab.button('Continue').click()
}

function entries(site: WidgetSite, _browser: Browser): void {
  t.test('all entries are paged, searched and filtered, also by keyboard', async (t) => {
    const person = await aPerson(site)
    const tab = await framed(t, site, person, { viewport: small })
    await tab.button('All entries').focus()
    await tab.page.keyboard.press('Enter')
    await tab.heading('All entries').waitFor()
    const rows = tab.wallet.locator('.entry summary')
    await rows.nth(24).waitFor()
    t.equal(await rows.count(), 25)
    await tab.button('Show more').click()
    await rows.nth(30).waitFor()
    t.equal(await rows.count(), 31)
    await tab.screenshot('entries-390')
    await tab.field('Reference or amount').fill('order-7')
    await tab.wallet.locator('.entry', { hasText: 'Notebook 7' }).waitFor()
    await rows.nth(1).waitFor({ state: 'detached' })
    await tab.field('Reference or amount').fill('1.30')
    await tab.wallet.locator('.entry', { hasText: 'Notebook 30' }).waitFor()
    await tab.field('Reference or amount').fill('nothing like this')
    await tab.text('No entry matches.').waitFor()
    await tab.field('Reference or amount').fill('')
    await tab.field('Kind').selectOption('topup')
    await tab.wallet.locator('.entry', { hasText: 'Top-up' }).waitFor()
    t.equal(await rows.count(), 1)
    await tab.field('Time').selectOption('lastMonth')
    await tab.text('No entry matches.').waitFor()
    t.same(await tab.faults(), [])
    await tab.page.setViewportSize(narrow)
    t.equal(await tab.isTooWide(), false, 'no sideways scroll at 320 px')
    await tab.button('Back to the wallet').click()
    await tab.balance.waitFor()
  })
}

function documents(site: WidgetSite, _browser: Browser): void {
  t.test('statement, receipt and proof are saved after the password, once', async (t) => {
    const person = await aPerson(site)
    const tab = await framed(t, site, person, { viewport: wide, acceptDownloads: true })
    await tab.button('All entries').click()
    await tab.button('Statement (PDF)').click()
    await tab.text('Only you may do this, not Corner Shop.').waitFor()
    await tab.screenshot('gate-1280')
    await givePassword(tab, 'not the password')
    await tab.text('The password is not right.').waitFor()
    const pdf = await saved(tab, () => givePassword(tab))
    t.match(pdf.suggestedFilename(), /^statement-.*\.pdf$/)
    t.match(await textOf(pdf), /^%PDF-/)
    await tab.text(/Saved as statement-/).waitFor()
    await tab.screenshot('entries-1280')
    const csv = await saved(tab, () => tab.button('Statement (CSV)').click())
    t.equal((await textOf(csv)).trimEnd().split('\n').length, 32, 'a head and 31 entries')
    const proof = await saved(tab, () => tab.button('Download proof').click())
    t.match(await textOf(proof), person.walletId)
    const check = tab.wallet.getByRole('link', { name: 'the checking page' })
    t.equal(await check.getAttribute('href'), '/audit/verify')
    await tab.wallet.locator('.entry summary').first().click()
    const receipt = await saved(tab, () => tab.button('Receipt (PDF)').first().click())
    t.match(receipt.suggestedFilename(), /^receipt-.*\.pdf$/)
  })
}

function account(site: WidgetSite, _browser: Browser, mailbox: Mailbox): void {
  t.test('the account opens by the password and is looked after', async (t) => {
    const person = await aPerson(site)
    const tab = await framed(t, site, person, { viewport: small })
    await openAccount(tab)
    t.equal(await tab.heading('Linked apps').count(), 0, 'nothing before the password')
    await givePassword(tab)
    await tab.heading('Linked apps').waitFor()
    await tab.screenshot('account-390')
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.page.emulateMedia({ colorScheme })
      t.same(await tab.faults(...rulesFor(colorScheme)), [], colorScheme)
      await tab.page.setViewportSize(wide)
      await tab.screenshot(`account-1280-${colorScheme}`)
      await tab.page.setViewportSize(small)
    }
    await tab.page.emulateMedia({ colorScheme: 'light' })
    await tab.field('First name').fill('Grace')
    await tab.button('Save').click()
    await tab.text('Saved.').waitFor()
    await tab.text('Change email').first().click()
    const newEmail = `new-${person.email}`
    await tab.field('New email').fill(newEmail)
    await tab.field('Your password').first().fill(password)
    await tab.button('Change email').click()
    await tab.text(`Open the link in the mail to ${newEmail}.`).waitFor()
    t.match((await mailbox.take(person.email, /asked for/)).text, newEmail)
    const { text } = await mailbox.take(newEmail, /confirm/)
    const link = /http\S+/.exec(text)?.[0] ?? ''
    await confirm(t, link)
    await tab.text('Change password').first().click()
    const card = tab.wallet.locator('section', { has: tab.heading('Password') })
    await card.getByLabel('Your password', { exact: true }).fill(password)
    await tab.field('New password').fill(newPassword)
    await tab.button('Change password').click()
    await tab.text('The new password is set.').waitFor()
    t.ok(await mailbox.take(newEmail, /new password/))
    await tab.text('Opened by Corner Shop').waitFor()
    const data = await saved(tab, () => tab.button('Download everything (JSON)').click())
    t.match(await textOf(data), '"firstName":"Grace"')
    await tab.page.setViewportSize(narrow)
    t.equal(await tab.isTooWide(), false, 'no sideways scroll at 320 px')
  })

  async function confirm(t: Test, link: string): Promise<void> {
    if (browser === undefined) return
    const page = await WidgetTab.alone(t, browser, link, { viewport: small })
    await page.text('Your new email is set.').waitFor()
    await page.screenshot('confirm-390')
    const again = await WidgetTab.alone(t, browser, link, { viewport: small })
    await again.text('This link was used already or has expired.').waitFor()
  }
}

function ends(site: WidgetSite, _browser: Browser): void {
  t.test('an unlinked shop is left, and a login links it again', async (t) => {
    const person = await site.makePerson()
    const tab = await framed(t, site, person, { viewport: small })
    await openAccount(tab)
    await givePassword(tab)
    await tab.button('Unlink').click()
    await tab.text('It can still give money back.').waitFor()
    await tab.screenshot('unlink-390')
    await tab.button('Cancel').click()
    await tab.button('Unlink').click()
    await tab.button('Unlink').click()
    await tab.text('Corner Shop is unlinked. Log in to link it again.').waitFor()
    t.match(await tab.types(), ['SERVICE_WALLET_LOADED', 'SERVICE_LOGOUT_REQUEST'])
    await tab.logIn({ email: person.email, password })
    await tab.balance.waitFor()
  })

  t.test('an account with money stays; an empty one is closed and opened again', async (t) => {
    const person = await site.makePerson()
    const pair = ['TOPUP', 'pi_2'] as const
    await site.book(person.walletId, 'TopUp', { amountMinor: 5_00, pair })
    const tab = await framed(t, site, person, { viewport: small })
    await openAccount(tab)
    await givePassword(tab)
    await tab.wallet.locator('summary', { hasText: 'Close the account' }).click()
    const card = tab.wallet.locator('section', { has: tab.heading('Close the account') })
    await card.getByLabel('Your password', { exact: true }).fill(password)
    await tab.button('Close the account').click()
    await tab.text('There is $5.00 in your wallet. Nothing was closed').waitFor()
    await tab.screenshot('closing-390')
    await site.book(person.walletId, 'Debit', { amountMinor: 5_00 })
    await tab.button('Close the account').click()
    await tab.text('Your account is closed. Until').waitFor()
    await tab.screenshot('closed-390')
    await tab.logIn({ email: person.email, password })
    await tab.text('Welcome back. Your account is open again.').waitFor()
    await tab.showsBalance('$0.00')
    await openAccount(tab)
    await tab.heading('Linked apps').waitFor()
    t.pass('the login itself was the password')
  })
}
