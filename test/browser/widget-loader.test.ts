/**
 * The loader in a shop's page, in a real browser, on two origins: what it mounts, what it tells,
 * renewal of a session that nobody notices, height, theme, and whom it does not listen to.
 */
import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import t, { type Test } from 'tap'
import { faultsOn } from './support/axe.js'
import { openBrowser } from './support/chromium.js'
import { password, WidgetSite } from './support/widget-site.js'
import { complaints, WidgetTab } from './support/widget-tab.js'

const browser = await openBrowser(t, 'the loader in a real browser')
if (browser !== undefined) {
  const site = await WidgetSite.open(t)
  const open: Open = (t, options, context = {}) =>
    WidgetTab.framed(t, browser, shopPage(site, options), context)
  mounting(site, open)
  linking(site, open)
  renewal(site, open)
  topUps(site, open)
  strangers(site, open)
  failures(site, browser, open)
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

/** Options of the loader as JavaScript text, such as "session: 'ws_…'". */
type Open = (t: Test, options: string, context?: BrowserContextOptions) => Promise<WidgetTab>

/** A page that mounts the widget and notes which callbacks were called, with what. */
function shopPage({ shop, origin, clientId }: WidgetSite, options: string, root = ''): string {
  const callbacks = ['Loaded', 'Updated', 'AuthRequired', 'AuthSuccess', 'LogoutRequest', 'Error']
    .map((name) => `on${name}: (data) => window.called.push(['${name}', data])`)
    .join(',')
  const body = `<div id="wallet"></div><script src="${origin}/widget/loader.js"></script>
    <script>
      window.called = []
      window.widget = WalletWidget.mount(document.getElementById('wallet'), {
        clientId: '${clientId}', ${callbacks}, ${options}
      })
    </script>`
  return shop.add(body, root)
}

function called(tab: WidgetTab): Promise<[string, unknown][]> {
  return tab.page.evaluate('window.called')
}

async function isCalled(tab: WidgetTab, name: string): Promise<void> {
  await tab.page.waitForFunction(`window.called.some(([name]) => name === '${name}')`)
}

/** The shop's backend makes a session for this person each time it is asked; how often it was. */
function answersSessions(site: WidgetSite, person: { serviceUserId: string } | undefined) {
  const path = `/session-${randomUUID()}`
  const asked = { count: 0, tokens: [] as string[] }
  site.shop.answer(path, async () => {
    asked.count += 1
    if (person === undefined) return {}
    const sessionToken = await site.createSession(person)
    asked.tokens.push(sessionToken)
    return { sessionToken }
  })
  const getSession = `getSession: async () => {
    const { sessionToken } = await (await fetch('${path}')).json()
    return sessionToken
  }`
  return { asked, getSession }
}

function mounting(site: WidgetSite, open: Open): void {
  t.test('the frame has what the wallet needs, and the height of its content', async (t) => {
    const person = await site.makePerson()
    for (let number = 1; number <= 10; number += 1)
      await site.book(person.walletId, 'TopUp', {
        amountMinor: 100 * number,
        pair: ['TOPUP', randomUUID()],
      })
    const session = await site.createSession(person)
    const tab = await open(t, `session: '${session}', sandbox: true, title: 'My wallet'`)
    await tab.showsBalance('$55.00')
    await isCalled(tab, 'Loaded')
    const frame = tab.page.locator('iframe')
    t.equal(await frame.getAttribute('allow'), 'payment *')
    t.equal(await frame.getAttribute('title'), 'My wallet')
    t.equal(
      await frame.getAttribute('sandbox'),
      'allow-same-origin allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox ' +
        'allow-downloads',
    )
    const content = await tab.wallet.locator('#app').boundingBox()
    await tab.page.waitForFunction(
      `document.querySelector('iframe').clientHeight >= ${Math.floor(content?.height ?? 9_999)}`,
    )
    t.ok((content?.height ?? 0) > 700, 'ten entries are higher than the first height')
    await tab.screenshot('loader')
    await tab.page.evaluate('window.widget.unmount()')
    t.equal(await frame.count(), 0)
  })

  t.test('the look of the shop holds, whatever the system prefers', async (t) => {
    const person = await site.makePerson()
    await site.book(person.walletId, 'TopUp', { amountMinor: 123_450, pair: ['TOPUP', '1'] })
    const session = await site.createSession(person)
    const look = "theme: 'dark', locale: 'de-DE', radius: 3, minHeight: 1200"
    const tab = await open(t, `session: '${session}', ${look}`, { colorScheme: 'light' })
    await tab.showsBalance('1.234,50')
    t.equal(await tab.wallet.locator('html').getAttribute('data-theme'), 'dark')
    const styleOf = (selector: string, name: string) =>
      tab.inWallet<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`)
    t.equal(await styleOf('html', 'backgroundColor'), 'rgba(0, 0, 0, 0)', 'no ground of its own')
    t.not(await styleOf('.card', 'backgroundColor'), 'rgba(0, 0, 0, 0)')
    t.equal(await styleOf('.card', 'borderRadius'), '3px')
    t.equal(await tab.page.evaluate("document.querySelector('iframe').clientHeight"), 1_200)
    await tab.screenshot('loader-dark')
    const walletWidth = await styleOf('.card', 'width')
    await tab.button('Aufladen').click()
    await tab.heading('Wallet aufladen').waitFor()
    t.equal(await styleOf('.card', 'width'), walletWidth, 'cards of both pages are equally wide')
    t.equal(await styleOf('.card', 'borderRadius'), '3px', 'the next page looks the same')
    t.equal(await styleOf('html', 'backgroundColor'), 'rgba(0, 0, 0, 0)')
    const plain = `session: '${session}', background: 'plain'`
    const other = await open(t, plain)
    await other.showsBalance('$1,234.50')
    const ground = 'getComputedStyle(document.documentElement).backgroundColor'
    t.equal(await other.inWallet(ground), 'rgb(245, 246, 248)')
  })
}

function linking(site: WidgetSite, open: Open): void {
  t.test('a user without a link logs in, is linked, and switches account', async (t) => {
    const person = await site.makePerson()
    const { asked, getSession } = answersSessions(site, undefined)
    const tab = await open(t, getSession)
    await tab.heading('Your wallet at Corner Shop').waitFor()
    t.equal(asked.count, 1)
    await isCalled(tab, 'AuthRequired')
    await tab.logIn({ email: person.email, password })
    await tab.showsBalance('$0.00')
    await isCalled(tab, 'Loaded')
    const success = (await called(tab)).find(([name]) => name === 'AuthSuccess')
    t.match(success?.[1], { serviceUserId: person.serviceUserId, linkProof: /^lp_/ })
    const session = await site.createSession(person)
    await tab.page.evaluate(`window.widget.setSession('${session}')`)
    await tab.page.waitForFunction(
      "window.called.filter(([name]) => name === 'Loaded').length === 2",
    )
    await tab.wallet.locator('.account-name').click()
    await tab.button('Switch account').click()
    await isCalled(tab, 'LogoutRequest')
    await tab.page.evaluate('window.widget.setSession()')
    await tab.heading('Your wallet at Corner Shop').waitFor()
  })
}

function renewal(site: WidgetSite, open: Open): void {
  t.test('a session is renewed before it ends, and nobody notices', async (t) => {
    const person = await site.makePerson()
    await site.book(person.walletId, 'TopUp', { amountMinor: 900, pair: ['TOPUP', randomUUID()] })
    const first = await site.createSession(person)
    await site.endSessionsIn(person, 30_000)
    const { asked, getSession } = answersSessions(site, person)
    const tab = await open(t, `session: '${first}', ${getSession}`)
    await tab.showsBalance('$9.00')
    await site.captured?.line(
      ({ route, status }) => route === '/api/widget/session/renew' && status === 200,
    )
    t.ok(await site.widgetSessions.find(first), 'while the old one was still alive')
    await site.ledger.pool.query('delete from identity.widget_sessions where expires_at < $1', [
      new Date(Date.now() + 60_000),
    ])
    await site.book(person.walletId, 'Debit', { amountMinor: 400 })
    await tab.showsBalance('$5.00')
    t.equal(asked.count, 1)
    t.equal(await tab.heading('Your wallet session has ended').count(), 0)
  })

  t.test('a page that was opened with an ended session asks for a new one first', async (t) => {
    const person = await site.makePerson()
    const first = await site.createSession(person)
    await site.endSessionsIn(person, -1_000)
    const { asked, getSession } = answersSessions(site, person)
    const tab = await open(t, `session: '${first}', ${getSession}`)
    await tab.showsBalance('$0.00')
    t.equal(asked.count, 1)
  })

  t.test('a new session of somebody else is refused, and the old one ends in words', async (t) => {
    const [person, other] = [await site.makePerson(), await site.makePerson()]
    const first = await site.createSession(person)
    await site.endSessionsIn(person, 8_000)
    const { asked, getSession } = answersSessions(site, other)
    const tab = await open(t, `session: '${first}', ${getSession}`)
    await tab.showsBalance('$0.00')
    await tab.heading('Your wallet session has ended').waitFor()
    t.ok(asked.count >= 1)
  })
}

function topUps(site: WidgetSite, open: Open): void {
  t.test('without a callback the top-up opens inside the frame', async (t) => {
    const person = await site.makePerson()
    const session = await site.createSession(person)
    const tab = await open(t, `session: '${session}'`)
    await tab.showsBalance('$0.00')
    await tab.button('Top up').click()
    await tab.wallet.locator('h1', { hasText: /top up/i }).waitFor()
  })

  t.test('the shop asks for a top-up of an amount, also before the login', async (t) => {
    const person = await site.makePerson()
    const tab = await open(t, '')
    await tab.heading('Your wallet at Corner Shop').waitFor()
    await tab.page.evaluate('window.widget.openTopUp({ amount: 12.5 })')
    const asked = tab.page.waitForRequest((request) => request.url().includes('amount=12.5'))
    await tab.logIn({ email: person.email, password })
    t.match((await asked).url(), '/widget/topup?')
    await tab.wallet.locator('h1', { hasText: /top up/i }).waitFor()
  })

  t.test('a top-up in a window of its own takes a fresh session of the shop', async (t) => {
    const person = await site.makePerson()
    const { asked, getSession } = answersSessions(site, person)
    const tab = await open(t, `${getSession}, onOpenTopup: () => undefined`)
    await tab.showsBalance('$0.00')
    const button = 'widget.openTopUp({ amount: 20, window: true })'
    await tab.page.evaluate(`document.body.insertAdjacentHTML('beforeend',
      '<button id="pay" onclick="${button}">Top up in a window</button>')`)
    const popup = tab.page.waitForEvent('popup')
    await tab.page.locator('#pay').click()
    const page = await popup
    await page.waitForURL('**/widget/topup?*')
    t.match(page.url(), 'amount=20')
    t.equal(asked.count, 2, 'one for the frame, one for the window')
    await page.close()
  })
}

function strangers(site: WidgetSite, open: Open): void {
  t.test('messages of other windows are not taken for the wallet’s', async (t) => {
    const person = await site.makePerson()
    const session = await site.createSession(person)
    const tab = await open(t, `session: '${session}'`)
    await tab.showsBalance('$0.00')
    await isCalled(tab, 'Loaded')
    await tab.page.evaluate(`new Promise((resolve) => {
      addEventListener('message', ({ data }) => data === 'last' && resolve())
      postMessage({ type: 'SERVICE_LOGOUT_REQUEST' }, location.origin)
      postMessage('last', location.origin)
    })`)
    // A second frame of the same service tells that it asks for a login.
    await tab.page.evaluate(`{
      const second = document.createElement('iframe')
      second.src = '${site.walletUrl()}'
      document.body.append(second)
    }`)
    await tab.hears('SERVICE_AUTH_REQUIRED')
    t.same(
      (await called(tab)).map(([name]) => name),
      ['Loaded'],
    )
  })

  t.test('the frame takes a port from its own parent only', async (t) => {
    const person = await site.makePerson()
    const session = await site.createSession(person)
    await site.endSessionsIn(person, 10_000)
    const tab = await open(t, `session: '${session}'`)
    await tab.showsBalance('$0.00')
    // A frame beside it, of the shop's own origin, hands over a port and listens.
    await tab.page.evaluate(`{
      window.stolen = []
      const beside = document.createElement('iframe')
      beside.srcdoc = '<script>' +
        'const { port1, port2 } = new MessageChannel();' +
        'port1.onmessage = ({ data }) => parent.stolen.push(data);' +
        'parent.frames[0].postMessage({ type: "wallet-widget-port" }, "*", [port2]);' +
        '</' + 'script>'
      document.body.append(beside)
    }`)
    const frame = tab.page.locator('iframe').first().contentFrame()
    await frame.getByText('session has ended').waitFor()
    t.same(await tab.page.evaluate('window.stolen'), [])
  })
}

function failures(site: WidgetSite, browser: Browser, open: Open): void {
  t.test('a page that is not listed gets words in place of an empty frame', async (t) => {
    const address = shopPage(site, '').replace('localhost', '127.0.0.1')
    const abroad = shopPage(site, "locale: 'pl'").replace('localhost', '127.0.0.1')
    const other = await WidgetTab.framed(t, browser, abroad)
    await other.page.getByText('Portfela nie można tu pokazać').waitFor()
    await other.page.getByRole('button', { name: 'Spróbuj ponownie' }).waitFor()
    complaints.splice(0)
    const tab = await WidgetTab.framed(t, browser, address)
    await tab.page.getByText('The wallet cannot be shown here').waitFor()
    t.equal(await tab.page.locator('iframe').isVisible(), false)
    t.match(await called(tab), [['Error', { code: 'ORIGIN_NOT_ALLOWED', message: String }]])
    const told = complaints.splice(0).join(' ')
    const origin = new URL(address).origin
    t.match(told, `The origin of this page is ${origin}; it is not among`)
    t.match(told, `${site.origin}/widget/doctor?clientId=${site.clientId}`)
    t.same(await faultsOn(tab.page, { seriousOnly: true }), [])
    await tab.screenshot('loader-not-listed')
    await tab.page.evaluate('window.widget.unmount()')
    t.equal(await tab.page.getByText('The wallet cannot be shown here').count(), 0)
  })

  t.test(
    'offline: the balance says so, a lost page too, and both heal by themselves',
    async (t) => {
      const person = await site.makePerson()
      const { getSession } = answersSessions(site, person)
      const tab = await open(t, getSession)
      await tab.showsBalance('$0.00')
      await tab.page.context().setOffline(true)
      await tab.text('Last known balance').waitFor()
      await tab.text('No connection to the wallet service').waitFor()
      await tab.screenshot('loader-balance-offline')
      await tab.page.context().setOffline(false)
      await tab.text('Last known balance').waitFor({ state: 'detached' })

      await tab.page.context().setOffline(true)
      await tab.button('Top up').click()
      await tab.page.getByText('You are offline').waitFor()
      t.equal(await tab.page.locator('iframe').isVisible(), false, 'no page of the browser’s own')
      await tab.screenshot('loader-offline')
      await tab.page.context().setOffline(false)
      await tab.showsBalance('$0.00')
      t.equal(await tab.page.getByText('You are offline').count(), 0)
      const errors = (await called(tab)).filter(([name]) => name === 'Error')
      t.match(errors[0], ['Error', { code: 'OFFLINE' }])
      complaints.splice(0)
    },
  )

  t.test('a service that does not answer: words, and one tap when it is back', async (t) => {
    const person = await site.makePerson()
    const session = await site.createSession(person)
    const tab = await open(t, '', phoneInTheDark)
    await tab.heading('Your wallet at Corner Shop').waitFor()
    await tab.page.route(`${site.origin}/widget/wallet*`, (route) => route.abort())
    await tab.page.route(`${site.origin}/api/**`, (route) => route.abort())
    await tab.page.evaluate(`window.widget.setSession('${session}')`)
    await tab.page.getByText('The wallet does not answer').waitFor()
    await tab.page.getByText('Your money is safe.').waitFor()
    t.same(await faultsOn(tab.page, { seriousOnly: true }), [])
    await tab.screenshot('loader-down')
    await tab.page.unrouteAll()
    await tab.page.getByRole('button', { name: 'Try again' }).focus()
    await tab.page.keyboard.press('Enter')
    await tab.showsBalance('$0.00')
    t.equal(await tab.page.locator('iframe').isVisible(), true)
    complaints.splice(0)
  })

  t.test('a backend that fails is asked again before anybody has to log in', async (t) => {
    const person = await site.makePerson()
    let asked = 0
    const path = `/session-${randomUUID()}`
    site.shop.answer(path, async () => {
      asked += 1
      if (asked === 1) throw new Error('the shop has a bad moment')
      return { sessionToken: await site.createSession(person) }
    })
    const tab = await open(t, `getSession: async () => (await fetch('${path}')).json()`)
    await tab.showsBalance('$0.00')
    t.equal(asked, 2)
    t.notMatch(await tab.types(), ['SERVICE_AUTH_REQUIRED'])
    complaints.splice(0)
  })
}

const phoneInTheDark = { viewport: { width: 390, height: 800 }, colorScheme: 'dark' } as const
