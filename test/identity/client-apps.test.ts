import t from 'tap'
import { createHash, randomUUID } from 'node:crypto'
import { brandOf } from '../../src/identity/client-apps.js'
import { InvalidFieldError } from '../../src/identity/invalid-field-error.js'
import { anApp, TestIdentity } from '../support/identity.js'

t.test('a new app authenticates with the secret that was shown once', async (t) => {
  const { clientApps, pool, clock } = await TestIdentity.open(t)
  const { clientApp, clientSecret } = await clientApps.create(anApp)
  t.match(clientApp.clientId, /^app_[0-9a-f-]{36}$/)
  t.match(clientSecret, /^sk_[\w-]{43}$/)
  t.match(clientApp, { ...anApp, isActive: true, createdAt: new Date(clock.now()).toISOString() })
  t.match(clientApp.secrets, [{ createdAt: clientApp.createdAt, lastUsedAt: null }])
  const { secrets: _secrets, ...seen } = clientApp
  t.strictSame(await clientApps.authenticate(clientApp.clientId, clientSecret), seen)

  const { rows } = await pool.query<{ secret_hash: Buffer }>(
    'select * from identity.client_secrets',
  )
  const digest = createHash('sha256').update(clientSecret).digest()
  t.strictSame(
    rows.map((row) => row.secret_hash),
    [digest],
    'only the hash is at rest',
  )
})

t.test('bad credentials of every kind are nobody', async (t) => {
  const { clientApps, makeApp } = bound(await TestIdentity.open(t))
  const { clientId, clientSecret } = await makeApp()
  const other = await makeApp()
  for (const [id, secret] of [
    [clientId, ''],
    [clientId, clientSecret.toUpperCase()],
    [clientId, `${clientSecret}=`],
    [clientId, other.clientSecret],
    [clientId, 'a\0b'],
    [`app_${randomUUID()}`, clientSecret],
    [clientId.toUpperCase(), clientSecret],
    ['', clientSecret],
    ['app_\0', clientSecret],
    ["' or 1=1 --", clientSecret],
    ['a'.repeat(60_000), clientSecret],
  ] as const)
    t.equal(await clientApps.authenticate(id, secret), undefined, JSON.stringify(id.slice(0, 50)))
})

t.test('an unknown app costs the same look-ups as a wrong secret', async (t) => {
  const identity = await TestIdentity.open(t)
  const { clientId, clientSecret } = await identity.makeApp()
  const wrong = () => identity.clientApps.authenticate(clientId, `${clientSecret}x`)
  const unknown = () => identity.clientApps.authenticate(`app_${randomUUID()}`, clientSecret)
  t.equal(await identity.queriesOf(unknown), 2, 'an idle cache first asks what has changed')
  t.equal(await identity.queriesOf(wrong), 1)
  t.equal(await identity.queriesOf(unknown), 1)
  t.equal(await identity.queriesOf(wrong), 1, 'a wrong secret is never remembered')
  t.equal(await identity.queriesOf(unknown), 1, 'nor is an unknown app')
})

t.test('known credentials cost no query, and misses of one moment share one', async (t) => {
  const identity = await TestIdentity.open(t)
  const { clientId, clientSecret } = await identity.makeApp()
  const authenticate = async () => identity.clientApps.authenticate(clientId, clientSecret)
  await authenticate()
  await identity.clientApps.settled()
  const hundred = () => Promise.all(Array.from({ length: 100 }, authenticate))
  t.equal(await identity.queriesOf(hundred), 0)
  identity.changes.flush()
  t.equal(await identity.queriesOf(hundred), 1)
})

t.test('while nobody listens for changes, every call asks the database', async (t) => {
  const identity = await TestIdentity.open(t)
  const { clientId, clientSecret } = await identity.makeApp()
  const authenticate = async () => identity.clientApps.authenticate(clientId, clientSecret)
  await authenticate()
  await identity.clientApps.settled()
  await identity.changes.close()
  t.equal(await identity.queriesOf(authenticate), 1)
  t.equal(await identity.queriesOf(authenticate), 1)
})

t.test('during a rotation both secrets work, and a third is refused', async (t) => {
  const { clientApps, makeApp } = bound(await TestIdentity.open(t))
  const { clientId, clientSecret } = await makeApp()
  await clientApps.authenticate(clientId, clientSecret)
  const rotated = await clientApps.rotate(clientId)
  t.equal(rotated?.clientApp.secrets.length, 2)
  for (const secret of [clientSecret, rotated?.clientSecret ?? ''])
    t.equal((await clientApps.authenticate(clientId, secret))?.clientId, clientId)
  await t.rejects(clientApps.rotate(clientId), { name: 'InvalidFieldError', field: 'secrets' })
  t.equal((await clientApps.find(clientId))?.secrets.length, 2)
  t.equal(await clientApps.rotate(`app_${randomUUID()}`), undefined)
  t.equal(await clientApps.rotate('app_\0'), undefined)
})

