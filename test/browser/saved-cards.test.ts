/**
 * Saved cards in a real browser, through the whole service with the sandbox: a card is saved with
 * the password, pays with one tap, asks its bank, and is removed. A shop's session sees none of it.
 */
import t, { type Test } from 'tap'
import { openBrowser } from './support/chromium.js'
import { TopUpSite } from './support/top-up-site.js'
import { cards, chooseAmount, fillCard, pay } from './support/top-up-steps.js'
import { complaints, rulesFor, WidgetTab } from './support/widget-tab.js'

const small = { width: 390, height: 844 }
const wide = { width: 1280, height: 900 }

const browser = await openBrowser(t, 'saved cards in a real browser')
if (browser !== undefined) {
  const site = await TopUpSite.open(t)
  const person = await site.makePerson()

  const logIn = async (): Promise<string> => {
    const { email } = person
    const { password, clientId } = site
    const answer = await fetch(`${site.origin}/api/widget/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, email, password }),
    })
    return ((await answer.json()) as { sessionToken: string }).sessionToken
  }
  const toCards = async (t: Test, session: string) => {
    const tab = await WidgetTab.alone(t, browser, site.page('topup', { session }), {
      viewport: small,
    })
    await tab.heading('Top up your wallet').waitFor()
    await chooseAmount(tab)
    return tab
  }

  const openAccount = async (tab: WidgetTab) => {
    await tab.balance.waitFor()
    await tab.wallet.getByRole('button', { name: /account menu/ }).click()
    await tab.button('Your account').click()
    await tab.field('Your password').first().fill(site.password)
    await tab.button('Continue').click()
    await tab.heading('Close the account').waitFor()
  }

  t.test('a card is saved with the password, all faults are told at once', async (t) => {
    const tab = await toCards(t, await logIn())
    await tab.field('Save this card for next time').check()
    await pay(tab)
    t.equal(await tab.errorOf('Card number'), 'Enter the number on the front of the card.')
    t.equal(await tab.errorOf('Your password'), 'Enter your password.')
    await tab.screenshot('save-card-390')
    t.same(await tab.faults(), [])
    await fillCard(tab, cards.bankCheck)
    await tab.field('Your password').fill('not the password')
    await pay(tab)
    await tab.text('The password is not right.').waitFor()
    t.equal((await site.wallet(person)).balance, 0, 'nothing was paid')
    await tab.field('Your password').fill(site.password)
    await pay(tab)
    await tab.button('Approve').click()
    await tab.heading('$25.00 is in your wallet').waitFor()
  })

  t.test('it pays with one tap, and its bank is asked as before', async (t) => {
    const tab = await toCards(t, await logIn())
    const choice = tab.wallet.getByRole('button', { name: /^Pay \$25\.00 with Visa •••• 3155/ })
    await choice.waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.page.emulateMedia({ colorScheme })
      t.same(await tab.faults(...rulesFor(colorScheme)), [], colorScheme)
      await tab.screenshot(`saved-cards-390-${colorScheme}`)
      await tab.page.setViewportSize(wide)
      await tab.screenshot(`saved-cards-1280-${colorScheme}`)
      await tab.page.setViewportSize(small)
    }
    await tab.page.emulateMedia({ colorScheme: 'light' })
    await choice.click()
    await tab.button('Approve').click()
    await tab.heading('$25.00 is in your wallet').waitFor()
    t.equal((await site.wallet(person)).balance, 50)
  })

  t.test('a wallet that stands alone asks nobody for a window to top up in', async (t) => {
    const wallet = site.page('wallet', { session: await logIn() })
    const tab = await WidgetTab.alone(t, browser, wallet, { viewport: small })
    await tab.button('Top up').click()
    await tab.heading('Top up your wallet').waitFor()
  })

  t.test('a session of the shop’s backend sees none of it', async (t) => {
    const tab = await toCards(t, await site.session(person))
    await tab.field('Card number').waitFor()
    t.equal(await tab.text('Save this card for next time').count(), 0)
    t.equal(await tab.text('Visa •••• 3155').count(), 0)
  })

  t.test('the account shows it, and removes it after asking', async (t) => {
    const session = await logIn()
    const tab = await WidgetTab.alone(t, browser, site.page('wallet', { session }), {
      viewport: small,
    })
    await openAccount(tab)
    await tab.wallet.getByText('Visa •••• 3155').first().waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.page.emulateMedia({ colorScheme })
      t.same(await tab.faults(...rulesFor(colorScheme)), [], colorScheme)
      await tab.screenshot(`account-cards-390-${colorScheme}`)
    }
    await tab.wallet.locator('summary', { hasText: 'Switch automatic top-up on' }).click()
    await tab.button('Switch automatic top-up on').click()
    t.equal(await tab.errorOf('Top up this much'), 'Enter an amount above 0.')
    await tab.field('When less than this is available').fill('60')
    await tab.field('Top up this much').fill('15')
    t.equal(await tab.errorOf('Top up this much'), '', 'what is mended is not complained of')
    t.equal(await tab.errorOf('At most this much a month'), 'Enter an amount above 0.')
    await tab.field('At most this much a month').fill('15')
    const card = tab.wallet.locator('section', { has: tab.heading('Cards and automatic top-up') })
    await card.getByLabel('Your password', { exact: true }).fill(site.password)
    await tab.screenshot('automatic-390')
    await tab.button('Switch automatic top-up on').click()
    await tab.text('Below $60.00, $15.00 is topped up by itself.').waitFor()
    t.same(await tab.faults(), [])
    await tab.button('Back to the wallet').click()
    await tab.balance.waitFor()
    await tab.wallet.getByRole('button', { name: /account menu/ }).click()
    await tab.button('Your account').click()
    await tab.wallet.locator('summary', { hasText: 'Change automatic top-up' }).click()
    t.equal(await tab.field('When less than this is available').inputValue(), '60.00')
    while ((await site.wallet(person)).balance !== 65) await tab.page.waitForTimeout(250)
    await tab.button('Switch it off').click()
    await tab.text('Below $60.00').waitFor({ state: 'detached' })
    await tab.button('Remove').click()
    await tab.text('is removed here and at the card processor').waitFor()
    await tab.button('Remove').click()
    await tab.text('No card is saved.').waitFor()
    t.same(complaints, [])
  })

  t.test('what came by card goes back there, and then one tap closes the account', async (t) => {
    const session = await logIn()
    const tab = await WidgetTab.alone(t, browser, site.page('wallet', { session }), {
      viewport: small,
    })
    await openAccount(tab)
    await tab.wallet.locator('summary', { hasText: 'Close the account' }).click()
    const card = tab.wallet.locator('section', { has: tab.heading('Close the account') })
    await card.getByLabel('Your password', { exact: true }).fill(site.password)
    await tab.button('Close the account').click()
    await tab.text('There is $65.00 in your wallet.').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.page.emulateMedia({ colorScheme })
      t.same(await tab.faults(...rulesFor(colorScheme)), [], colorScheme)
      await tab.screenshot(`send-back-390-${colorScheme}`)
    }
    await tab.button('Send $65.00 back to the card').click()
    await tab.text('$65.00 is on its way back to the card').waitFor()
    await tab.screenshot('sent-back-390')
    t.equal((await site.wallet(person)).balance, 0)
    await tab.button('Close the account').click()
    await tab.text('Your account is closed. Until').waitFor()
    // As a shop does that builds the frame anew when it hears of the leaving.
    const { clientId } = site
    await tab.page.goto(site.page('wallet', { clientId }))
    await tab.text('Your account is closed. Until').waitFor()
    await tab.screenshot('closed-anew-390')
    await tab.page.reload()
    await tab.heading('Your wallet at Corner Shop').waitFor()
    t.equal(await tab.text('Your account is closed.').count(), 0, 'once')
    await tab.logIn({ email: person.email, password: site.password })
    await tab.showsBalance('$0.00')
    t.same(complaints, [])
  })
}
