/**
 * The log of a whole run of the real process at its most talkative level: every route, right and
 * wrong, also while the database breaks away, and then a search through all it wrote.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import t from 'tap'
import { startOwnService, secretShapes } from '../spec/support/own-service.js'
import type { OwnService } from '../spec/support/own-service.js'
import { ask, routes } from '../spec/support/routes.js'
import { body, nobody, WalletApi } from '../spec/support/wallet-api.js'
import type { Account, Fields } from '../spec/support/wallet-api.js'
import { startCommand } from '../support/command-line.js'

t.test('a whole run leaves no secret, token, password or user id in the log', async (t) => {
  const on = await startOwnService(t, 'PostgreSQL')
  const { control } = on
  const served = startCommand(t, ['serve', '--json'], control.environment)
  const [, origin = ''] = await served.says(/"origin":"([^"]+)"/)
  const api = new WalletApi(origin)
  const account = (await on.account(10)).at(api)

  // Texts of a client's own that it did not mean to show to an operator either.
  const wrongSecret = `sk_${randomUUID()}`
  const description = `For ${randomUUID()}`
  const header = `Bearer ${randomUUID()}`
  control.mustStaySecret(wrongSecret, description, header)
  const askEverything = async (): Promise<void> => {
    for (const route of routes) {
      const wrongs: Fields[] = [{ description }, { clientSecret: wrongSecret }]
      wrongs.push({ serviceUserId: nobody }, { serviceUserId: `${account.serviceUserId}0` })
      wrongs.push({ amount: wrongSecret, requiredAmount: wrongSecret, cursor: wrongSecret })
      wrongs.push({ referenceType: wrongSecret.repeat(3), linkProof: wrongSecret })
      for (const fields of [{}, ...wrongs]) await ask(route, account, fields)
    }
  }
  await askEverything()
  const secret = `clientSecret=${on.first.clientSecret}&serviceUserId=${account.serviceUserId}`
  for (const path of [
    `/api/server/nothing?${secret}`,
    `/%zz?${secret}`,
    `/api/server/wallet/debit?${secret}`,
  ])
    await api.send('GET', path, { headers: { authorization: header, cookie: header } })
  await api.postRaw('/api/server/wallet/debit', `{"clientSecret":"${on.first.clientSecret}",`)
  await api.postRaw('/api/server/wallet/debit', secret, { 'content-type': 'text/plain' })

  const person = { email: `${randomUUID()}@example.com`, password: `pass phrase ${randomUUID()}` }
  control.mustStaySecret(person.email, person.password)
  const { clientId } = on.first
  const names = { firstName: 'Ada', lastName: 'Byron' }
  for (const [path, fields] of [
    ['signup', { ...person, ...names }],
    ['signup', { ...person, ...names }],
    ['login', person],
    ['login', { ...person, password: wrongSecret }],
    ['login', { email: wrongSecret, password: person.password }],
  ] as const) {
    const answer = await api.post(`/api/widget/auth/${path}`, { clientId, ...fields })
    const { serviceUserId, sessionToken, linkProof } = answer.body
    for (const text of [serviceUserId, sessionToken, linkProof])
      if (typeof text === 'string') control.mustStaySecret(text)
    if (typeof linkProof === 'string')
      await api.post('/api/server/links/verify', { ...on.first, linkProof })
  }

  await askWidget(on, api, { account, person })
  await askAdmin(on, api, person)

  // Now with faults of ours: drivers like to tell which statement, row or packet they choked on.
  const killer = new pg.Client({ connectionString: control.environment['DATABASE_URL'] })
  await killer.connect()
  const kill =
    'select pg_terminate_backend(pid) from pg_stat_activity ' +
    'where datname = current_database() and pid <> pg_backend_pid() ' +
    "and backend_type = 'client backend'"
  const asked = Promise.all([askEverything(), askWidget(on, api, { account, person })])
  // Told where it is awaited.
  asked.catch(() => undefined)
  for (let round = 0; round < 5; round += 1) {
    await killer.query(kill)
    await api.get('/health/ready')
  }
  await asked
  await killer.end()

  served.child.kill('SIGTERM')
  const { stdout, stderr, code } = await served.ended()
  t.equal(code, 0, stderr)
  const lines = stdout.split('\n').filter((line) => line.includes('"msg":"request"'))
  t.ok(lines.length > 100, `${lines.length} requests are in the log`)
  t.ok(
    lines.every((line) => !line.includes('?')),
    'by their routes, without a query',
  )
  for (const route of ['/api/widget/wallet/events', '/widget/wallet', '/api/admin/client-apps'])
    t.ok(
      lines.some((line) => line.includes(`"route":"${route}"`)),
      route,
    )
  t.match(stdout, /"level":"warn"/, 'the faults are in it too')
  t.same(control.secretsIn(stdout + stderr), [])
  t.notMatch(stdout + stderr, secretShapes)
})

interface Person {
  readonly email: string
  readonly password: string
}

/** Every route of the widget, right and wrong, with whatever is secret in query and body. */
async function askWidget(
  { control, first, parentOrigin }: OwnService,
  api: WalletApi,
  { account, person }: { account: Account; person: Person },
): Promise<void> {
  const { serviceUserId } = account
  const made = await api.post('/api/widget/session', { ...first, serviceUserId, parentOrigin })
  const { sessionToken } = made.body
  const session = typeof sessionToken === 'string' ? sessionToken : `ws_${randomUUID()}`
  control.mustStaySecret(session)
  const paymentSecret = `pi_${randomUUID()}_secret_${randomUUID()}`
  control.mustStaySecret(paymentSecret)
  for (const fields of [
    { ...first, serviceUserId: nobody },
    { ...first, clientSecret: session, serviceUserId },
    { ...first, serviceUserId, parentOrigin: `https://${session}.example` },
  ])
    await api.post('/api/widget/session', fields)
  const token = `rst_${randomUUID()}`
  control.mustStaySecret(token)
  const referer = `https://shop.example/?session=${session}`
  const origin = parentOrigin ?? ''
  for (const query of [`session=${session}`, `session=${session}x`, `serviceUserId=${nobody}`]) {
    for (const path of ['/api/widget/wallet', '/widget/wallet', '/widget/topup', '/widget/doctor'])
      await api.send('GET', `${path}?${query}`, { headers: { origin, referer } })
    await api.send('GET', `/api/widget/doctor?clientId=${first.clientId}&${query}`)
    await api.send('OPTIONS', `/api/widget/wallet?${query}`, { headers: { origin } })
    await api.post(`/api/widget/session/renew?${query}`, { sessionToken: session })
    await api.post(`/api/widget/topup/create-intent?${query}`, { amount: 5 })
    await api.post(`/api/widget/topup/create-intent?${query}`, { amount: paymentSecret })
    await api.post(`/api/widget/topup/confirm?${query}`, { paymentIntentId: paymentSecret })
  }
  const leaving = new AbortController()
  const events = `${api.baseUrl}/api/widget/wallet/events?session=${session}`
  await fetch(events, { signal: leaving.signal }).catch(() => undefined)
  leaving.abort()
  await api.post('/api/sandbox/pay', { paymentIntentId: 'pi_1', paymentSecret })
  await api.postRaw('/api/webhooks/stripe', JSON.stringify({ paymentSecret }))
  await api.post('/api/widget/auth/forgot-password', { email: person.email })
  await api.post('/api/widget/auth/reset-password', { token, password: person.password })
  await api.post(`/api/widget/session/end?session=${session}`, {})
}