t.test('two rotations at the same moment add one secret', async (t) => {
  const identity = await TestIdentity.open(t)
  const second = await identity.another(t)
  const { clientId } = await identity.makeApp()
  const lock = 'lock table identity.client_secrets in share mode'
  const results = await identity.race({ lock, waiters: 2 }, () =>
    [identity, second].map(({ clientApps }) => clientApps.rotate(clientId)),
  )
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const result of results)
    if (result.status === 'rejected') t.type(result.reason, InvalidFieldError)
  t.equal((await identity.clientApps.find(clientId))?.secrets.length, 2)
})

t.test('a secret of a rotation works at once where the app is remembered', async (t) => {
  const identity = await TestIdentity.open(t)
  const second = await identity.another(t)
  const { clientId, clientSecret } = await identity.makeApp()
  await second.clientApps.authenticate(clientId, clientSecret)
  const rotated = await identity.clientApps.rotate(clientId)
  const found = await second.clientApps.authenticate(clientId, rotated?.clientSecret ?? '')
  t.equal(found?.clientId, clientId)
})

t.test('the last use of each secret is shown, to the minute', async (t) => {
  const identity = await TestIdentity.open(t)
  const { clientApps, clock } = identity
  const { clientId, clientSecret } = await identity.makeApp()
  await clock.advance(1)
  await clientApps.rotate(clientId)
  const first = clock.now()
  await clientApps.authenticate(clientId, clientSecret)
  const uses = async (): Promise<(string | null)[]> =>
    (await clientApps.find(clientId))?.secrets.map((secret) => secret.lastUsedAt) ?? []
  await clientApps.settled()
  t.strictSame(await uses(), [new Date(first).toISOString(), null], 'which one is in use')

  await clock.advance(59_999)
  await clientApps.authenticate(clientId, clientSecret)
  const again = () => clientApps.authenticate(clientId, clientSecret)
  t.equal(await identity.queriesOf(again), 0, 'within the minute nothing is written')
  await clock.advance(1)
  await clientApps.authenticate(clientId, clientSecret)
  await clientApps.settled()
  t.strictSame(await uses(), [new Date(first + 60_000).toISOString(), null])
})

t.test('a last use that cannot be written harms nobody and is logged', async (t) => {
  const identity = await TestIdentity.open(t)
  const { clientId, clientSecret } = await identity.makeApp()
  await identity.pool.query(
    'create function identity.refuse() returns trigger language plpgsql as ' +
      "$$ begin raise exception 'refused'; end $$",
  )
  await identity.pool.query(
    'create trigger refuse before update on identity.client_secrets ' +
      'for each row execute function identity.refuse()',
  )
  const found = await identity.clientApps.authenticate(clientId, clientSecret)
  t.equal(found?.clientId, clientId)
  await identity.clientApps.settled()
  t.match(identity.lines.join(''), /last use was not written/)
  t.notOk(identity.lines.join('').includes(clientSecret))
})

t.test('apps are listed oldest first and changed field by field', async (t) => {
  const { clientApps, makeApp, clock } = bound(await TestIdentity.open(t))
  const first = await makeApp({ name: 'First' })
  await clock.advance(1)
  const second = await makeApp({ name: 'Second' })
  t.strictSame(
    (await clientApps.list()).map(({ clientId }) => clientId),
    [first.clientId, second.clientId],
  )
  const renamed = await clientApps.update(first.clientId, { name: 'Renamed' })
  t.strictSame(renamed, { ...first.clientApp, name: 'Renamed' })
  const allowedOrigins = ['https://other.example', 'http://localhost:5173']
  const changes = { allowedOrigins, allowedIframeParents: [], scopes: ['wallet:read'] } as const
  t.strictSame(await clientApps.update(first.clientId, changes), { ...renamed, ...changes })
  t.strictSame(await clientApps.find(first.clientId), { ...renamed, ...changes })
  t.strictSame(await clientApps.find(second.clientId), second.clientApp)
  t.equal(await clientApps.update(`app_${randomUUID()}`, { name: 'Nobody' }), undefined)
  for (const id of ['app_1', 'app_\0', '']) t.equal(await clientApps.find(id), undefined)
})

t.test('a brand and a colour are given, changed, left alone and taken away', async (t) => {
  const { clientApps, makeApp } = bound(await TestIdentity.open(t))
  const plain = await makeApp()
  t.match(plain.clientApp, { brandName: null, accentColor: null })
  t.equal(brandOf(plain.clientApp), anApp.name)
  const brand = { brandName: 'The Shop', accentColor: '#1A7f5a' }
  const { clientId, clientApp } = await makeApp(brand)
  t.match(clientApp, brand)
  t.equal(brandOf(clientApp), 'The Shop')
  t.match(await clientApps.update(clientId, { name: 'Renamed' }), brand)
  const changed = await clientApps.update(clientId, { brandName: 'Ours' })
  t.match(changed, { ...brand, brandName: 'Ours' })
  const without = await clientApps.update(clientId, { brandName: null, accentColor: null })
  t.match(without, { name: 'Renamed', brandName: null, accentColor: null })
})

