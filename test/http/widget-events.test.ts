/** The stream that tells an open page of changes: when it speaks, and how it ends. */
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import {
  requestDrainMs,
  walletStreamCheckMs,
  walletStreamHeartbeatMs,
  walletStreamsPerWalletMax,
  walletWatchPollMs,
  widgetSessionMs,
} from '../../src/limits.js'
import { EventStream } from '../support/event-stream.js'
import { settle } from '../support/fake-clock.js'
import { TestDatabaseLedger } from '../support/ledger.js'
import { credit } from '../support/given.js'
import { WidgetService } from '../support/widget-service.js'

function listen(t: Test, service: WidgetService, sessionToken: string): Promise<EventStream> {
  return EventStream.open(t, `${service.origin}/api/widget/wallet/events?session=${sessionToken}`)
}

/**
 * Moves the time on, in steps as long as a round of the poller, until it is so. Each step takes as
 * long as a statement, so that the database keeps pace with this clock.
 */
async function untilDone<T>(service: WidgetService, work: Promise<T>): Promise<T> {
  const state = { isDone: false }
  const done = work.finally(() => (state.isDone = true))
  while (!state.isDone) {
    await service.clock.advance(walletWatchPollMs)
    await service.ledger.pool.query('select 1')
  }
  return done
}

t.test('the revision comes at once, and again whenever any process writes', async (t) => {
  const service = await WidgetService.open(t)
  const { app, user, sessionToken } = await service.makeSession()
  await service.book('credit', app, user)
  const stream = await listen(t, service, sessionToken)
  t.equal(stream.status, 200)
  t.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  t.equal(stream.headers.get('cache-control'), 'no-store')
  t.match(await stream.next(), { retry: 2_000 })
  t.same(await stream.next(), { event: 'wallet', data: { revision: 1 } }, 'before it is projected')

  const other = await TestDatabaseLedger.join(t, service.ledger.url)
  await other.send(user.walletId, credit(500, 'OTHER-1', { of: user.walletId }))
  await service.ledger.project()
  const grown = await untilDone(service, stream.event())
  t.same(grown, { event: 'wallet', data: { revision: 2 } })
})

t.test('nothing is said while nothing changes, but a comment every fifteen seconds', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  const stream = await listen(t, service, sessionToken)
  t.same(await stream.event(), { event: 'wallet', data: { revision: -1 } })
  const next = stream.next()
  await service.clock.advance(walletStreamHeartbeatMs)
  t.same(await next, { isComment: true })
  const second = stream.next()
  await service.clock.advance(walletStreamHeartbeatMs)
  t.same(await second, { isComment: true })
})

t.test('at the expiry of its session a stream says so and ends', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  const stream = await listen(t, service, sessionToken)
  await stream.event()
  const last = stream.event()
  await service.clock.advance(widgetSessionMs - 1)
  let isOver = false
  void last.then(() => (isOver = true))
  await settle()
  t.notOk(isOver, 'not a moment before')
  await service.clock.advance(1)
  t.same(await last, { event: 'expired', data: {} })
  t.equal(await stream.next(), undefined)
})

for (const [what, change] of [
  ['ended by the person', (service, { token }) => service.widgetSessions.end(token)],
  ['left without its link', (service, { id, user }) => service.links.remove(id, user)],
  ['of an app that is switched off', (service, { id }) => service.clientApps.setActive(id, false)],
  ['of a person who is erased', (service, { user }) => service.users.erase(user)],
] as [
  string,
  (service: WidgetService, of: { token: string; id: string; user: string }) => Promise<unknown>,
][])
  t.test(`the stream of a session ${what} ends within seconds`, async (t) => {
    const service = await WidgetService.open(t)
    const { app, user, sessionToken } = await service.makeSession()
    const other = await service.makeSession()
    const stream = await listen(t, service, sessionToken)
    const untouched = await listen(t, service, other.sessionToken)
    await stream.event()
    await untouched.event()
    await change(service, { token: sessionToken, id: app.clientId, user: user.serviceUserId })
    const told = stream.event()
    await service.clock.advance(walletStreamCheckMs)
    t.same(await told, { event: 'expired', data: {} })
    t.equal(await stream.next(), undefined)
    await service.book('credit', other.app, other.user)
    await service.ledger.project()
    t.match(await untilDone(service, untouched.event()), { event: 'wallet' }, 'others go on')
  })

t.test('beyond the bound of the process a page is told to do without', async (t) => {
  const service = await WidgetService.open(t, { walletStreamsMax: 2 })
  const { sessionToken } = await service.makeSession()
  const [first] = [await listen(t, service, sessionToken), await listen(t, service, sessionToken)]
  const path = `/api/widget/wallet/events?session=${sessionToken}`
  const refused = await service.get(path)
  t.match(refused, { status: 503, body: { code: 'UNAVAILABLE', error: /wallet itself/ } })
  t.ok(refused.headers.get('retry-after'))
  first.leave()
  await service.captured.line(({ route, status }) => isEvents(route) && status === 200)
  const next = await listen(t, service, sessionToken)
  t.equal(next.status, 200, 'who leaves makes room')
})

t.test('one wallet cannot fill the process', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  for (let tab = 0; tab < walletStreamsPerWalletMax; tab += 1)
    t.equal((await listen(t, service, sessionToken)).status, 200)
  const path = `/api/widget/wallet/events?session=${sessionToken}`
  t.equal((await service.get(path)).status, 503)
  const other = await service.makeSession()
  t.equal((await listen(t, service, other.sessionToken)).status, 200)
})

t.test(
  'a client that leaves is an ordinary line of the log, and leaves nothing behind',
  async (t) => {
    const service = await WidgetService.open(t)
    const { sessionToken } = await service.makeSession()
    const before = service.clock.waiting
    const stream = await listen(t, service, sessionToken)
    await stream.event()
    stream.leave()
    const line = await service.captured.line(({ route }) => isEvents(route))
    t.match(line, { msg: 'request', level: 'info', status: 200 })
    t.notOk('aborted' in line)
    await settle()
    t.equal(service.clock.waiting, before, 'no timer waits for it')
    t.notOk(service.captured.text.includes(sessionToken))
  },
)

t.test('a look at the head of a stream does not hang', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  const path = `/api/widget/wallet/events?session=${sessionToken}`
  t.equal((await service.send('HEAD', path, {})).status, 405)
})

t.test('a client that is gone before the stream begins is no stream', async (t) => {
  const service = await WidgetService.open(t, { walletStreamsMax: 1 })
  const { sessionToken } = await service.makeSession()
  const { port } = new URL(service.origin)
  const socket = connect(Number(port), '127.0.0.1')
  const path = `/api/widget/wallet/events?session=${sessionToken}`
  socket.end(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  socket.resume()
  socket.destroySoon()
  await service.captured.line(({ route }) => isEvents(route))
  t.equal((await listen(t, service, sessionToken)).status, 200, 'its place is free')
})

t.test('the service does not wait for open streams when it stops', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  const streams = [await listen(t, service, sessionToken), await listen(t, service, sessionToken)]
  for (const stream of streams) await stream.event()
  const startedMs = performance.now()
  await service.app.close()
  t.ok(performance.now() - startedMs < requestDrainMs, 'promptly')
  for (const stream of streams)
    t.equal(await stream.next(), undefined, 'ended, without saying that the session had')
})

function isEvents(route: unknown): boolean {
  return route === '/api/widget/wallet/events'
}
