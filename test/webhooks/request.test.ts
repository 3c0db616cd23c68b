// One request to an endpoint: where it may go, how long it takes, what is kept of the answer.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import t from 'tap'
import { systemClock } from '../../src/platform/clock.js'
import { answerBytesMax, requestTimeoutMs } from '../../src/webhooks/limits.js'
import { sendWebhook } from '../../src/webhooks/request.js'
import { FakeClock } from '../support/fake-clock.js'
import { Receiver } from '../support/webhooks.js'

const body = JSON.stringify({ type: 'webhook.test', text: 'ä€' })
const headers = { 'content-type': 'application/json', 'webhook-id': 'id-1' }
const rules = { allowPrivate: true, clock: systemClock }

t.test('what is sent arrives byte by byte, and the answer is kept', async (t) => {
  const receiver = await Receiver.open(t)
  receiver.answer = () => ({ status: 202, body: 'thanks\0' })
  const url = `${receiver.origin}/hooks?key=1`
  const outcome = await sendWebhook({ url, headers, body }, rules)
  t.same(outcome, { status: 202, answer: 'thanks', fault: null })
  t.match(receiver.all, [{ path: '/hooks?key=1', text: body, headers }])
  t.match(receiver.all[0]?.headers, { host: new URL(url).host, connection: 'close' })
})

t.test('a redirect is not followed, and 4 kB of an answer are enough', async (t) => {
  const receiver = await Receiver.open(t)
  receiver.answer = () => ({ status: 302, headers: { location: '/elsewhere' } })
  const webhook = { url: receiver.origin, headers, body }
  t.match(await sendWebhook(webhook, rules), { status: 302, fault: /redirects are not followed/ })
  t.equal(receiver.all.length, 1)
  receiver.answer = () => ({ status: 500, body: 'x'.repeat(1_000_000) })
  const { status, answer, fault } = await sendWebhook(webhook, rules)
  t.match({ status, fault }, { status: 500, fault: 'answered 500' })
  t.equal(answer?.length, answerBytesMax)
})

t.test('nothing goes into a private network, by address or by name', async (t) => {
  const connections: Socket[] = []
  const server = createServer((socket) => connections.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const strict = { ...rules, allowPrivate: false }
  const send = (url: string) => sendWebhook({ url, headers, body }, strict)
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f000001', '0.0.0.0'])
    t.match(await send(`https://${host}:${port}/`), { fault: /private network/ }, host)
  t.match(await send(`http://127.0.0.1:${port}/`), { fault: /only https/ })
  t.equal(connections.length, 0, 'nobody was even connected to')
})

t.test('ten seconds in all, and a status that has come counts', async (t) => {
  const clock = new FakeClock()
  const sockets: Socket[] = []
  let answer = ''
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const timed = async () => {
    const outcome = sendWebhook({ url, headers, body }, { allowPrivate: true, clock })
    const count = sockets.length
    while (sockets.length === count) await new Promise((resolve) => setImmediate(resolve))
    // What was written has a moment to arrive: time itself stands still here.
    await new Promise((resolve) => setTimeout(resolve, 50))
    await clock.advance(requestTimeoutMs)
    return outcome
  }
  t.match(await timed(), { status: null, fault: 'took longer than 10 s' })
  answer = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nslow'
  t.match(await timed(), { status: 200, answer: 'slow', fault: null })
  t.equal(clock.waiting, 0)
})

t.test('who is not there, or speaks something else, is a fault in one line', async (t) => {
  const server = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .end('220 mail ready\r\n'),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const send = (url: string) => sendWebhook({ url, headers, body }, rules)
  t.match(await send(`http://127.0.0.1:${port}/`), { status: null, fault: /^no connection: \S/ })
  t.match(await send(`https://127.0.0.1:${port}/`), { status: null, fault: /^no connection: \S/ })
  server.close()
  await once(server, 'close')
  t.match(await send(`http://127.0.0.1:${port}/`), { fault: 'no connection: ECONNREFUSED' })
})
