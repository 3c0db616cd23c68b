/**
 * From an error to its answer, over real sockets: fields are named, nothing is coerced, nothing
 * internal leaves the process, and the log has every fault of ours once.
 */
import t from 'tap'
import { InvariantError } from '../../src/domain/invariant.js'
import {
  OutcomeUnknownError,
  StoreCorruptError,
  StoreUnavailableError,
} from '../../src/event-store/event-store.js'
import { ApiError } from '../../src/http/errors.js'
import { bodyLevelsMax, bodyValuesMax } from '../../src/http/limits.js'
import { bodyBytesMax } from '../../src/limits.js'
import { CommandUnavailableError } from '../../src/writing/waiting-command.js'
import { json, serve } from '../support/served-app.js'

t.test('a field that is wrong is named, and nothing is coerced', async (t) => {
  const { origin } = await serve(t)
  const post = async (body: unknown): Promise<unknown> => {
    const answer = await fetch(`${origin}/amounts`, {
      method: 'POST',
      headers: json,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: answer.status, ...((await answer.json()) as object) }
  }
  const refused = (error: string): object => ({ status: 400, code: 'INVALID_REQUEST', error })
  t.same(await post({ amount: 5, reference: 'r' }), { status: 200, amount: 5, reference: 'r' })
  t.same(
    await post({ amount: 5, reference: 'r', extra: true }),
    { status: 200, amount: 5, reference: 'r', extra: true },
    'unknown fields are left alone',
  )
  for (const amount of ['5', true, null, [5], {}])
    t.same(
      await post({ amount, reference: 'r' }),
      refused("The field 'amount' must be number."),
      `amount ${JSON.stringify(amount)}`,
    )
  t.same(
    await post('{"amount":1e400,"reference":"r"}'),
    refused("The field 'amount' must be number."),
  )
  t.same(await post({ amount: 5 }), refused("The field 'reference' is missing."))
  t.same(
    await post({ amount: 5, reference: 'r', inner: { count: 1.5 } }),
    refused("The field 'inner.count' must be integer."),
  )
  t.same(await post('[]'), refused('The body must be object.'))
  t.same(await post('null'), refused('The body must be object.'))

  const query = await fetch(`${origin}/amounts?of=1&of=2`)
  t.match(await query.json(), { code: 'INVALID_REQUEST', error: "The field 'of' must be string." })
})

t.test('a name that would change what an object is is named, wherever it stands', async (t) => {
  const { origin } = await serve(t)
  const cases = [
    ['{"__proto__":{}}', '__proto__'],
    ['{"a":[{"\\u005f_proto__":1}]}', '__proto__'],
    ['[[[[{"__proto__":1}]]]]', '__proto__'],
    ['{"a":"\\"","b":{"constructor":{"prototype":1}}}', 'constructor.prototype'],
    ['{"constructor":{"prototype":{}}}', 'constructor.prototype'],
  ] as const
  for (const [body, name] of cases) {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${origin}/amounts`, { method: 'POST', headers, body })
    t.equal(answer.status, 400)
    const error = `The body holds the name '${name}', which is not allowed.`
    t.same(await answer.json(), { code: 'INVALID_REQUEST', error })
  }
})

t.test('a body that holds too much is refused before it is parsed', async (t) => {
  const { origin } = await serve(t)
  const post = async (body: string): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${origin}/amounts`, { method: 'POST', headers, body })
    return { status: answer.status, ...((await answer.json()) as object) }
  }
  const refused = (error: string): object => ({ status: 400, code: 'INVALID_REQUEST', error })
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const within = (extra: string) => `{"amount":1,"reference":"r","extra":${extra}}`
  const tooDeep = refused(`The body is nested deeper than ${bodyLevelsMax} levels.`)
  t.match(await post(within(nested(bodyLevelsMax - 1))), { status: 200 })
  t.same(await post(within(nested(bodyLevelsMax))), tooDeep)
  t.same(await post('['.repeat(bodyBytesMax)), tooDeep, 'also what is no JSON')
  const objects = '{"a":'.repeat(bodyLevelsMax + 1)
  t.same(await post(within(`${objects}1${'}'.repeat(bodyLevelsMax + 1)}`)), tooDeep)

  const list = (count: number) => `[${Array(count).fill('1').join(',')}]`
  const tooMany = refused(`The body has more than ${bodyValuesMax} values.`)
  // The body itself, its two other fields and the list.
  t.match(await post(within(list(bodyValuesMax - 4))), { status: 200 })
  t.same(await post(within(list(bodyValuesMax - 3))), tooMany)
  const names = Array.from({ length: bodyValuesMax }, (_, index) => `"${index}":1`)
  t.same(await post(`{${names.join(',')}}`), tooMany)

  const text = '[{,"\\\\\\"[{,'.repeat(500)
  t.match(await post(within(JSON.stringify(text))), { status: 200 }, 'a string counts as one')
})

