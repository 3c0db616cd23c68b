/**
 * The end of the service as its clients see it: running requests finish, new ones on open
 * connections are told to come back, and no idle or hanging connection holds it up.
 */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import { requestDrainMs } from '../../src/limits.js'
import { FakeClock } from '../support/fake-clock.js'
import { bodyOf, readToEnd, serve } from '../support/served-app.js'

/** A route that answers when the test lets it, and says when a request has reached it. */
function gate(): { reached: Promise<void>; open: () => void; pass: () => Promise<object> } {
  let reach = (): void => undefined
  let open = (): void => undefined
  const reached = new Promise<void>((resolve) => (reach = resolve))
  const opened = new Promise<void>((resolve) => (open = resolve))
  const pass = async (): Promise<object> => {
    reach()
    await opened
    return { done: true }
  }
  return { reached, open: () => open(), pass }
}

t.test('a running request finishes while the port is already closed', async (t) => {
  const { reached, open, pass } = gate()
  const { app, origin, port } = await serve(t, {}, (app) => app.get('/slow', pass))
  const running = fetch(`${origin}/slow`)
  await reached
  const closed = app.close()
  while (app.server.listening) await new Promise((resolve) => setImmediate(resolve))
  await t.rejects(once(connect(port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' })
  open()
  const answer = await running
  t.equal(answer.status, 200)
  t.same(await answer.json(), { done: true })
  t.equal(answer.headers.get('connection'), 'close')
  await closed
})

t.test(
  'a request on an open connection is told to come back, and the connection ends',
  async (t) => {
    const { reached, open, pass } = gate()
    const { app, port, captured } = await serve(t, {}, (app) => app.get('/slow', pass))
    const slow = connect(port, '127.0.0.1')
    slow.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n')
    await reached
    // Half a request: its connection is not idle, so closing the port does not close it.
    const late = connect(port, '127.0.0.1')
    late.write('GET /health/live HTTP/1.1\r\n')
    await once(late, 'connect')
    const closed = app.close()
    late.write('host: x\r\n\r\n')
    const answer = await readToEnd(late)
    t.match(answer, /^HTTP\/1\.1 503 /)
    t.match(answer, /\r\nconnection: close\r\n/)
    t.match(answer, /\r\nretry-after: 1\r\n/)
    t.match(bodyOf(answer), { code: 'UNAVAILABLE', error: /same reference is safe/ })
    open()
    t.match(await readToEnd(slow), /^HTTP\/1\.1 200 /)
    await closed
    t.match(await captured.request(503), { route: '/health/live' })
    t.notOk(captured.lines.some(({ level }) => level === 'warn' || level === 'error'))
  },
)

t.test('idle and silent connections do not hold the end up', async (t) => {
  // This clock moves by one millisecond: nothing here waits for a time-out.
  const clock = new FakeClock()
  const { app, port } = await serve(t, { clock })
  const silent = connect(port, '127.0.0.1')
  await once(app.server, 'connection')
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const asked = httpRequest({ port, host: '127.0.0.1', path: '/health/live', agent })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  const closed = app.close()
  await clock.advance(1)
  await closed
  t.equal(await readToEnd(silent), '')
})

t.test('a request that never ends is cut off when its time is over', async (t) => {
  const clock = new FakeClock()
  const { reached, pass } = gate()
  const { app, port } = await serve(t, { clock }, (app) => app.get('/hanging', pass))
  const hanging = connect(port, '127.0.0.1')
  hanging.write('GET /hanging HTTP/1.1\r\nhost: x\r\n\r\n')
  await reached
  const closed = app.close()
  await clock.advance(requestDrainMs - 1)
  t.notOk(hanging.destroyed)
  await clock.advance(1)
  await closed
  t.equal(await readToEnd(hanging), '')
})
