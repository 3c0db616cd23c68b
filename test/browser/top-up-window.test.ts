/**
 * The top-up page beside the wallet: in a window of its own that a shop's page opened, and inside
 * the wallet's frame; who hears of it, and what the wallet behind shows.
 */
import t, { type Test } from 'tap'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from './support/chromium.js'
import { TopUpSite } from './support/top-up-site.js'
import { cards, chooseAmount, continueOrHear, continueToCard } from './support/top-up-steps.js'
import { fillCard, pay, payWith, windowOf } from './support/top-up-steps.js'
import { complaints, WidgetTab } from './support/widget-tab.js'

const browser = await openBrowser(t, 'the top-up window in a real browser')
if (browser !== undefined) {
  const site = await TopUpSite.open(t)
  windows(site, browser)
  frames(site, browser)
  loaders(site, browser)
  t.test('where payments are switched off the page says so, and asks for no card', async (t) => {
    const off = await TopUpSite.open(t, { PAYMENTS: 'off' })
    const tab = await WidgetTab.alone(t, browser, await off.topUpPage(await off.makePerson()))
    await tab.heading('No top-ups right now').waitFor()
    t.equal(await tab.page.getByRole('textbox').count(), 0)
    t.same(await tab.faults(), [])
    await tab.screenshot('topup-off')
  })
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

const updated = {
  type: 'SERVICE_WALLET_UPDATED',
  source: 'wallet-service',
  version: 1,
}

/** A shop's page with the wallet in a frame and a button that opens the top-up in a window. */
async function shopPage(site: TopUpSite, of: { wallet: string; topUp: string; features?: string }) {
  return site.shop.add(`
    <button onclick="window.open('${of.topUp}', '_blank', '${of.features ?? ''}')">Top up</button>
    <iframe src="${of.wallet}" allow="payment *" title="Wallet" width="400" height="600"
      sandbox="allow-same-origin allow-scripts allow-forms allow-popups
        allow-popups-to-escape-sandbox"></iframe>`)
}

async function openWindow(tab: WidgetTab): Promise<Page> {
  const opening = tab.page.context().waitForEvent('page')
  await tab.page.getByRole('button', { name: 'Top up' }).first().click()
  return opening
}

function windows(site: TopUpSite, browser: Browser): void {
  t.test(
    'a top-up in its own window updates the wallet behind it and tells the shop',
    async (t) => {
      const { shop, top } = await openShop(t, site, browser, {})
      await shop.showsBalance('$0.00')
      await chooseAmount(top)
      await payWith(top, cards.success)
      await top.heading('$25.00 is in your wallet').waitFor()
      await shop.showsBalance('$25.00')
      await shop.hears('SERVICE_WALLET_UPDATED')
      const heard = (await shop.received()).filter(({ data }) => data['type'] === updated.type)
      for (const message of heard) t.same(message, { origin: site.origin, data: updated })
      const closed = top.page.waitForEvent('close')
      await top.button('Back to Corner Shop').click()
      await closed
    },
  )

  t.test(
    'the window itself tells the page that opened it, also without a wallet there',
    async (t) => {
      const person = await site.makePerson()
      const address = site.shop.add(
        `<button onclick="window.open('${await site.topUpPage(person)}')">Top up</button>`,
      )
      const shop = await WidgetTab.framed(t, browser, address)
      const top = windowOf(await openWindow(shop))
      await chooseAmount(top)
      t.same(await shop.received(), [], 'loading posts nothing')
      await payWith(top, cards.success)
      await top.heading('$25.00 is in your wallet').waitFor()
      await shop.hears('SERVICE_WALLET_UPDATED')
      t.same(await shop.received(), [{ origin: site.origin, data: updated }])
    },
  )

  t.test(
    'a window opened without an opener: the wallet behind learns from the server',
    async (t) => {
      const { shop, top } = await openShop(t, site, browser, { features: 'noopener' })
      t.equal(await top.page.evaluate('window.opener'), null)
      await chooseAmount(top)
      await payWith(top, cards.success)
      await top.heading('$25.00 is in your wallet').waitFor()
      await shop.showsBalance('$25.00')
    },
  )

  t.test('a page that is not of the shop opens the window and hears nothing', async (t) => {
    const person = await site.makePerson()
    const address = site.shop.add(
      `<button onclick="window.open('${await site.topUpPage(person)}')">Top up</button>`,
    )
    // The same page under another name is another origin.
    const stranger = await WidgetTab.framed(t, browser, address.replace('localhost', '127.0.0.1'))
    const top = windowOf(await openWindow(stranger))
    await chooseAmount(top)
    // The browser itself says that it did not deliver: then it was posted, and to whom.
    const kept = stranger.page.context().waitForEvent('console', {
      predicate: (message) => message.text().includes(`provided ('${site.shop.origin}')`),
      timeout: 120_000,
    })
    await payWith(top, cards.success)
    await top.heading('$25.00 is in your wallet').waitFor()
    await kept
    t.same(await stranger.received(), [])
  })
}

function frames(site: TopUpSite, browser: Browser): void {
  t.test('the top-up inside the wallet’s frame leads back to the wallet', async (t) => {
    const person = await site.makePerson()
    const address = site.shop.add(
      `<iframe src="${await site.topUpPage(person, { amount: '7.50' })}" title="Wallet"
        allow="payment *" width="400" height="700"></iframe>`,
    )
    const shop = await WidgetTab.framed(t, browser, address)
    await continueToCard(shop)
    t.same(await shop.received(), [], 'loading posts nothing')
    await payWith(shop, cards.success)
    await shop.heading('$7.50 is in your wallet').waitFor()
    await shop.hears('SERVICE_WALLET_UPDATED')
    t.same(await shop.types(), ['SERVICE_WALLET_UPDATED'], 'once')
    await shop.screenshot('topup-in-frame')
    await shop.wallet.getByRole('link', { name: 'Back to your wallet' }).click()
    await shop.showsBalance('$7.50')
  })

  t.test('every step in the frame has a way back, except while a payment runs', async (t) => {
    const { shop } = await openLoader(t, site, browser)
    const back = shop.wallet.getByRole('link', { name: 'Back to your wallet' })
    await shop.button('Top up').click()
    await shop.heading('Top up your wallet').waitFor()
    await shop.screenshot('topup-amount-in-frame')
    await back.click()
    await shop.showsBalance('$0.00')

    await shop.page.evaluate('handle.openTopUp({ amount: 8.25 })')
    await continueToCard(shop)
    await back.waitFor()
    await shop.screenshot('topup-card-in-frame')
    await payWith(shop, cards.bankCheck)
    await shop.wallet.getByRole('dialog').waitFor()
    t.equal(await back.count(), 0)
    await shop.button('Refuse').click()
    await shop.button('Try another card').waitFor()
    await shop.screenshot('topup-declined-in-frame')
    await back.click()
    await shop.showsBalance('$0.00')
  })

  t.test('an ended session in the frame leads to the login', async (t) => {
    const person = await site.makePerson()
    const address = site.shop.add(
      `<iframe src="${await site.topUpPage(person)}" title="Wallet"
        width="400" height="700"></iframe>`,
    )
    const shop = await WidgetTab.framed(t, browser, address)
    await shop.heading('Top up your wallet').waitFor()
    await site.endSessions(person)
    await continueOrHear(shop)
    await shop.heading('Your session has ended').waitFor()
    await shop.wallet.getByRole('link', { name: 'Back to your wallet' }).click()
    await shop.field('Email').waitFor()
  })
}

function loaders(site: TopUpSite, browser: Browser): void {
  t.test('with the loader a session that ends while paying is renewed unseen', async (t) => {
    const { person, shop } = await openLoader(t, site, browser)
    await shop.page.evaluate('handle.openTopUp({ amount: 8.25 })')
    await continueToCard(shop)
    await payWith(shop, cards.bankCheck)
    await shop.wallet.getByRole('dialog').waitFor()
    await site.endSessions(person)
    await shop.button('Approve').click()
    await shop.heading('$8.25 is in your wallet').waitFor()
    await shop.hears('SERVICE_WALLET_UPDATED')
    await shop.wallet.getByRole('link', { name: 'Back to your wallet' }).click()
    await shop.showsBalance('$8.25')
  })

  t.test('a window that the loader opened renews its session and keeps the form', async (t) => {
    const { person, shop } = await openLoader(t, site, browser)
    const opening = shop.page.context().waitForEvent('page')
    await shop.page.getByRole('button', { name: 'In a window' }).click()
    const top = windowOf(await opening)
    await continueToCard(top)
    await fillCard(top, cards.processing)
    await site.endSessions(person)
    await site.holdBank()
    // The page hears of the end within five seconds, or by paying: it goes on in either case.
    await pay(top)
    await top.heading('Your bank is processing it').waitFor()
    await shop.wallet.locator('.entry-pending').waitFor()
    t.equal(await top.heading('Your session has ended').count(), 0)
    await shop.screenshot('pending-in-frame')
    await site.letBankGo()
    await top.heading('$8.25 is in your wallet').waitFor()
    await shop.showsBalance('$8.25')
    await shop.wallet.locator('.entry-pending').waitFor({ state: 'detached' })
  })

  t.test('the host asks for another amount: shown before paying, not while paying', async (t) => {
    const { shop } = await openLoader(t, site, browser)
    await shop.page.evaluate('handle.openTopUp({ amount: 8.25 })')
    await shop.button('Continue with $8.25').waitFor()
    await shop.page.evaluate('handle.openTopUp({ amount: 9.75 })')
    await shop.button('Continue with $9.75').waitFor()
    await continueToCard(shop)
    await payWith(shop, cards.bankCheck)
    await shop.wallet.getByRole('dialog').waitFor()
    await shop.page.evaluate('handle.openTopUp({ amount: 1 })')
    await shop.button('Approve').click()
    await shop.heading('$9.75 is in your wallet').waitFor()
  })
}

async function openLoader(t: Test, site: TopUpSite, browser: Browser) {
  const person = await site.makePerson()
  const path = `/session-of-${person.walletId}`
  site.shop.answer(path, async () => ({ sessionToken: await site.session(person) }))
  const address = site.shop.add(`
    <div id="wallet"></div>
    <button onclick="handle.openTopUp({ amount: 8.25, window: true })">In a window</button>
    <script src="${site.origin}/widget/loader.js"></script>
    <script>
      window.handle = WalletWidget.mount(document.getElementById('wallet'), {
        clientId: '${site.clientId}',
        getSession: async () => (await fetch('${path}')).json(),
      })
    </script>`)
  const shop = await WidgetTab.framed(t, browser, address)
  await shop.showsBalance('$0.00')
  return { person, shop }
}

/** The shop with the wallet in a frame, and the top-up in the window that it opened. */
async function openShop(t: Test, site: TopUpSite, browser: Browser, of: { features?: string }) {
  const person = await site.makePerson()
  const wallet = site.page('wallet', { session: await site.session(person) })
  const address = await shopPage(site, { ...of, wallet, topUp: await site.topUpPage(person) })
  const shop = await WidgetTab.framed(t, browser, address)
  return { shop, top: windowOf(await openWindow(shop)) }
}