t.test('an app is found by a parent that no other active app lists', async (t) => {
  const { clientApps, makeApp } = bound(await TestIdentity.open(t))
  const parent = 'https://only.example'
  const { clientId } = await makeApp({ allowedIframeParents: [parent, 'https://more.example'] })
  t.equal((await clientApps.findByIframeParent(parent))?.clientId, clientId)
  for (const origin of ['https://other.example', 'null', '', 'https://only.example/'])
    t.equal(await clientApps.findByIframeParent(origin), undefined, origin)
  const second = await makeApp({ allowedIframeParents: [parent] })
  t.equal(await clientApps.findByIframeParent(parent), undefined, 'two of them: nobody knows')
  await clientApps.setActive(clientId, false)
  t.equal((await clientApps.findByIframeParent(parent))?.clientId, second.clientId)
})

t.test('what breaks a rule is refused when it is made and when it is changed', async (t) => {
  const { clientApps, makeApp } = bound(await TestIdentity.open(t, { production: true }))
  const { clientId, clientApp } = await makeApp()
  const local = { allowedOrigins: ['https://shop.example', 'http://localhost'] }
  const fault = { name: 'InvalidFieldError', field: 'allowedOrigins[1]' }
  await t.rejects(clientApps.create({ ...anApp, ...local }), fault)
  await t.rejects(clientApps.update(clientId, local), fault)
  t.strictSame(await clientApps.list(), [clientApp])
})

t.test('an app whose last secret is revoked lets nobody in until the next rotation', async (t) => {
  const { clientApps, makeApp } = bound(await TestIdentity.open(t))
  const { clientId, clientSecret, clientApp } = await makeApp()
  const secretId = clientApp.secrets[0]?.secretId ?? ''
  t.equal(await clientApps.revoke(clientId, randomUUID()), undefined)
  t.equal(await clientApps.revoke(clientId, 'not an id'), undefined)
  t.equal(await clientApps.revoke((await makeApp()).clientId, secretId), undefined, 'not its own')
  t.equal((await clientApps.authenticate(clientId, clientSecret))?.clientId, clientId)
  t.strictSame((await clientApps.revoke(clientId, secretId))?.secrets, [])
  t.equal(await clientApps.authenticate(clientId, clientSecret), undefined)
  t.equal(await clientApps.revoke(clientId, secretId), undefined, 'it is gone already')
  const rotated = await clientApps.rotate(clientId)
  const found = await clientApps.authenticate(clientId, rotated?.clientSecret ?? '')
  t.equal(found?.clientId, clientId)
})

t.test('an inactive app is nobody until it is activated again', async (t) => {
  const { clientApps, makeApp } = bound(await TestIdentity.open(t))
  const { clientId, clientSecret } = await makeApp()
  await clientApps.authenticate(clientId, clientSecret)
  t.equal((await clientApps.setActive(clientId, false))?.isActive, false)
  t.equal(await clientApps.authenticate(clientId, clientSecret), undefined)
  t.equal((await clientApps.setActive(clientId, true))?.isActive, true)
  t.equal((await clientApps.authenticate(clientId, clientSecret))?.isActive, true)
  t.equal(await clientApps.setActive(`app_${randomUUID()}`, true), undefined)
})

t.test('another process hears of a revoked secret, a deactivation and a lost scope', async (t) => {
  const identity = await TestIdentity.open(t)
  const second = await identity.another(t)
  const { clientId, clientSecret, clientApp } = await identity.makeApp()
  const seen = () => second.clientApps.authenticate(clientId, clientSecret)
  const { clientApps } = identity
  for (const [change, expected] of [
    [() => clientApps.update(clientId, { scopes: ['wallet:read'] }), ['wallet:read']],
    [() => clientApps.setActive(clientId, false), undefined],
    [() => clientApps.setActive(clientId, true), ['wallet:read']],
    [() => clientApps.revoke(clientId, clientApp.secrets[0]?.secretId ?? ''), undefined],
  ] as const) {
    await seen()
    const heard = second.nextChange()
    await change()
    await heard
    t.strictSame((await seen())?.scopes, expected)
  }
})

t.test('a revoked secret is refused within two seconds even if nobody is told', async (t) => {
  const identity = await TestIdentity.open(t)
  const { clientId, clientSecret } = await identity.makeApp()
  const seen = () => identity.clientApps.authenticate(clientId, clientSecret)
  t.ok(await seen())
  // Without a NOTIFY: as if it had been lost.
  await identity.pool.query('delete from identity.client_secrets')
  t.ok(await seen(), 'remembered')
  await identity.clock.advance(2_000)
  t.equal(await seen(), undefined)
})

/** The harness's methods by name. */
function bound(identity: TestIdentity) {
  const { clientApps, clock, pool } = identity
  return { clientApps, clock, pool, makeApp: identity.makeApp.bind(identity) }
}
