/** The widget's pages over HTTP: whose they are, who may frame them, and what they are told. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { PersonLanguages } from '../../src/identity/person-languages.js'
import { unnamedService } from '../../src/platform/service-identity.js'
import { registerWidgetPages } from '../../src/http/routes/widget-pages.js'
import { widgetSessionKeptMs, widgetSessionMs } from '../../src/limits.js'
import { serve } from '../support/served-app.js'
import { noPayments, pageData, WidgetService } from '../support/widget-service.js'
import type { WidgetAnswer } from '../support/widget-service.js'

const shop = 'https://shop.example'
const parents = [shop, 'https://www.shop.example']

function ancestors({ headers }: WidgetAnswer): string {
  const policy = headers.get('content-security-policy') ?? ''
  return /frame-ancestors ([^;]*)/.exec(policy)?.[1] ?? 'missing'
}

function isClosed(t: Test, answer: WidgetAnswer, what: string): void {
  t.equal(ancestors(answer), "'none'", what)
  t.equal(answer.headers.get('x-frame-options'), 'DENY')
  t.match(pageData(answer), { clientId: null, parentOrigins: [], problem: 'APP_UNKNOWN' })
}

t.test('a page found by its session is framed by its app and told about it', async (t) => {
  const service = await WidgetService.open(t)
  const brand = { brandName: 'The Shop', accentColor: '#1a7f5a' }
  const app = await service.makeApp({ ...brand, allowedIframeParents: parents })
  const user = await service.makePerson([app])
  const { sessionToken } = (await service.createSession(app, user)).body
  for (const name of ['wallet', 'topup']) {
    const answer = await service.get(`/widget/${name}?session=${String(sessionToken)}`)
    t.equal(answer.status, 200)
    t.equal(ancestors(answer), parents.join(' '))
    t.equal(answer.headers.get('x-frame-options'), null)
    t.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    t.equal(answer.headers.get('cache-control'), 'no-store')
    t.equal(answer.headers.get('referrer-policy'), 'no-referrer')
    t.equal(answer.headers.get('cross-origin-opener-policy'), null, 'a popup keeps its opener')
    t.match(answer.headers.get('permissions-policy'), /camera=\(\).*payment=\(self\)/)
    t.same(pageData(answer), {
      service: { name: null, logo: null, support: null, terms: null, privacy: null },
      language: null,
      clientId: app.clientId,
      brand: 'The Shop',
      accent: '#1a7f5a',
      parentOrigins: parents,
      openerOrigins: [shop],
      session: 'live',
      isPersons: false,
      currency: { code: 'usd', decimals: 2 },
      payments: noPayments,
      sendsMail: false,
      problem: null,
    })
    t.notOk(answer.text.includes(user.serviceUserId), 'nothing about the person')
    t.match(answer.text, '<p>$& ', 'the rest of the page is as it was built')
  }
})

t.test('a page speaks the language that its person has chosen', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  const choose = async (session: string, body: object) => {
    const answer = await fetch(`${service.origin}/api/widget/language?session=${session}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  t.match(await choose('ws_none', { language: 'pl' }), { body: { code: 'SESSION_EXPIRED' } })
  t.match(await choose(sessionToken, { language: 'xx' }), {
    status: 400,
    body: { error: /'language' must be one of en, de/ },
  })
  t.match(await choose(sessionToken, {}), { status: 400, body: { error: /'language' is missing/ } })
  t.same(await choose(sessionToken, { language: 'pl' }), { status: 200, body: {} })
  const answer = await service.get(`/widget/wallet?session=${sessionToken}`)
  t.match(pageData(answer), { language: 'pl' })
})

t.test(
  'the browser of a login is no choice: pages go on as browsers wish, mails know it',
  async (t) => {
    const service = await WidgetService.open(t)
    const { sessionToken, user } = await service.makeSession()
    const { serviceUserId } = user
    const languages = new PersonLanguages(service.ledger.pool)
    const onPage = async () =>
      pageData(await service.get(`/widget/wallet?session=${sessionToken}`))['language']
    t.equal(await languages.noteLogin(serviceUserId, 'fr'), undefined)
    t.same([await languages.find(serviceUserId), await onPage()], ['fr', null])
    t.equal(await languages.noteLogin(serviceUserId, 'de'), undefined)
    t.equal(await languages.noteLogin(serviceUserId, undefined), undefined)
    t.same([await languages.find(serviceUserId), await onPage()], ['de', null])
    await languages.choose(serviceUserId, 'pl')
    t.equal(await languages.noteLogin(serviceUserId, 'en'), 'pl')
    t.same([await languages.find(serviceUserId), await onPage()], ['pl', 'pl'])
  },
)

t.test(
  'the operator’s name, logo and links are on every page, the logo as a picture',
  async (t) => {
    const service = await WidgetService.open(t)
    const currency = { code: 'usd', decimals: 2, processorExponent: 2 } as const
    const page = () => ({ 'index.html': '<!--page-data-->' })
    const files = { 'loader.js': '', 'loader.d.ts': '', 'logo.svg': '<svg/>' }
    const folder = t.testdir({ wallet: page(), topup: page(), doctor: page(), ...files })
    const logoFile = join(folder, 'logo.svg')
    const named = { ...unnamedService, name: 'Acme Pay', logoFile }
    const parts = { ...service.parts, currency, payments: noPayments, sendsMail: false, folder }
    const { origin } = await serve(t, {}, (app) =>
      registerWidgetPages(app, { ...parts, service: named }),
    )
    const html = await (await fetch(`${origin}/widget/wallet`)).text()
    t.match(html, '"service":{"name":"Acme Pay","logo":"/widget/logo"')
    const logo = await fetch(`${origin}/widget/logo`)
    t.equal(logo.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
    t.match(logo.headers.get('content-security-policy'), /default-src 'none'.*sandbox/)
    for (const other of ['nowhere.svg', 'logo.gif'])
      await t.rejects(
        serve(t, {}, (app) =>
          registerWidgetPages(app, { ...parts, service: { ...named, logoFile: other } }),
        ),
        { message: new RegExp(`SERVICE_LOGO: ${other} must be`) },
      )
  },
)

t.test('a session made for one parent is framed by that parent alone', async (t) => {
  const service = await WidgetService.open(t)
  const app = await service.makeApp({ allowedIframeParents: parents })
  const user = await service.makePerson([app])
  const { sessionToken } = (await service.createSession(app, user, { parentOrigin: shop })).body
  const open = () => service.get(`/widget/wallet?session=${String(sessionToken)}`)
  t.equal(ancestors(await open()), shop)
  t.same(pageData(await open()).parentOrigins, [shop])
  await service.clientApps.update(app.clientId, { allowedIframeParents: parents.slice(1) })
  t.equal(ancestors(await open()), "'none'", 'until the app lists it no more')
  t.same(pageData(await open()).parentOrigins, [])
})

t.test('the page of an ended session still knows its app for a day, to say why', async (t) => {
  const service = await WidgetService.open(t)
  const { app, sessionToken } = await service.makeSession()
  const open = () => service.get(`/widget/wallet?session=${sessionToken}`)
  await service.clock.advance(widgetSessionMs)
  t.match(pageData(await open()), { clientId: app.clientId, session: 'ended', problem: null })
  t.equal(ancestors(await open()), shop)
  await service.clock.advance(widgetSessionKeptMs)
  isClosed(t, await open(), 'then it is unknown')
  t.equal(pageData(await open()).session, 'ended', 'and no reason to log in unasked')
})

t.test('without a session the app is found by its clientId', async (t) => {
  const service = await WidgetService.open(t)
  const app = await service.makeApp({ name: 'Shop Ltd' })
  const found = await service.get(`/widget/wallet?clientId=${app.clientId}`)
  t.equal(ancestors(found), shop)
  t.match(pageData(found), { clientId: app.clientId, brand: 'Shop Ltd', session: 'none' })
  for (const query of ['', '?clientId=', '?clientId=app_1', '?clientId=a&clientId=b', '?session='])
    isClosed(t, await service.get(`/widget/wallet${query}`), query)
  const { sessionToken } = await service.makeSession()
  const both = await service.get(`/widget/wallet?session=${sessionToken}&clientId=${app.clientId}`)
  t.not(pageData(both).clientId, app.clientId, 'the session says whose it is')
})

t.test(
  'with neither, the page that embeds it tells, if exactly one active app lists it',
  async (t) => {
    const service = await WidgetService.open(t)
    const app = await service.makeApp()
    const open = (referer: string) => service.get('/widget/wallet', { referer })
    for (const referer of ['https://shop.example/', 'https://shop.example/checkout?order=17']) {
      t.equal(pageData(await open(referer)).clientId, app.clientId)
      t.equal(ancestors(await open(referer)), shop)
    }
    for (const referer of ['https://x.example/', 'http://shop.example/', 'about:blank', 'nonsense'])
      isClosed(t, await open(referer), referer)
    const second = await service.makeApp()
    isClosed(t, await open('https://shop.example/'), 'two apps list it')
    await service.clientApps.setActive(second.clientId, false)
    t.equal(pageData(await open('https://shop.example/')).clientId, app.clientId)
    const unknown = await service.get('/widget/wallet?clientId=app_1', { referer: `${shop}/` })
    isClosed(t, unknown, 'a wrong clientId is not overlooked')
  },
)

t.test('the page of an inactive app says so and posts to nobody', async (t) => {
  const service = await WidgetService.open(t)
  const { app, sessionToken } = await service.makeSession()
  await service.clientApps.setActive(app.clientId, false)
  for (const query of [`session=${sessionToken}`, `clientId=${app.clientId}`]) {
    const answer = await service.get(`/widget/wallet?${query}`)
    t.match(pageData(answer), { problem: 'APP_INACTIVE', parentOrigins: [], openerOrigins: [] })
    t.not(pageData(answer).session, 'live')
  }
})

t.test('in production no http origin of earlier days is trusted', async (t) => {
  const service = await WidgetService.open(t, { production: true })
  const { clientId } = await service.makeApp()
  await service.ledger.pool.query(
    'update identity.client_apps set ' +
      "allowed_iframe_parents = array['http://localhost:1', 'https://shop.example'], " +
      "allowed_origins = array['http://localhost:1']",
  )
  const answer = await service.get(`/widget/wallet?clientId=${clientId}`)
  t.equal(ancestors(answer), shop)
  t.match(pageData(answer), { parentOrigins: [shop], openerOrigins: [] })
})

t.test('no text of an app can end the block of data', async (t) => {
  const service = await WidgetService.open(t)
  const brandName = '</script><script>alert(1)</script><!--'
  const { clientId } = await service.makeApp({ brandName })
  const answer = await service.get(`/widget/wallet?clientId=${clientId}`)
  t.notMatch(answer.text, 'alert(1)</script><!--')
  t.equal(answer.text.split('<script').length, 2, 'one script element')
  t.equal(pageData(answer).brand, brandName)
})

t.test('a page loads its own files only, and Stripe’s where Stripe takes the card', async (t) => {
  const payments = { kind: 'stripe', publishableKey: 'pk_test_1', testMode: true } as const
  const service = await WidgetService.open(t, { payments })
  const { clientId } = await service.makeApp()
  const policyOf = async (name: string) =>
    (await service.get(`/widget/${name}?clientId=${clientId}`)).headers.get(
      'content-security-policy',
    )
  const wallet = await policyOf('wallet')
  for (const part of ["default-src 'none'", "script-src 'self';", "connect-src 'self';"])
    t.match(wallet, part)
  t.notMatch(wallet, /stripe|unsafe/)
  const topUp = (await policyOf('topup')) ?? ''
  t.match(topUp, /script-src 'self' https:\/\/js\.stripe\.com/)
  t.match(topUp, /frame-src https:\/\/js\.stripe\.com [^;]*https:\/\/hooks\.stripe\.com;/)
  t.match(topUp, /connect-src 'self' https:\/\/api\.stripe\.com;/)
  t.notMatch(topUp, 'unsafe')
  const page = await service.get(`/widget/topup?clientId=${clientId}`)
  t.match(page.headers.get('permissions-policy'), 'payment=(self "https://js.stripe.com")')
  t.match(pageData(page).payments, payments)
})

t.test('the doctor is framed by anyone and holds nothing', async (t) => {
  const service = await WidgetService.open(t)
  const { app, sessionToken } = await service.makeSession()
  const query = `clientId=${app.clientId}&session=${sessionToken}`
  const answer = await service.get(`/widget/doctor?${query}`)
  t.equal(answer.status, 200)
  t.equal(ancestors(answer), '*')
  t.equal(answer.headers.get('x-frame-options'), null)
  t.match(pageData(answer), { clientId: null, brand: null, parentOrigins: [], problem: null })
  t.notOk(answer.text.includes(app.clientId))
})

t.test('the loader may be loaded by every page and is kept for minutes', async (t) => {
  const service = await WidgetService.open(t)
  const answer = await service.get('/widget/loader.js')
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8')
  t.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin')
  t.equal(answer.headers.get('cache-control'), 'public, max-age=300')
  t.equal((await service.get('/widget/loader.d.ts')).status, 200)
})

t.test('a page without a place for its data is told at the start', async (t) => {
  const service = await WidgetService.open(t)
  const currency = { code: 'usd', decimals: 2, processorExponent: 2 } as const
  const folder = t.testdir({ wallet: { 'index.html': '<p>no place</p>' } })
  const parts = { ...service.parts, currency, payments: noPayments, sendsMail: false, folder }
  await t.rejects(
    serve(t, {}, (app) => registerWidgetPages(app, parts)),
    { message: /has no <!--page-data-->/ },
  )
  await t.rejects(
    serve(t, {}, (app) => registerWidgetPages(app, { ...parts, folder: 'nowhere' })),
    { message: /are not built/ },
  )
})
