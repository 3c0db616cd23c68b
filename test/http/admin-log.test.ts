/** The log of admin actions: every change is in it, once, whatever fails around it. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { streamOf } from '../../src/domain/ids.js'
import { AdminArea, password } from '../support/admin-area.js'

interface LogEntry {
  readonly action: string
  readonly subject: string
  readonly outcome: string
  readonly details: Record<string, unknown>
}

const shop = { name: 'Shop', allowedOrigins: [], allowedIframeParents: [], scopes: ['wallet:read'] }

t.test('every route that changes something leaves exactly one entry', async (t) => {
  const area = await AdminArea.open(t)
  const { admins, adminLog, clientApps, users } = area.parts
  await admins.create({ email: 'ada@example.com', password, role: 'admin' })
  const browser = area.browser()
  const made = await clientApps.create({ ...shop, scopes: ['wallet:read'] })
  const { clientId, secrets } = made.clientApp
  const { walletId, serviceUserId } = await users.create({ email: 'person@example.com' })
  const app = `/client-apps/${clientId}`
  const wallet = `/wallets/${walletId}`
  const bonus = { bonusId: randomUUID(), amount: 1 }
  const reason = { reason: 'because' }
  const revoke = `${app}/secrets/${secrets[0]?.secretId ?? ''}/revoke`
  const reset = `/users/${serviceUserId}/reset-password`
  const calls: [route: string, action: string, call: () => Promise<{ status: number }>][] = [
    ['POST login', 'session.begin', () => browser.login('ada@example.com')],
    ['POST client-apps', 'client-app.create', () => browser.post('/client-apps', shop)],
    [
      'PATCH client-apps/:clientId',
      'client-app.update',
      () => browser.send('PATCH', app, { name: 'A' }),
    ],
    ['POST client-apps/:clientId/rotate', 'client-app.rotate', () => browser.post(`${app}/rotate`)],
    [
      'POST client-apps/:clientId/secrets/:secretId/revoke',
      'client-app.revoke',
      () => browser.post(revoke),
    ],
    [
      'POST client-apps/:clientId/deactivate',
      'client-app.deactivate',
      () => browser.post(`${app}/deactivate`),
    ],
    [
      'POST client-apps/:clientId/activate',
      'client-app.activate',
      () => browser.post(`${app}/activate`),
    ],
    [
      'POST wallets/:walletId/deactivate',
      'wallet.deactivate',
      () => browser.post(`${wallet}/deactivate`, reason),
    ],
    [
      'POST wallets/:walletId/reactivate',
      'wallet.reactivate',
      () => browser.post(`${wallet}/reactivate`, reason),
    ],
    ['POST wallets/:walletId/bonus', 'wallet.bonus', () => browser.post(`${wallet}/bonus`, bonus)],
    ['POST users/:serviceUserId/reset-password', 'user.reset-password', () => browser.post(reset)],
    [
      'POST lost-events/seen',
      'lost-events.seen',
      () => browser.post('/lost-events/seen', { through: 1 }),
    ],
    ['POST logout', 'session.end', () => browser.post('/logout')],
  ]
  const changes = area.routes
    .filter(({ method }) => !['GET', 'HEAD'].includes(method))
    .map(({ method, url }) => `${method} ${url.replace('/api/admin/', '')}`)
    // The acts on webhooks need an endpoint: admin-webhooks.test.ts has them.
    .filter((route) => !/\bwebhooks\b/.test(route))
  t.same(calls.map(([route]) => route).sort(), [...changes].sort(), 'no route is forgotten here')
  for (const [index, [route, action, call]] of calls.entries()) {
    t.equal((await call()).status, 200, route)
    const acts = await adminLog.list({ limit: 50 })
    t.equal(acts.length, index + 1, `${route} leaves one entry`)
    t.match(acts[0], { action, outcome: 'done', adminEmail: 'ada@example.com' })
  }
})

t.test('the log is read in pages, by auditors too', async (t) => {
  const area = await AdminArea.open(t)
  const auditor = await area.enter('auditor')
  for (let index = 0; index < 4; index += 1)
    await area.parts.adminLog.append({
      adminId: null,
      action: 'admin.create',
      subject: `adm_${index}`,
      details: {},
    })
  const subjects: string[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const query = cursor === undefined ? '' : `&cursor=${cursor}`
    const { status, body } = await auditor.get(`/log?limit=2${query}`)
    t.equal(status, 200)
    const entries = body['entries'] as LogEntry[]
    subjects.push(...entries.map(({ subject }) => subject))
    cursor = body['nextCursor'] as string | undefined
    pages += 1
  } while (cursor !== undefined)
  t.same(subjects.slice(0, 4), ['adm_3', 'adm_2', 'adm_1', 'adm_0'])
  t.same([subjects.length, pages], [5, 3], 'and the login')
  t.same(Object.keys(((await auditor.get('/log')).body['entries'] as LogEntry[])[0] ?? {}).sort(), [
    'action',
    'adminEmail',
    'adminId',
    'at',
    'details',
    'outcome',
    'subject',
  ])
  for (const query of ['limit=0', 'limit=501', 'cursor=x', 'cursor=1.5'])
    t.equal((await auditor.get(`/log?${query}`)).status, 400, query)
})

t.test('when an act cannot be logged, it is not done', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter()
  const { pool, store } = area.ledger
  const { walletId } = await area.parts.users.create({ email: 'person@example.com' })
  await pool.query(
    "alter table identity.admin_log add constraint broken check (action = 'x') not valid",
  )
  const bonus = { bonusId: randomUUID(), amount: 1 }
  t.equal((await browser.post(`/wallets/${walletId}/bonus`, bonus)).status, 500)
  t.equal((await browser.post('/client-apps', shop)).status, 500)
  t.equal((await area.browser().login('admin@example.com')).status, 500)
  t.equal(await store.lastEvent(), undefined)
  t.same(await area.parts.clientApps.list(), [])
  t.equal((await browser.post('/logout')).status, 500)
  t.equal((await browser.get('/me')).status, 200)
})

t.test('an act whose outcome cannot be logged is answered and stands as unknown', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter()
  const { walletId } = await area.parts.users.create({ email: 'person@example.com' })
  await area.ledger.pool.query(
    'alter table identity.admin_log add constraint broken check (order_id is null) not valid',
  )
  const bonus = { bonusId: randomUUID(), amount: 1 }
  const answer = await browser.post(`/wallets/${walletId}/bonus`, bonus)
  t.match(answer, { status: 200, body: { balance: 1, replayed: false } })
  const { body } = await browser.get('/log?limit=1')
  t.match(body['entries'], [
    { action: 'wallet.bonus', subject: walletId, outcome: 'unknown', details: bonus },
  ])
  await area.captured.line(({ msg }) => msg === 'the outcome of an admin act is not logged')
})

t.test('an act that failed half way stands as unknown, for it may have happened', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter()
  const { walletId } = await area.parts.users.create({ email: 'person@example.com' })
  await area.parts.writer.close()
  const bonus = { bonusId: randomUUID(), amount: 1 }
  const answer = await browser.post(`/wallets/${walletId}/bonus`, bonus)
  t.match(answer, { status: 503, body: { code: 'UNAVAILABLE' } })
  t.ok(answer.headers.get('retry-after'))
  const { body } = await browser.get('/log?limit=1')
  t.match(body['entries'], [{ action: 'wallet.bonus', outcome: 'unknown' }])
  const options = { fromRevision: 0, maxCount: 1 }
  for await (const _ of area.ledger.store.readStream(streamOf(walletId), options))
    t.fail('nothing is written')
})

t.test('refused logins are read beside the log, a page at a time, by any admin', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter('auditor')
  t.same((await browser.get('/refused-logins')).body, { logins: [] })
  const login = { area: 'admin', email: 'auditor@example.com' } as const
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2'])
    await area.parts.refusedLogins.record({ ...login, address })
  const { logins, nextCursor } = (await browser.get('/refused-logins?limit=1')).body
  t.match(logins, [
    {
      area: 'admin',
      account: /^adm_/,
      adminEmail: 'auditor@example.com',
      address: '192.0.2.2',
      tries: 2,
      hour: '2026-03-15T12:00:00.000Z',
      lastAt: '2026-03-15T12:00:00.000Z',
    },
  ])
  const rest = await browser.get(`/refused-logins?limit=1&cursor=${String(nextCursor)}`)
  t.match(rest.body, { logins: [{ address: '192.0.2.1', tries: 1 }], nextCursor: undefined })
  t.equal((await area.browser().get('/refused-logins')).status, 401)
})
