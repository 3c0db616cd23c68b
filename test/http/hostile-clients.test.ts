/**
 * Clients that send too much, too slowly, or no HTTP at all: each gets a proper answer in JSON, and
 * nothing of what it sent reaches the log.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { bodyBytesMax } from '../../src/limits.js'
import { bodyOf, json, rawRequest, readToEnd, serve } from '../support/served-app.js'

t.test('a body that is too large gets a 413, announced or not', async (t) => {
  const { origin, port } = await serve(t)
  const large = JSON.stringify({ amount: 1, reference: 'r'.repeat(bodyBytesMax) })
  const announced = await fetch(`${origin}/amounts`, { method: 'POST', headers: json, body: large })
  t.equal(announced.status, 413)
  t.match(await announced.json(), { code: 'PAYLOAD_TOO_LARGE' })

  const chunk = 'r'.repeat(bodyBytesMax + 1)
  const answer = await rawRequest(
    port,
    'POST /amounts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
      `transfer-encoding: chunked\r\n\r\n${chunk.length.toString(16)}\r\n${chunk}\r\n`,
  )
  t.match(answer, /^HTTP\/1\.1 413 /)
  t.match(bodyOf(answer), { code: 'PAYLOAD_TOO_LARGE' })
})

t.test('a client that is too slow in its headers or its body gets a 408', async (t) => {
  const { port, captured } = await serve(t, { requestTimeoutMs: 100 })
  const beginnings = {
    headers: 'POST /amounts HTTP/1.1\r\nhost: x\r\nx-secret: s3cr3t',
    body:
      'POST /amounts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
      'content-length: 99\r\n\r\n{"s3cr3t',
  }
  for (const [where, beginning] of Object.entries(beginnings)) {
    const answer = await rawRequest(port, beginning)
    t.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/, where)
    t.match(answer, /\r\nconnection: close\r\n/)
    t.match(answer, /\r\nx-request-id: [0-9a-f-]{36}\r\n/)
    t.same(bodyOf(answer), {
      error: 'The request took too long to arrive.',
      code: 'REQUEST_TIMEOUT',
    })
  }
  const aborted = await captured.line((line) => line['aborted'] === true)
  t.match(aborted, { msg: 'request', route: '/amounts' })
  t.equal(captured.lines.filter(({ status }) => status === 408).length, 2)
  t.notMatch(captured.text, /s3cr3t/)
  t.notOk(
    captured.lines.some(({ level }) => level !== 'info'),
    'a slow client is no fault of ours',
  )
})

t.test('what is no HTTP gets an answer all the same', async (t) => {
  const { port, captured } = await serve(t)
  const garbage = await rawRequest(port, 's3cr3t garbage\r\n\r\n')
  t.match(garbage, /^HTTP\/1\.1 400 /)
  t.match(bodyOf(garbage), { code: 'INVALID_REQUEST' })
  const header = `x-large: ${'s3cr3t'.repeat(5_000)}`
  const large = await rawRequest(port, `GET /health/live HTTP/1.1\r\nhost: x\r\n${header}\r\n\r\n`)
  t.match(large, /^HTTP\/1\.1 431 /)
  t.match(bodyOf(large), { code: 'HEADERS_TOO_LARGE' })
  t.notMatch(captured.text, /s3cr3t/)
})

t.test('garbage behind a request whose answer has begun is not answered into it', async (t) => {
  const { port } = await serve(t, {}, (app) => {
    app.get('/stream', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200, { 'content-type': 'text/plain' })
      reply.raw.write('begun')
    })
  })
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /stream HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(socket, 'readable')
  socket.write('s3cr3t garbage\r\n\r\n')
  const answer = await readToEnd(socket)
  t.match(answer, /begun/)
  t.equal(answer.match(/HTTP\/1\.1/g)?.length, 1)
})
