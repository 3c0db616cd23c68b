/**
 * The log of a whole run of the real process at its most talkative level: every route, right and
 * wrong, also while the database breaks away, and then a search through all it wrote.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import t from 'tap'
import { startOwnService, secretShapes } from '../spec/support/own-service.js'
import { ask, routes } from '../spec/support/routes.js'
import { nobody, WalletApi } from '../spec/support/wallet-api.js'
import type { Fields } from '../spec/support/wallet-api.js'
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

  // Now with faults of ours: drivers like to tell which statement, row or packet they choked on.
  const killer = new pg.Client({ connectionString: control.environment['DATABASE_URL'] })
  await killer.connect()
  const kill =
    'select pg_terminate_backend(pid) from pg_stat_activity ' +
    'where datname = current_database() and pid <> pg_backend_pid() ' +
    "and backend_type = 'client backend'"
  const asked = askEverything()
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
  t.match(stdout, /"level":"warn"/, 'the faults are in it too')
  t.same(control.secretsIn(stdout + stderr), [])
  t.notMatch(stdout + stderr, secretShapes)
})
