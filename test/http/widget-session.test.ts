/** Widget sessions over HTTP: made by a backend, ended by the person, renewed by the loader. */
import t from 'tap'
import { widgetSessionKeptMs, widgetSessionMs } from '../../src/limits.js'
import { WidgetService } from '../support/widget-service.js'

const tokenShape = /^ws_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const shop = 'https://shop.example'

t.test('a backend gets a session for its user, good for five minutes', async (t) => {
  const service = await WidgetService.open(t)
  const app = await service.makeApp()
  const user = await service.makePerson([app])
  const answer = await service.createSession(app, user, { parentOrigin: shop })
  t.equal(answer.status, 200)
  const { sessionToken, expiresAt, ...others } = answer.body
  t.same(others, {}, 'and nothing else')
  t.match(sessionToken, tokenShape)
  t.equal(expiresAt, new Date(service.clock.now() + widgetSessionMs).toISOString())
  const found = await service.widgetSessions.find(String(sessionToken))
  t.match(found, { madeBy: 'backend', parentOrigin: shop, serviceUserId: user.serviceUserId })
  const second = await service.createSession(app, user)
  t.not(second.body['sessionToken'], sessionToken, 'each is new')

  t.equal((await service.wallet(String(sessionToken))).status, 200)
  await service.clock.advance(widgetSessionMs)
  const expired = await service.wallet(String(sessionToken))
  t.match(expired, { status: 401, body: { code: 'SESSION_EXPIRED' } })
  t.notOk('requiresAuth' in expired.body, 'the backend makes a new one; the person need not act')
})

t.test('credentials come first, then scope, then fields, then the user', async (t) => {
  const service = await WidgetService.open(t)
  const app = await service.makeApp()
  const writer = await service.makeApp({ scopes: ['wallet:write'] })
  const user = await service.makePerson([app, writer])
  const stranger = { ...user, serviceUserId: 'usr_00000000-0000-4000-8000-000000000000' }
  const bad = { serviceUserId: 5, parentOrigin: 5 }
  for (const [from, fields, status, code] of [
    [{ ...app, clientSecret: 'sk_wrong' }, bad, 401, 'INVALID_CLIENT'],
    [app, { ...bad, clientId: [app.clientId] }, 401, 'INVALID_CLIENT'],
    [app, { ...bad, clientSecret: undefined }, 401, 'INVALID_CLIENT'],
    [writer, bad, 403, 'INSUFFICIENT_SCOPE'],
    [app, bad, 400, 'INVALID_REQUEST'],
    [app, { serviceUserId: undefined }, 400, 'INVALID_REQUEST'],
  ] as const)
    t.match(await service.createSession(from, stranger, fields), { status, body: { code } }, code)
  const badParent = await service.createSession(app, stranger, {
    parentOrigin: 'https://x.example',
  })
  t.match(badParent, { status: 403, body: { code: 'ORIGIN_NOT_ALLOWED' } })
  t.match(await service.createSession(app, stranger), {
    status: 401,
    body: { code: 'USER_NOT_FOUND', requiresAuth: true },
  })
  const other = await service.makeApp()
  const unlinked = await service.createSession(other, user)
  const unknown = await service.createSession(other, stranger)
  t.same([unlinked.status, unlinked.text], [unknown.status, unknown.text], 'not told apart')
})

t.test('credentials in the query or a header make no session', async (t) => {
  const service = await WidgetService.open(t)
  const app = await service.makeApp()
  const { serviceUserId } = await service.makePerson([app])
  const { clientId, clientSecret } = app
  const query = `clientId=${clientId}&clientSecret=${clientSecret}`
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  for (const answer of [
    await service.post(`/api/widget/session?${query}`, { serviceUserId }),
    await service.post('/api/widget/session', { serviceUserId }, { authorization: basic }),
  ])
    t.match(answer, { status: 401, body: { code: 'INVALID_CLIENT' } })
  t.equal((await service.get(`/api/widget/session?${query}`)).status, 405)
})

t.test('a parent that is not listed exactly is refused, whatever it looks like', async (t) => {
  const service = await WidgetService.open(t)
  const parents = [shop, 'http://localhost:4000']
  const app = await service.makeApp({ allowedIframeParents: parents })
  const user = await service.makePerson([app])
  for (const parentOrigin of parents)
    t.equal((await service.createSession(app, user, { parentOrigin })).status, 200, parentOrigin)
  for (const parentOrigin of [
    '',
    '*',
    'null',
    'https://shop.example/',
    'https://shop.example:8443',
    'https://SHOP.example',
    'http://shop.example',
    'https://www.shop.example',
    'https://shop.example.evil.example',
    ' https://shop.example',
    'http://localhost:4001',
  ]) {
    const answer = await service.createSession(app, user, { parentOrigin })
    t.match(answer, { status: 403, body: { code: 'ORIGIN_NOT_ALLOWED' } }, `"${parentOrigin}"`)
  }
  for (const parentOrigin of [null, true, 5, [shop], { origin: shop }]) {
    const answer = await service.createSession(app, user, { parentOrigin })
    t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST', error: /'parentOrigin'/ } })
  }
})

