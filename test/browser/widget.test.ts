/**
 * The wallet in a frame of a shop's page, in a real browser, on two origins, embedded by hand: sign
 * in, look, live changes, expiry, switch of account, and a parent that is not allowed. The loader:
 * widget-loader.test.ts. Looks and access: widget-access.test.ts.
 */
import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Message } from '../../src/platform/mail.js'
import { openBrowser } from './support/chromium.js'
import { password, WidgetSite } from './support/widget-site.js'
import { complaints, WidgetTab } from './support/widget-tab.js'

const sandbox =
  'sandbox="allow-same-origin allow-scripts allow-forms allow-popups ' +
  'allow-popups-to-escape-sandbox"'

const browser = await openBrowser(t, 'the wallet in a real browser')
if (browser !== undefined) {
  const mailed: Message[] = []
  const send = (message: Message) => Promise.resolve(void mailed.push(message))
  const site = await WidgetSite.open(t, { mailer: { send, close: () => undefined } })
  const open = opener(site, browser)
  signIn(site, open)
  passwords(site, open, mailed)
  shownWallet(site, open)
  liveChanges(site, open)
  sessionEnds(site, open)
  accountSwitch(site, open)
  parents(site, browser)
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

type Open = (t: Test, query?: Record<string, string>, options?: Options) => Promise<WidgetTab>

interface Options extends BrowserContextOptions {
  /** Further attributes of the iframe. */
  readonly attributes?: string
}

function opener(site: WidgetSite, browser: Browser): Open {
  return (t, query = {}, { attributes = '', ...options } = {}) => {
    const src = site.walletUrl(query).replaceAll('&', '&amp;')
    const frame = `<iframe src="${src}" title="Wallet" allow="payment *" width="480" height="860"
      ${attributes}></iframe>`
    return WidgetTab.framed(t, browser, site.shop.add(frame), options)
  }
}

function signIn(site: WidgetSite, open: Open): void {
  t.test('a newcomer signs up in the frame, and the shop can link the account', async (t) => {
    const tab = await open(t, {}, { attributes: sandbox })
    await tab.heading('Your wallet at Corner Shop').waitFor()
    await tab.wallet.getByRole('tab', { name: 'Sign up' }).click()
    const email = `${randomUUID()}@example.com`
    await tab.field('First name').fill('Grace')
    await tab.field('Last name').fill('Hopper')
    await tab.field('Email').fill(email)
    await tab.field('Password').fill(password)
    await tab.screenshot('sign-up')
    await tab.button('Sign up').click()
    await tab.showsBalance('$0.00')
    await tab.text('Nothing has happened in this wallet yet.').waitFor()
    await tab.hears('SERVICE_WALLET_LOADED')
    await tab.screenshot('empty')

    const received = await tab.received()
    t.same(await tab.types(), [
      'SERVICE_AUTH_REQUIRED',
      'SERVICE_AUTH_SUCCESS',
      'SERVICE_WALLET_LOADED',
    ])
    const user = await site.users.findByEmail(email)
    const common = { source: 'wallet-service', version: 1 }
    t.same(received[0]?.data, { type: 'SERVICE_AUTH_REQUIRED', ...common })
    t.match(received[1]?.data, { serviceUserId: user?.serviceUserId, linkProof: String, ...common })
    t.same(received[2]?.data, { type: 'SERVICE_WALLET_LOADED', ...common })
    for (const { origin } of received) t.equal(origin, site.origin)
    const proof = String(received[1]?.data['linkProof'])
    t.equal(await site.links.redeemProof(site.clientId, proof), user?.serviceUserId)
    for (const secret of [user?.serviceUserId ?? '-', email, proof])
      t.notMatch(site.captured?.text, secret, 'nothing of it in the log of the service')
  })

  t.test('a login shows the wallet with what every app did', async (t) => {
    const person = await site.makePerson()
    await site.book(person.walletId, 'TopUp', { amountMinor: 5_000, pair: ['TOPUP', randomUUID()] })
    const other = { amountMinor: 1_200, clientId: site.otherClientId }
    await site.book(person.walletId, 'Debit', other)
    const tab = await open(t)
    await tab.screenshot('login')
    await tab.logIn({ email: person.email, password })
    await tab.showsBalance('$38.00')
    const rows = await tab.wallet.locator('.entry').allInnerTexts()
    t.match(rows[0], /Payment in another app[\s\S]*−\$12\.00/, 'as in a session of the shop')
    await tab.text('so that Corner Shop cannot read it').waitFor()
    await tab.wallet.locator('.entry summary').first().click()
    await tab.text('Print House: Order payment. You see this as you have logged in').waitFor()
    t.match(rows[1], /Top-up[\s\S]*\+\$50\.00/)
    t.match(await tab.types(), ['SERVICE_AUTH_REQUIRED', 'SERVICE_AUTH_SUCCESS'])
  })

  t.test('a wrong password is refused in words, and what was typed stays', async (t) => {
    const person = await site.makePerson()
    const tab = await open(t)
    await tab.logIn({ email: person.email, password: 'not the password' })
    const alert = tab.wallet.getByRole('alert')
    await alert.waitFor()
    t.match(await alert.textContent(), 'do not belong together')
    t.equal(await tab.field('Email').inputValue(), person.email)
    t.equal(await tab.field('Password').inputValue(), 'not the password')
    await tab.button('Show the password').click()
    t.equal(await tab.field('Password').getAttribute('type'), 'text')
    await tab.screenshot('wrong-password')
    await tab.logIn({ email: person.email, password })
    await tab.showsBalance('$0.00')
  })

  t.test('what is missing or wrong is said beside its field', async (t) => {
    const person = await site.makePerson()
    const tab = await open(t)
    await tab.button('Log in').click()
    t.match(await tab.errorOf('Email'), 'Enter your email.')
    t.match(await tab.errorOf('Password'), 'Enter your password.')
    await tab.field('Email').fill(person.email)
    await tab.wallet.getByRole('tab', { name: 'Sign up' }).click()
    t.equal(await tab.field('Email').inputValue(), person.email, 'kept over the tabs')
    await tab.field('First name').fill('Ada')
    await tab.field('Last name').fill('Lovelace')
    await tab.field('Password').fill('short')
    await tab.field('Last name').fill('')
    await tab.field('Email').fill('ada at example')
    await tab.button('Sign up').click()
    await tab.text('Must be at least').waitFor()
    t.match(await tab.errorOf('Password'), 'Must be at least 10 characters')
    t.match(await tab.errorOf('Last name'), 'Enter your last name.', 'all at once')
    t.match(await tab.errorOf('Email'), 'such as ann@example.com')
    await tab.field('Last name').fill('Lovelace')
    await tab.field('Email').fill(person.email)
    await tab.field('Password').fill(password)
    await tab.button('Sign up').click()
    await tab.text('There is a wallet with this email already.').waitFor()
    await tab.screenshot('account-exists')
    await tab.button('Log in instead').click()
    await tab.button('Log in').click()
    await tab.showsBalance('$0.00')
  })
}

function passwords(site: WidgetSite, open: Open, mailed: readonly Message[]): void {
  t.test('a forgotten password leads to a link, told the same to everybody', async (t) => {
    const person = await site.makePerson()
    const tab = await open(t)
    await tab.field('Email').fill('nobody@example.com')
    await tab.button('Forgot your password?').click()
    t.equal(await tab.field('Email').inputValue(), 'nobody@example.com')
    await tab.button('Send the link').click()
    await tab.text('If there is a wallet with this email').waitFor()
    await tab.screenshot('forgotten')
    const sent = mailed.filter(({ to }) => to === 'nobody@example.com')
    t.same(sent, [], 'nobody has this email')
    await tab.button('Back to the login').click()
    await tab.logIn({ email: person.email, password })
    await tab.showsBalance('$0.00')
  })
}

function shownWallet(site: WidgetSite, open: Open): void {
  t.test('a session of the shop shows the wallet without a login', async (t) => {
    const person = await site.makePerson()
    const { walletId } = person
    await site.book(walletId, 'TopUp', { amountMinor: 5_000, pair: ['TOPUP', randomUUID()] })
    const description = 'Two teapots'
    const order = { amountMinor: 1_250, pair: ['ORDER_PAYMENT', 'A-1'], description } as const
    await site.book(walletId, 'Debit', order)
    await site.book(walletId, 'Debit', { amountMinor: 300, clientId: site.otherClientId })
    const session = await site.createSession(person, { parentOrigin: site.shop.origin })
    const tab = await open(t, { session })
    await tab.showsBalance('$34.50')
    await tab.hears('SERVICE_WALLET_LOADED')
    t.same(await tab.types(), ['SERVICE_WALLET_LOADED'])
    t.match(await tab.wallet.locator('.account-name').innerText(), 'Ada Lovelace')
    const rows = tab.wallet.locator('.entry')
    t.match(await rows.nth(0).innerText(), /Payment in another app[\s\S]*−\$3\.00/)
    const bought = /Two teapots\s+Order payment · Corner Shop[\s\S]*−\$12\.50/
    t.match(await rows.nth(1).innerText(), bought)
    t.notMatch(await rows.nth(1).innerText(), 'A-1', 'the reference is in the details')
    await rows.nth(0).locator('summary').click()
    t.match(await rows.nth(0).innerText(), 'Hidden, so that Corner Shop cannot read them.')
    t.match(await rows.nth(2).innerText(), /Top-up[\s\S]*\+\$50\.00/)
    await rows.nth(1).locator('summary').click()
    t.match(await rows.nth(1).innerText(), /Balance after\s+\$37\.50[\s\S]*A-1/)
    await tab.screenshot('wallet')
    const [, frame] = tab.page.frames()
    t.equal(frame?.url(), site.walletUrl(), 'the token is gone from the address')
  })

  t.test('asking for a top-up tells the shop and offers a way inside the frame', async (t) => {
    const person = await site.makePerson()
    const tab = await open(t, { session: await site.createSession(person) })
    await tab.showsBalance('$0.00')
    t.equal(await tab.button('Top up here').count(), 0)
    await tab.button('Top up').click()
    await tab.hears('SERVICE_OPEN_TOPUP')
    await tab.button('Top up here').click()
    const [, frame] = tab.page.frames()
    await frame?.waitForURL(/\/widget\/topup/)
    t.match(frame?.url(), '/widget/topup')
  })

  t.test('a paused wallet says why, and offers no top-up', async (t) => {
    const person = await site.makePerson()
    await site.book(person.walletId, 'TopUp', { amountMinor: 900, pair: ['TOPUP', randomUUID()] })
    await site.setActive(person.walletId, false, 'Asked for by you on the phone')
    const tab = await open(t, { session: await site.createSession(person) })
    await tab.text('This wallet is paused.').waitFor()
    await tab.text('Asked for by you on the phone').waitFor()
    t.equal(await tab.button('Top up').count(), 0)
    await tab.screenshot('paused')
  })

  t.test('a service that does not answer is said in words, with one button', async (t) => {
    const person = await site.makePerson()
    const tab = await open(t, { session: 'ws_00000000-0000-4000-8000-000000000000' })
    await tab.heading('Your wallet session has ended').waitFor()
    await tab.page.route('**/api/widget/wallet?*', (route) => route.abort())
    const session = await site.createSession(person)
    await tab.page.evaluate(
      `document.querySelector('iframe').src = '${site.walletUrl({ session })}'`,
    )
    await tab.text('The wallet service does not answer right now.').waitFor()
    await tab.screenshot('no-answer')
    await tab.page.unroute('**/api/widget/wallet?*')
    await tab.button('Try again').click()
    await tab.showsBalance('$0.00')
  })
}

function liveChanges(site: WidgetSite, open: Open): void {
  t.test('a payment elsewhere appears while the wallet is open, and is read out', async (t) => {
    const person = await site.makePerson()
    await site.book(person.walletId, 'TopUp', { amountMinor: 2_000, pair: ['TOPUP', randomUUID()] })
    const tab = await open(t, { session: await site.createSession(person) })
    await tab.showsBalance('$20.00')
    await tab.hears('SERVICE_WALLET_LOADED')
    t.same(await tab.types(), ['SERVICE_WALLET_LOADED'], 'loading is no update')
    await site.book(person.walletId, 'Debit', { amountMinor: 500 })
    await tab.showsBalance('$15.00')
    await tab.hears('SERVICE_WALLET_UPDATED')
    t.same(await tab.types(), ['SERVICE_WALLET_LOADED', 'SERVICE_WALLET_UPDATED'])
    const region = tab.wallet.locator('[aria-live="polite"]')
    t.equal(await region.textContent(), 'New: Order payment, −$5.00. Balance $15.00.')
    t.equal(await tab.wallet.locator('.entry-fresh').count(), 1)
    await site.book(person.walletId, 'PlaceHold', { amountMinor: 300 })
    await tab.text('Reserved $3.00, available $12.00').waitFor()
    await tab.showsBalance('$15.00')
    await tab.screenshot('reserved')
  })

  t.test('without server-sent events the wallet asks at intervals', async (t) => {
    const person = await site.makePerson()
    const session = await site.createSession(person)
    const tab = await open(t, { session }, { serviceWorkers: 'block' })
    await tab.hears('SERVICE_WALLET_LOADED')
    await tab.page.route('**/wallet/events?*', (route) => route.abort())
    // What was heard so far is forgotten: the old page shows the same balance as the new one.
    await tab.page.evaluate(
      `window.received.length = 0
      document.querySelector('iframe').src = '${site.walletUrl({ session })}'`,
    )
    await tab.hears('SERVICE_WALLET_LOADED')
    await site.book(person.walletId, 'TopUp', { amountMinor: 700, pair: ['TOPUP', randomUUID()] })
    await tab.wallet.locator('.balance .amount', { hasText: '$7.00' }).waitFor({ timeout: 20_000 })
    await tab.hears('SERVICE_WALLET_UPDATED')
  })
}

function sessionEnds(site: WidgetSite, open: Open): void {
  t.test('a session that ends says so, and a login in the same place goes on', async (t) => {
    const person = await site.makePerson()
    await site.book(person.walletId, 'TopUp', { amountMinor: 2_500, pair: ['TOPUP', randomUUID()] })
    const session = await site.createSession(person)
    await site.endSessionsIn(person, 4_000)
    const tab = await open(t, { session })
    await tab.showsBalance('$25.00')
    await tab.hears('SERVICE_SESSION_EXPIRING')
    await tab.hears('SERVICE_SESSION_EXPIRED')
    await tab.heading('Your wallet session has ended').waitFor()
    const next = await site.createSession(person)
    const give = (target: string, token: string) =>
      tab.page.evaluate(`document.querySelector('iframe').contentWindow.postMessage(
        { type: 'SERVICE_SESSION', sessionToken: '${token}' }, '${target}')`)
    await give(site.origin, await site.createSession(await site.makePerson()))
    await tab.page.waitForEvent('console', (message) =>
      message.text().includes('of another person'),
    )
    await give(site.origin, next)
    await tab.showsBalance('$25.00')

    await site.endSessionsIn(person, -1_000)
    await tab.heading('Your wallet session has ended').waitFor()
    t.equal(await tab.balance.count(), 0, 'what was shown is gone')
    await tab.screenshot('expired')
    await tab.button('Log in here').click()
    await tab.hears('SERVICE_AUTH_REQUIRED')
    await tab.logIn({ email: person.email, password })
    await tab.showsBalance('$25.00')
    const contract = (await tab.types()).filter((type) => !String(type).includes('SESSION'))
    t.same(contract, ['SERVICE_WALLET_LOADED', 'SERVICE_AUTH_REQUIRED', 'SERVICE_AUTH_SUCCESS'])
    const warned = (await tab.received()).find(({ data }) => String(data['type']).endsWith('ING'))
    t.ok(Date.parse(String(warned?.data['expiresAt'])) > 0)
  })
}

function accountSwitch(site: WidgetSite, open: Open): void {
  t.test('switching account ends the session, tells the shop and asks to log in', async (t) => {
    const [one, other] = [await site.makePerson(), await site.makePerson({ firstName: 'Bea' })]
    const session = await site.createSession(one)
    const tab = await open(t, { session })
    await tab.wallet.locator('.account-name').click()
    await tab.screenshot('menu')
    await tab.button('Switch account').click()
    await tab.text('You have left the other account.').waitFor()
    await tab.hears('SERVICE_AUTH_REQUIRED')
    t.same(await tab.types(), [
      'SERVICE_WALLET_LOADED',
      'SERVICE_LOGOUT_REQUEST',
      'SERVICE_AUTH_REQUIRED',
    ])
    await tab.logIn({ email: other.email, password })
    await tab.wallet.locator('.account-name', { hasText: 'Bea Lovelace' }).waitFor()
    t.equal(await site.widgetSessions.find(session), undefined, 'the old token is dead')
  })
}

function parents(site: WidgetSite, browser: Browser): void {
  t.test('a parent that is not allowed gets an empty frame and no message', async (t) => {
    const person = await site.makePerson()
    const session = await site.createSession(person)
    const frame = `<iframe src="${site.walletUrl({ session })}" title="Wallet"></iframe>`
    // The same page by another name of this machine is another origin.
    const address = site.shop.add(frame).replace('localhost', '127.0.0.1')
    const tab = await WidgetTab.framed(t, browser, address)
    await tab.page.waitForLoadState('load')
    t.equal(await tab.balance.count(), 0)
    t.same(await tab.received(), [])
    const blocked = complaints.splice(0)
    t.match(blocked.join(' '), 'frame-ancestors')
    await tab.screenshot('not-allowed')
  })

  t.test('a wallet in a tab of its own posts to nobody and works', async (t) => {
    const person = await site.makePerson()
    const session = await site.createSession(person)
    const tab = await WidgetTab.alone(t, browser, site.walletUrl({ session }))
    await tab.showsBalance('$0.00')
    await tab.page.goto(`${site.origin}/widget/wallet`)
    await tab.heading('No shop named').waitFor()
    await tab.text('the address needs the clientId').waitFor()
    await tab.screenshot('no-client')
  })
}