t.test('a malformed body gets a 400, another content type a 415', async (t) => {
  const { origin } = await serve(t)
  const post = async (body: string | Buffer, type = 'application/json'): Promise<unknown> => {
    const headers = { 'content-type': type }
    const answer = await fetch(`${origin}/amounts`, { method: 'POST', headers, body })
    return { status: answer.status, ...((await answer.json()) as object) }
  }
  const refused = (error: string): object => ({ status: 400, code: 'INVALID_REQUEST', error })
  t.same(await post('{"amount":'), refused('The body is not valid JSON.'))
  t.same(await post('{"__proto__":'), refused('The body is not valid JSON.'))
  t.same(await post(''), refused('The body is empty.'))
  const brokenText = Buffer.concat([
    Buffer.from('{"amount":1,"reference":"'),
    Buffer.from([0xff]),
    Buffer.from('"}'),
  ])
  t.same(await post(brokenText), refused('The body is not valid UTF-8.'))
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'x'])
    t.same(
      await post('amount=1', type),
      {
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        error: 'The body must be application/json.',
      },
      type,
    )
  t.match(await post('{"amount":1,"reference":"r"}', 'application/json; charset=utf-8'), {
    status: 200,
  })
})

t.test('an unexpected error is a bare 500 and one full entry in the log', async (t) => {
  const { origin, captured } = await serve(t, {}, (app) => {
    app.get('/broken', async () => {
      throw Object.assign(new Error('column "inner" does not exist'), { detail: 'row of s3cr3t' })
    })
  })
  const answer = await fetch(`${origin}/broken?clientSecret=s3cr3t`)
  t.equal(answer.status, 500)
  t.same(await answer.json(), { error: 'Something went wrong on our side.', code: 'INTERNAL' })
  await captured.request(500)
  const entries = captured.lines.filter(({ level }) => level === 'error')
  t.equal(entries.length, 1)
  t.match(entries[0], {
    msg: 'request failed',
    route: '/broken',
    requestId: answer.headers.get('x-request-id'),
    err: { type: 'Error', message: 'column "inner" does not exist', stack: /errors\.test\.[jt]s/ },
  })
  t.notMatch(captured.text, /s3cr3t/)
})

t.test('a store that does not answer is a 503 that says when and how to repeat', async (t) => {
  const faults = [
    new StoreUnavailableError('no answer from 10.0.0.7'),
    new OutcomeUnknownError('connection cut'),
    new StoreCorruptError('a gap'),
    new CommandUnavailableError('overloaded'),
    new InvariantError('the event at the row carries the hash of the row'),
    Object.assign(new Error('the database system is starting up'), { code: '57P03' }),
  ]
  const { origin, captured } = await serve(t, {}, (app) => {
    for (const [index, fault] of faults.entries())
      app.get(`/faults/${index}`, async () => {
        throw fault
      })
  })
  for (const index of faults.keys()) {
    const answer = await fetch(`${origin}/faults/${index}`)
    t.equal(answer.status, 503)
    t.equal(answer.headers.get('retry-after'), '1')
    t.same(await answer.json(), {
      error: 'The service cannot answer now. Repeating with the same reference is safe.',
      code: 'UNAVAILABLE',
    })
    await captured.line((line) => line['route'] === `/faults/${index}` && line['msg'] === 'request')
  }
  const entries = captured.lines.filter(({ level }) => level === 'warn' || level === 'error')
  t.same(
    entries.map(({ level, route }) => [level, route]),
    [
      ['warn', '/faults/0'],
      ['warn', '/faults/1'],
      ['error', '/faults/2'],
      ['warn', '/faults/3'],
      ['error', '/faults/4'],
      ['warn', '/faults/5'],
    ],
    'each once, and a contradiction is loud',
  )
})

t.test('an answer given on purpose has its status, fields and requiresAuth', async (t) => {
  const { origin, captured } = await serve(t, {}, (app) => {
    app.get('/read', async () => {
      throw new ApiError('USER_NOT_FOUND')
    })
    app.get('/command', async () => {
      throw new ApiError('USER_NOT_FOUND', { isCommand: true })
    })
    app.get('/declined', async () => {
      const fields = { balance: 3, requiredAmount: 5, shortfall: 2 }
      throw new ApiError('INSUFFICIENT_BALANCE', { isCommand: true, fields })
    })
  })
  const read = await fetch(`${origin}/read`)
  t.equal(read.status, 401)
  t.match(await read.json(), { code: 'USER_NOT_FOUND', requiresAuth: true })
  const command = await fetch(`${origin}/command`)
  t.equal(command.status, 404)
  t.match(await command.json(), { code: 'USER_NOT_FOUND', requiresAuth: true })
  const declined = await fetch(`${origin}/declined`)
  t.equal(declined.status, 400)
  t.same(await declined.json(), {
    error: 'The balance is not sufficient. A new attempt needs a new referenceId.',
    code: 'INSUFFICIENT_BALANCE',
    balance: 3,
    requiredAmount: 5,
    shortfall: 2,
  })
  await captured.request(400)
  t.notOk(captured.lines.some(({ level }) => level !== 'info'))
})