t.test('in production an http parent of earlier days is refused', async (t) => {
  const service = await WidgetService.open(t, { production: true })
  const app = await service.makeApp()
  const user = await service.makePerson([app])
  await service.ledger.pool.query(
    "update identity.client_apps set allowed_iframe_parents = array['http://localhost:4000']",
  )
  const fields = { parentOrigin: 'http://localhost:4000' }
  t.match(await service.createSession(app, user, fields), { status: 403 })
})

t.test('a session that is ended stays ended, and ending it again is no fault', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  const path = `/api/widget/session/end?session=${sessionToken}`
  t.match(await service.post(path), { status: 200, body: {} })
  t.match(await service.wallet(sessionToken), { status: 401, body: { code: 'SESSION_EXPIRED' } })
  t.match(await service.post(path, {}), { status: 200, body: {} })
  for (const query of ['', '?session=', '?session=ws_1', `?session=${sessionToken}&session=x`])
    t.match(await service.post(`/api/widget/session/end${query}`), {
      status: 401,
      body: { code: 'SESSION_EXPIRED' },
    })
})

t.test('a session ends with its app and with its link', async (t) => {
  const service = await WidgetService.open(t)
  const { app, user, sessionToken } = await service.makeSession()
  const status = async () => (await service.wallet(sessionToken)).status
  await service.clientApps.setActive(app.clientId, false)
  t.equal(await status(), 401)
  await service.clientApps.setActive(app.clientId, true)
  t.equal(await status(), 200)
  await service.links.remove(app.clientId, user.serviceUserId)
  t.equal(await status(), 401)
})

t.test('the loader may hand over a newer session of the same person and app', async (t) => {
  const service = await WidgetService.open(t)
  const { app, user, sessionToken: old } = await service.makeSession()
  const renew = (from: string, sessionToken: unknown) =>
    service.post(`/api/widget/session/renew?session=${from}`, { sessionToken })
  const fresh = async () => (await service.createSession(app, user)).body
  const second = await fresh()
  t.match(await renew(old, second['sessionToken']), {
    status: 200,
    body: { expiresAt: second['expiresAt'] },
  })
  t.equal((await service.wallet(old)).status, 200, 'the old one goes on until its own end')

  await service.clock.advance(widgetSessionMs)
  t.match(await renew(old, second['sessionToken']), {
    status: 403,
    body: { code: 'SESSION_MISMATCH' },
  })
  const third = await fresh()
  t.equal((await renew(old, third['sessionToken'])).status, 200, 'also after the old one ended')

  const another = await service.makePerson([app])
  const otherApp = await service.makeApp()
  await service.links.add(otherApp.clientId, user.serviceUserId)
  const wrong = [
    (await service.createSession(app, another)).body['sessionToken'],
    (await service.createSession(otherApp, user)).body['sessionToken'],
    'ws_00000000-0000-4000-8000-000000000000',
    'nonsense',
  ]
  for (const token of wrong)
    t.match(await renew(old, token), { status: 403, body: { code: 'SESSION_MISMATCH' } })
  for (const token of [undefined, null, 5, ['x']])
    t.match(await renew(old, token), { status: 400, body: { error: /'sessionToken'/ } })
  t.match(await renew('ws_unknown', third['sessionToken']), { status: 401 })

  await service.clock.advance(widgetSessionKeptMs)
  const late = await fresh()
  t.match(await renew(old, late['sessionToken']), { status: 401 }, 'after a day it never was')
})

t.test(
  'a login whose link is taken away meanwhile comes to nothing, and is no fault',
  async (t) => {
    const service = await WidgetService.open(t)
    const app = await service.makeApp()
    const login = { email: 'ada@example.com', password: 'correct horse battery' }
    const { serviceUserId } = await service.makePerson([], login)
    const { pool } = service.ledger
    const client = await pool.connect()
    await client.query('begin; lock table identity.widget_sessions in share mode')
    const answered = service.post('/api/widget/auth/login', { clientId: app.clientId, ...login })
    const isWaiting = async (): Promise<boolean> =>
      (await pool.query(waitingForLocks)).rowCount !== 0
    while (!(await isWaiting())) continue
    // The password was right and the link is made; the session is not yet.
    await service.links.remove(app.clientId, serviceUserId)
    await client.query('commit')
    client.release()
    t.match(await answered, { status: 401, body: { code: 'INVALID_LOGIN' } })
  },
)

const waitingForLocks =
  'select from pg_stat_activity ' +
  "where datname = current_database() and wait_event_type = 'Lock'"
