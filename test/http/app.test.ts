/**
 * What every answer and every log line of the HTTP application has in common, over real sockets:
 * the log that knows no address, request ids, JSON for unknown addresses, the headers.
 */
import t from 'tap'
import { json, rawRequest, serve } from '../support/served-app.js'

t.test('the log of a request has the route and nothing of the address', async (t) => {
  const { origin, captured } = await serve(t)
  const secrets = ['s3cr3t-clientsecret', 'usr_very-private', 's3cr3t-header', 's3cr3t-body']
  const [query = '', user = '', header = '', body = ''] = secrets
  await fetch(`${origin}/wallets/${user}/entries?clientSecret=${query}&session=${query}`, {
    headers: { authorization: header, cookie: header },
  })
  await fetch(`${origin}/amounts?clientSecret=${query}`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ amount: body, clientSecret: body }),
  })
  await fetch(`${origin}/nowhere/${user}?clientSecret=${query}`)
  await fetch(`${origin}/%zz${user}?clientSecret=${query}`)
  await captured.request(404)
  const line = await captured.request(200)
  t.match(line, {
    method: 'GET',
    route: '/wallets/:walletId/entries',
    status: 200,
    durationMs: Number,
    requestId: /^[0-9a-f-]{36}$/,
    level: 'info',
    time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  })
  const requests = captured.lines.filter(({ msg }) => msg === 'request')
  t.same(
    requests.map(({ route, status }) => [route, status]),
    [
      ['/wallets/:walletId/entries', 200],
      ['/amounts', 400],
      ['(unknown)', 404],
      ['(unknown)', 400],
    ],
    'one line a request',
  )
  for (const secret of secrets) t.notOk(captured.text.includes(secret), `no ${secret} in the log`)
  t.notMatch(captured.text, /\?|clientSecret/, 'no query at all')
})

t.test('a well-formed request id is taken over, any other is replaced', async (t) => {
  const { origin, captured } = await serve(t)
  const ask = async (id?: string): Promise<string | null> => {
    const headers = id === undefined ? {} : { 'x-request-id': id }
    const answer = await fetch(`${origin}/health/live`, { headers })
    return answer.headers.get('x-request-id')
  }
  for (const id of ['order-17', 'A.b_c-9', 'x'.repeat(64)]) {
    t.equal(await ask(id), id)
    await captured.line(({ requestId }) => requestId === id)
  }
  const fresh = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  t.match(await ask(), fresh)
  for (const id of ['x'.repeat(65), 'a b', 'a"b', 'a{}', 'é', 'a,b', '${jndi:x}', '%0a', ''])
    t.match(await ask(id), fresh, `refused: ${id}`)
  t.not(await ask(), await ask(), 'every request has its own')
})

t.test('an unknown address is a 404, a wrong method a 405, both in JSON', async (t) => {
  const { origin } = await serve(t)
  const unknown = await fetch(`${origin}/nowhere`, { method: 'POST', body: '{', headers: json })
  t.equal(unknown.status, 404)
  t.match(unknown.headers.get('content-type'), /^application\/json/)
  t.same(await unknown.json(), { error: 'There is nothing at this address.', code: 'NOT_FOUND' })

  const wrong = await fetch(`${origin}/amounts?of=1`, { method: 'DELETE' })
  t.equal(wrong.status, 405)
  t.equal(wrong.headers.get('allow'), 'GET, HEAD, POST')
  t.match(await wrong.json(), { code: 'METHOD_NOT_ALLOWED' })

  const parameter = await fetch(`${origin}/wallets/w1/entries`, { method: 'PUT' })
  t.equal(parameter.headers.get('allow'), 'GET, HEAD')
  t.equal(parameter.status, 405)
  for (const path of ['/wallets//entries', '/wallets/w1', '/wallets/w1/entries/more', '/amounts/'])
    t.equal((await fetch(`${origin}${path}`, { method: 'PUT' })).status, 404, path)
  const long = await fetch(`${origin}/wallets/${'w'.repeat(1_000)}/entries`)
  t.equal(long.status, 404)
  t.match(await long.json(), { code: 'NOT_FOUND' })
})

t.test('an address that is no address is a 400 in JSON that does not repeat it', async (t) => {
  const { origin } = await serve(t)
  const answer = await fetch(`${origin}/%zz`)
  t.equal(answer.status, 400)
  t.same(await answer.json(), {
    error: 'The path is not a valid address.',
    code: 'INVALID_REQUEST',
  })
  t.ok(answer.headers.get('x-request-id'))
})

t.test('every answer tells browsers and caches to keep their hands off', async (t) => {
  const { origin } = await serve(t)
  for (const path of ['/health/live', '/nowhere', '/amounts', '/%zz']) {
    const { headers } = await fetch(`${origin}${path}`)
    t.equal(headers.get('cache-control'), 'no-store', path)
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.equal(headers.get('referrer-policy'), 'no-referrer')
    t.match(headers.get('content-security-policy'), /default-src 'none'/)
  }
})

t.test('behind an https address every answer says so, also to what is no request', async (t) => {
  const { origin, port } = await serve(t, { isHttps: true })
  for (const path of ['/health/live', '/nowhere', '/amounts', '/%zz'])
    t.equal(
      (await fetch(origin + path)).headers.get('strict-transport-security'),
      'max-age=31536000',
      path,
    )
  t.match(
    await rawRequest(port, 'no request\r\n\r\n'),
    /strict-transport-security: max-age=31536000/,
  )
  const plain = await serve(t)
  const answer = await fetch(`${plain.origin}/health/live`)
  t.equal(answer.headers.get('strict-transport-security'), null, 'not where there is no https')
})

t.test(
  'an answer that is written to after its end is logged, and the process goes on',
  async (t) => {
    const { captured, origin } = await serve(t, {}, (app) => {
      app.get('/late', (_request, reply) => {
        reply.raw.end('out')
        reply.raw.write('late')
        return reply.hijack()
      })
    })
    t.equal(await (await fetch(`${origin}/late`)).text(), 'out')
    const line = await captured.line(({ msg }) => msg === 'an answer broke off')
    t.match(line, { level: 'error', err: { code: 'ERR_STREAM_WRITE_AFTER_END' } })
    t.equal((await fetch(`${origin}/health/live`)).status, 200)
  },
)
