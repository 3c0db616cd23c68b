/**
 * Topping up with Stripe: the page loads Stripe's script and pays with its Payment Element, the
 * service asks Stripe's API. Both are played here: the script by a small stand-in in the browser,
 * the API by the sandbox, which speaks it.
 */
import t, { type Test } from 'tap'
import type { Browser } from 'playwright-core'
import { SandboxWebhooks } from '../../src/top-ups/sandbox/webhooks.js'
import { startSandboxServer } from '../../src/top-ups/sandbox/server.js'
import { Sandbox } from '../../src/top-ups/sandbox/sandbox.js'
import { systemClock } from '../../src/platform/clock.js'
import { createPool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { migratedDatabase } from '../support/database.js'
import { quietLog } from '../support/ledger.js'
import { openBrowser } from './support/chromium.js'
import { bankPageBody, interceptStripe } from './support/fake-stripe-js.js'
import type { Bank, StripeOptions } from './support/fake-stripe-js.js'
import { TopUpSite } from './support/top-up-site.js'
import { cards, chooseAmount, pay, windowOf, type Place } from './support/top-up-steps.js'
import { complaints, WidgetTab } from './support/widget-tab.js'

const secretKey = 'sk_test_stand_in'
const webhookSecret = 'whsec_stand_in'
const publishableKey = 'pk_test_stand_in'

const browser = await openBrowser(t, 'topping up with Stripe')
if (browser !== undefined) {
  const sandbox = await openSandbox(t)
  const site = await TopUpSite.open(t, {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_PUBLISHABLE_KEY: publishableKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: sandbox.origin,
  })
  sandbox.webhooks.start(`${site.origin}/api/webhooks/stripe`)
  payments(site, browser, sandbox.sandbox)
  bankPages(site, browser, sandbox.sandbox)
  troubles(site, browser, sandbox.sandbox)
  t.test('no page complained about an error', async (t) => {
    t.same(complaints, [])
  })
}

/** What plays Stripe's servers. */
async function openSandbox(t: Test) {
  const { url } = await migratedDatabase(t)
  const pool = createPool({ url, max: 4, applicationName: 'test', onIdleError: () => undefined })
  const system = { pool, clock: systemClock, random: systemRandom, log: quietLog }
  const sandbox = new Sandbox(system)
  const server = await startSandboxServer({ sandbox, secretKey, log: quietLog })
  const webhooks = new SandboxWebhooks({ ...system, sandbox, webhookSecret })
  t.teardown(async () => {
    await webhooks.stop()
    await server.close()
    await pool.end()
  })
  return { sandbox, origin: server.origin, webhooks }
}

async function open(t: Test, site: TopUpSite, browser: Browser, of: Opening) {
  const context = await browser.newContext({
    locale: 'en-US',
    reducedMotion: 'reduce',
    colorScheme: 'dark',
  })
  context.setDefaultTimeout(30_000)
  t.teardown(() => context.close())
  if (of.isStorageBlocked === true) await context.addInitScript(blockStorage)
  const calls = await interceptStripe(context, of.sandbox, of)
  const page = await context.newPage()
  const tab = windowOf(page)
  const person = await site.makePerson()
  await page.goto(await site.topUpPage(person))
  return { person, tab, calls }
}

interface Opening extends StripeOptions {
  readonly sandbox: Sandbox
  /** As browsers do it for sites that may keep nothing: already naming it throws. */
  readonly isStorageBlocked?: boolean
}

const blockStorage = `Object.defineProperty(window, 'sessionStorage', {
  get() { throw new DOMException('blocked', 'SecurityError') },
})`

/** The service by the name that the shop has; the ports still make two origins of them. */
function sameSite(address: string): string {
  return address.replace('//127.0.0.1', '//localhost')
}

async function payByStripe(tab: Place, number: string): Promise<void> {
  await tab.field('Stripe card number').fill(number)
  await pay(tab)
}

function payments(site: TopUpSite, browser: Browser, sandbox: Sandbox): void {
  t.test('Stripe’s form pays, and the service books what Stripe itself says', async (t) => {
    const { person, tab, calls } = await open(t, site, browser, { sandbox })
    await tab.heading('Top up your wallet').waitFor()
    t.equal(calls.scripts, 0, 'the script comes with the card form, not before')
    await tab.wallet.getByText('Test mode.').waitFor()
    await chooseAmount(tab)
    await payByStripe(tab, cards.success)
    await tab.heading('$25.00 is in your wallet').waitFor()
    t.equal((await site.wallet(person)).balance, 25)
    t.same(calls.keys, [publishableKey])
    const [appearance] = calls.appearances
    t.match(appearance?.variables['colorBackground'], /^rgb\(22, 26, 33\)$/, 'dark, as the page')
    t.equal(calls.returnAddresses[0], site.page('topup', { clientId: site.clientId }))
    t.equal(await tab.page.evaluate('sessionStorage.length'), 0, 'nothing is left behind')
  })

  t.test(
    'a card that Stripe declines is followed by an empty form of the same payment',
    async (t) => {
      const { person, tab, calls } = await open(t, site, browser, { sandbox })
      await chooseAmount(tab)
      await payByStripe(tab, cards.declined)
      await tab.heading('The payment did not go through').waitFor()
      t.match(await tab.page.locator('.state').innerText(), /declined[\s\S]*No money was taken/)
      await tab.button('Try another card').click()
      t.equal(await tab.field('Stripe card number').inputValue(), '')
      await payByStripe(tab, cards.success)
      await tab.heading('$25.00 is in your wallet').waitFor()
      t.equal(new Set(calls.secrets).size, 1, 'the same payment')
      t.equal((await site.wallet(person)).balance, 25)
    },
  )

  t.test('a payment that Stripe processes is booked by its webhook', async (t) => {
    const { person, tab } = await open(t, site, browser, { sandbox })
    await chooseAmount(tab)
    await payByStripe(tab, cards.processing)
    await tab.heading('Your bank is processing it').waitFor()
    await tab.heading('$25.00 is in your wallet').waitFor()
    t.equal((await site.wallet(person)).transactions.length, 1)
  })
}

function bankPages(site: TopUpSite, browser: Browser, sandbox: Sandbox): void {
  /** It takes the money while the person is on its page. */
  const bank: Bank = {
    page: site.shop.add(bankPageBody),
    visit: async (payment) => {
      await sandbox.pay(payment, { cardNumber: cards.success, expiry: '12/34', cvc: '123' })
    },
  }

  t.test('a bank’s own page leads back, and the end is asked of the service', async (t) => {
    const { person, tab, calls } = await open(t, site, browser, { sandbox, bank })
    await chooseAmount(tab)
    await payByStripe(tab, 'redirect')
    await tab.heading('$25.00 is in your wallet').waitFor()
    t.equal((await site.wallet(person)).balance, 25)
    t.same(calls.returnAddresses, [site.page('topup', { clientId: site.clientId })])
    t.notMatch(calls.bankVisits.join(), /ws_/, 'no session goes to Stripe or the bank')
    t.notMatch(tab.page.url(), /ws_|secret|payment_intent/, 'nothing of it stays in the address')
    t.equal(await tab.page.evaluate('sessionStorage.length'), 0, 'what waited is taken away')
  })

  t.test('a bank’s own page inside the frame leads back into it', async (t) => {
    const person = await site.makePerson()
    // By the shop's own name: a browser that is driven blocks the storage of other sites' frames,
    // which others give a storage of their own.
    const topUp = sameSite(await site.topUpPage(person, { theme: 'dark' }))
    const address = site.shop.add(
      `<iframe src="${topUp}" title="Wallet" allow="payment *" width="400" height="700"></iframe>`,
    )
    const shop = await WidgetTab.framed(t, browser, address)
    const page = bank.page.replace('//localhost', '//127.0.0.1')
    const calls = await interceptStripe(shop.page.context(), sandbox, { bank: { ...bank, page } })
    await chooseAmount(shop)
    await payByStripe(shop, 'redirect')
    await shop.heading('$25.00 is in your wallet').waitFor()
    await shop.hears('SERVICE_WALLET_UPDATED')
    const back = site.page('topup', { clientId: site.clientId, theme: 'dark' })
    t.same(calls.returnAddresses, [sameSite(back)], 'in the same look')
    t.notMatch(calls.bankVisits.join(), /ws_/)
    await shop.wallet.getByRole('link', { name: 'Back to your wallet' }).click()
    await shop.showsBalance('$25.00')
  })

  const underWay =
    /Your payment was under way\.\s+If your bank accepts it, it will appear in your wallet\./

  t.test(
    'where the browser keeps nothing, the page says that the payment is under way',
    async (t) => {
      const { tab } = await open(t, site, browser, { sandbox, bank, isStorageBlocked: true })
      await chooseAmount(tab)
      await payByStripe(tab, 'redirect')
      await tab.heading('Your session has ended').waitFor()
      t.match(await tab.page.locator('.state').innerText(), underWay)
    },
  )

  t.test('a session that ends on the bank’s page is no failure of the payment', async (t) => {
    const slow = { page: bank.page, visit: () => Promise.resolve() }
    const { person, tab } = await open(t, site, browser, { sandbox, bank: slow })
    slow.visit = () => site.endSessions(person)
    await chooseAmount(tab)
    await payByStripe(tab, 'redirect')
    await tab.heading('Your session has ended').waitFor()
    t.match(await tab.page.locator('.state').innerText(), underWay)
  })
}

function troubles(site: TopUpSite, browser: Browser, sandbox: Sandbox): void {
  t.test('a form that is not complete is not sent', async (t) => {
    const { tab, calls } = await open(t, site, browser, { sandbox })
    await chooseAmount(tab)
    await tab.field('Stripe card number').waitFor()
    await pay(tab)
    t.equal(await tab.heading('Pay $25.00').isVisible(), true)
    t.same(calls.secrets, [])
  })

  t.test('without Stripe’s script the page says so, and loads it again when asked', async (t) => {
    let isAway = true
    const { tab, calls } = await open(t, site, browser, { sandbox, isAway: () => isAway })
    await chooseAmount(tab)
    await tab.wallet.getByText('could not be loaded. No money was taken.').waitFor()
    isAway = false
    await tab.button('Load it again').click()
    await payByStripe(tab, cards.success)
    await tab.heading('$25.00 is in your wallet').waitFor()
    t.equal(calls.scripts, 2)
  })

  t.test('a form that did not load is gone before the next one is drawn', async (t) => {
    let isAway = true
    const { tab } = await open(t, site, browser, { sandbox, isFormAway: () => isAway })
    await chooseAmount(tab)
    await tab.wallet.getByText('could not be loaded. No money was taken.').waitFor()
    t.equal(await tab.field('Stripe card number').count(), 0)
    isAway = false
    await tab.button('Load it again').click()
    await payByStripe(tab, cards.success)
    await tab.heading('$25.00 is in your wallet').waitFor()
  })

  t.test('the sandbox’s card form and routes are not there', async (t) => {
    const { tab } = await open(t, site, browser, { sandbox })
    await chooseAmount(tab)
    t.equal(await tab.field('Card number').count(), 0)
    t.equal((await fetch(`${site.origin}/api/sandbox/cards`)).status, 404)
  })
}