/** The admin area: a login, right and wrong, a look at everything, and acts that show secrets. */
async function askAdmin({ control }: OwnService, api: WalletApi, person: Person): Promise<void> {
  const admin = { email: `${randomUUID()}@example.com`, password: `a pass phrase ${randomUUID()}` }
  control.mustStaySecret(admin.email, admin.password)
  await control.createAdmin(admin)
  await api.post('/api/admin/login', { ...admin, password: `wrong ${admin.password}` })
  const login = await api.post('/api/admin/login', admin)
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  const csrfToken = String(login.body['csrfToken'])
  control.mustStaySecret(cookie.slice(cookie.indexOf('=') + 1), csrfToken)
  const look = { headers: { cookie } }
  for (const path of ['me', 'overview', 'client-apps', 'log', `wallets?q=${admin.email}`])
    await api.send('GET', `/api/admin/${path}`, look)
  const change = async (path: string, fields: Fields = {}) =>
    body(
      await api.postRaw(`/api/admin/${path}`, JSON.stringify(fields), {
        cookie,
        origin: api.baseUrl,
        'x-csrf-token': csrfToken,
      }),
    )
  const lists = { allowedOrigins: [], allowedIframeParents: [], scopes: ['wallet:read'] }
  const made = await change('client-apps', { name: 'Logged', ...lists })
  const { clientId } = made['clientApp'] as { clientId: string }
  const rotated = await change(`client-apps/${clientId}/rotate`)
  control.mustStaySecret(String(made['clientSecret']), String(rotated['clientSecret']))
  const user = await control.users.findByEmail(person.email)
  const { resetUrl } = await change(`users/${user?.serviceUserId ?? ''}/reset-password`)
  const [, token = ''] = String(resetUrl).split('#')
  control.mustStaySecret(token)
  // By the link of the admin: first a password that is refused, then the same one as before.
  for (const password of ['short', person.password])
    await api.post('/api/widget/auth/reset-password', { token, password })
  await change('logout')
}
