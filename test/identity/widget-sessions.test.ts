import t from 'tap'
import { sweepBatchRows, widgetSessionKeptMs, widgetSessionMs } from '../../src/limits.js'
import { TestIdentity } from '../support/identity.js'

t.test('a session is found by its token for five minutes', async (t) => {
  const identity = await TestIdentity.open(t)
  const { widgetSessions, clock, pool } = identity
  const ids = await identity.makeLinkedUser()
  const parentOrigin = 'https://shop.example'
  const made = await widgetSessions.create({ ...ids, parentOrigin, madeBy: 'backend' })
  t.match(made.sessionToken, /^ws_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f-]{16}$/)
  const expiresAt = new Date(clock.now() + widgetSessionMs).toISOString()
  t.equal(made.expiresAt, expiresAt)
  const loginId = (await widgetSessions.find(made.sessionToken))?.loginId
  const expected = { ...ids, parentOrigin, madeBy: 'backend', expiresAt, loginId }
  t.strictSame(await widgetSessions.find(made.sessionToken), expected)
  const { rows } = await pool.query('select * from identity.widget_sessions')
  t.notOk(JSON.stringify(rows).includes(made.sessionToken.slice(3)), 'only its hash is at rest')

  await clock.advance(widgetSessionMs - 1)
  t.strictSame(await widgetSessions.find(made.sessionToken), expected)
  await clock.advance(1)
  t.equal(await widgetSessions.find(made.sessionToken), undefined)
})

t.test('an ended or expired session can be explained for a day', async (t) => {
  const identity = await TestIdentity.open(t)
  const { widgetSessions, clock } = identity
  const ids = await identity.makeLinkedUser()
  const { sessionToken } = await widgetSessions.create({ ...ids, madeBy: 'login' })
  const isLive = async () => (await widgetSessions.findEvenEnded(sessionToken))?.isLive
  t.equal(await isLive(), true)
  await widgetSessions.end(sessionToken)
  t.equal(await widgetSessions.find(sessionToken), undefined)
  t.equal(await isLive(), false)
  await widgetSessions.end(sessionToken)
  await clock.advance(widgetSessionMs + widgetSessionKeptMs - 1)
  t.equal(await isLive(), false)
  await clock.advance(1)
  t.equal(await isLive(), undefined)
})

t.test('a token that is none finds nothing and ends nothing', async (t) => {
  const identity = await TestIdentity.open(t)
  const { widgetSessions } = identity
  const ids = await identity.makeLinkedUser()
  const { sessionToken } = await widgetSessions.create({ ...ids, madeBy: 'login' })
  for (const token of ['', 'ws_', 'a\0b', `${sessionToken} `, sessionToken.toUpperCase()]) {
    t.equal(await widgetSessions.find(token), undefined, JSON.stringify(token))
    await widgetSessions.end(token)
  }
  t.ok(await widgetSessions.find(sessionToken))
})

t.test('a session ends with the activity of its app and with its link, at once', async (t) => {
  const identity = await TestIdentity.open(t)
  const { widgetSessions, clientApps, links } = identity
  const ids = await identity.makeLinkedUser()
  const { sessionToken } = await widgetSessions.create({ ...ids, madeBy: 'backend' })
  await clientApps.setActive(ids.clientId, false)
  t.equal(await widgetSessions.find(sessionToken), undefined)
  await clientApps.setActive(ids.clientId, true)
  t.ok(await widgetSessions.find(sessionToken))
  await links.remove(ids.clientId, ids.serviceUserId)
  t.equal(await widgetSessions.find(sessionToken), undefined)
  t.match(await widgetSessions.findEvenEnded(sessionToken), { isLive: false, ...ids })
})

t.test('sweeping removes what nobody can ask for any more, however much it is', async (t) => {
  const identity = await TestIdentity.open(t)
  const { widgetSessions, clock, pool } = identity
  const ids = await identity.makeLinkedUser()
  const count = sweepBatchRows * 2 + 5
  await pool.query(
    'insert into identity.widget_sessions ' +
      '(token_hash, client_id, service_user_id, made_by, expires_at) ' +
      "select sha256(n::text::bytea), $1, $2, 'login', $3 from generate_series(1, $4::int) n",
    [ids.clientId, ids.serviceUserId, new Date(clock.now()), count],
  )
  const { sessionToken } = await widgetSessions.create({ ...ids, madeBy: 'login' })
  await clock.advance(widgetSessionKeptMs - 1)
  t.equal(await widgetSessions.sweep(), 0)
  await clock.advance(1)
  const second = await identity.another(t)
  const removed = await Promise.all([widgetSessions.sweep(), second.widgetSessions.sweep()])
  t.equal(removed[0] + removed[1], count)
  t.match(await widgetSessions.findEvenEnded(sessionToken), { isLive: false })
})

t.test('many sessions are asked about at once, and only live ones are named', async (t) => {
  const identity = await TestIdentity.open(t)
  const { widgetSessions, clientApps, links } = identity
  const make = async () => {
    const ids = await identity.makeLinkedUser()
    const { sessionToken } = await widgetSessions.create({ ...ids, madeBy: 'backend' })
    return { ...ids, sessionToken }
  }
  const [live, ended, unlinked, inactive] = [await make(), await make(), await make(), await make()]
  await widgetSessions.end(ended.sessionToken)
  await links.remove(unlinked.clientId, unlinked.serviceUserId)
  await clientApps.setActive(inactive.clientId, false)
  const tokens = [ended, live, unlinked, inactive].map(({ sessionToken }) => sessionToken)
  const asked = ['ws_unknown', ...tokens]
  t.strictSame([...(await widgetSessions.liveAmong(asked))], [live.sessionToken])
  t.equal(await identity.queriesOf(() => widgetSessions.liveAmong(asked)), 1)
  t.equal((await widgetSessions.liveAmong([])).size, 0)
  await identity.clock.advance(widgetSessionMs)
  t.equal((await widgetSessions.liveAmong(asked)).size, 0)
})
