/**
 * The client by itself, on a runtime of the test's own: what is sent and how often, what is waited
 * for, and what comes back or is thrown. What it sends is held to the checked-in document.
 */
import t from 'tap'
import {
  InvalidAmountError,
  WalletClient,
  WalletRefusedError,
  WalletUnavailableError,
} from '../../src/client/wallet-client.js'
import { operationsOf, type OpenApi } from '../support/openapi.js'
import { textOf } from '../support/repository.js'

type Reply =
  | { readonly status: number; readonly body?: unknown; readonly retryAfter?: string }
  | 'cut'
  | 'hang'

interface Sent {
  readonly method: string
  readonly path: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly text: string
}

/** A service that answers as it is told, the last answer for ever, and a clock that jumps. */
class Told {
  readonly sent: Sent[] = []
  readonly pauses: number[] = []
  readonly #replies: Reply[]
  #now = 0

  constructor(...replies: Reply[]) {
    this.#replies = replies
  }

  client(more: { triesMax?: number; totalMs?: number } = {}): WalletClient {
    return new WalletClient({
      ...{ url: 'https://wallet.example/', clientId: 'app_1', clientSecret: 'sk_1', ...more },
      runtime: {
        fetch: (address, request) => this.#answer(address, request),
        now: () => this.#now,
        pause: async (ms) => {
          this.pauses.push(ms)
          this.#now += ms
        },
        fraction: () => 0,
      },
    })
  }

  async #answer(address: string, { method = '', body, signal }: RequestInit): Promise<Response> {
    const url = new URL(address)
    const text = typeof body === 'string' ? body : url.search
    const json = typeof body === 'string' ? (JSON.parse(body) as object) : {}
    const fields = { ...Object.fromEntries(url.searchParams), ...json }
    this.sent.push({ method, path: url.pathname, fields, text })
    const reply = this.#replies.length > 1 ? this.#replies.shift() : this.#replies[0]
    if (reply === undefined || reply === 'cut') throw new TypeError('fetch failed')
    if (reply === 'hang') {
      this.#now += 10_000
      Object.defineProperty(signal, 'aborted', { value: true })
      throw new DOMException('too late', 'TimeoutError')
    }
    const headers = { ...(reply.retryAfter !== undefined && { 'retry-after': reply.retryAfter }) }
    const content = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
    return new Response(content, { status: reply.status, headers })
  }
}

const user = { serviceUserId: 'usr_1' }
const reference = { referenceType: 'ORDER_PAYMENT', referenceId: '17-1' }
const debit = { ...user, ...reference, amount: 12.5 }
const applied = { status: 200, body: { balance: 1, message: 'Debit booked.' } }
const away = { status: 503, body: { error: 'away', code: 'UNAVAILABLE' } }
const busy = { status: 429, body: { error: 'busy', code: 'TOO_MANY_REQUESTS' }, retryAfter: '2' }

t.test(
  'a debit without an answer goes again, byte by byte the same, after longer pauses',
  async (t) => {
    const told = new Told('hang', 'cut', away, { status: 200, body: '{"bal' }, applied)
    t.same(await told.client().debit(debit), { ...applied.body, outcome: 'applied' })
    t.equal(told.sent.length, 5)
    t.equal(new Set(told.sent.map(({ text }) => text)).size, 1)
    t.same(told.pauses, [125, 250, 500, 1_000])
  },
)

t.test('Retry-After is waited for, within reason', async (t) => {
  const told = new Told(busy, { ...away, retryAfter: '999' }, applied)
  await told.client().debit(debit)
  t.same(told.pauses, [2_000, 30_000])
})

t.test('after the last try the error says whether anything may be booked', async (t) => {
  const unknown = await caught(new Told(busy, 'cut', busy).client({ triesMax: 3 }).debit(debit))
  t.match(unknown, { isOutcomeUnknown: true, faults: ['busy', 'connection', 'busy'] })
  t.ok(unknown instanceof WalletUnavailableError)
  const refused = await caught(new Told(busy).client().debit(debit))
  t.match(refused, { isOutcomeUnknown: false, faults: Array(5).fill('busy') })
  const read = await caught(new Told('cut').client().wallet(user))
  t.match(read, { isOutcomeUnknown: false }, 'a read books nothing')
  for (const error of [unknown, refused, read]) t.notMatch(JSON.stringify(error), /sk_1|usr_1/)
})

t.test('all tries together keep their time', async (t) => {
  const told = new Told('hang')
  const error = await caught(told.client({ triesMax: 100, totalMs: 25_000 }).debit(debit))
  t.match(error, { faults: ['timeout', 'timeout', 'timeout'] })
})

t.test(
  'a decline is an answer; a refusal is thrown, and does not hide an unknown try',
  async (t) => {
    const body = { error: 'no', code: 'INSUFFICIENT_BALANCE', shortfall: 3 }
    const told = new Told({ status: 400, body })
    t.same(await told.client().debit(debit), { ...body, outcome: 'declined' })
    t.equal(told.sent.length, 1)
    const refusal = { status: 401, body: { error: 'who?', code: 'INVALID_CLIENT' } }
    const plain = await caught(new Told(refusal).client().debit(debit))
    t.ok(plain instanceof WalletRefusedError)
    t.match(plain, { status: 401, code: 'INVALID_CLIENT', isOutcomeUnknown: false })
    t.match(await caught(new Told('cut', refusal).client().debit(debit)), {
      isOutcomeUnknown: true,
    })
    t.match(await caught(new Told('cut', refusal).client().wallet(user)), {
      isOutcomeUnknown: false,
    })
    const page = { status: 302, body: '<html>' }
    t.match(await caught(new Told(page).client().debit(debit)), { code: 'NOT_THE_SERVICE' })
    const unknownUser = {
      status: 404,
      body: { error: '', code: 'USER_NOT_FOUND', requiresAuth: true },
    }
    t.match(await caught(new Told(unknownUser).client().debit(debit)), { requiresAuth: true })
  },
)

t.test(
  'amounts are sent as they were meant, and dust is refused before anything is sent',
  async (t) => {
    const told = new Told(applied)
    const client = told.client()
    for (const [amount, sent] of [
      [19.99, 19.99],
      ['19.90', 19.9],
      ['0.07', 0.07],
      ['9999999999999.99', 9_999_999_999_999.99],
    ] as const) {
      await client.debit({ ...debit, amount })
      t.equal(told.sent.at(-1)?.fields['amount'], sent)
    }
    await client.checkBalance({ ...user, requiredAmount: '12.50' })
    t.equal(told.sent.at(-1)?.fields['requiredAmount'], '12.50')
    const count = told.sent.length
    for (const amount of [0.1 + 0.2, NaN, -1, 1e-7, Infinity, '1e3', '+5', ' 5', '1,5', '', '.5'])
      t.ok(
        (await caught(client.debit({ ...debit, amount }))) instanceof InvalidAmountError,
        `${amount}`,
      )
    t.equal(told.sent.length, count)
  },
)

t.test('transactions come page after page, and never the same page for ever', async (t) => {
  const page = (id: string, nextCursor?: string) => ({
    status: 200,
    body: { balance: 1, transactions: [{ id }], isActive: true, nextCursor },
  })
  const told = new Told(page('3', '2'), page('2', '1'), page('1', '1'))
  const ids: string[] = []
  for await (const { id } of told.client().transactions({ ...user, limit: 1 })) ids.push(id)
  t.same(ids, ['3', '2', '1'])
  t.same(
    told.sent.map(({ fields }) => fields['cursor']),
    [undefined, '2', '1'],
  )
})

t.test(
  'what is sent is what the document of the contract names, no more and no less',
  async (t) => {
    const document = JSON.parse(textOf('docs/reference/openapi.json')) as OpenApi
    const told = new Told({ status: 200, body: { results: [] } })
    const client = told.client({ triesMax: 1 })
    const time = '2025-03-01T09:30:00.000Z'
    const times = { at: time, from: time, to: time }
    await client.debit({ ...debit, description: 'x' })
    await client.refund({ ...debit, description: 'x', refundOf: reference })
    await client.bulk([{ ...debit, verb: 'debit' }])
    await client.wallet({
      ...user,
      ...times,
      type: 'debit',
      referenceType: 'x',
      limit: 1,
      cursor: '1',
    })
    await client.checkBalance({ ...user, requiredAmount: 1 })
    await client.hold({ ...debit, description: 'x', expiresInSeconds: 60 })
    const settled = { ...user, ...reference, holdOf: reference, description: 'x' }
    await client.capture({ ...settled, amount: '1.5', final: true })
    await client.release(settled)
    await client.outcome({ ...user, ...reference })
    await client.void({ ...user, ...reference })
    await client.createSession({ ...user, parentOrigin: 'https://shop.example' })
    await client.verifyLink({ linkProof: 'lp' })
    const server = operationsOf(document).filter(({ operation }) =>
      operation.tags.includes('Server'),
    )
    const named = server.map(({ method, path, operation }) => {
      const [media] = Object.values(operation.requestBody?.content ?? {})
      const query = (operation.parameters ?? []).map(({ name }) => name)
      const fields = [...Object.keys(media?.schema.properties ?? {}), ...query]
      return `${method} ${path}: ${fields.toSorted().join(' ')}`
    })
    const sent = told.sent.map(
      ({ method, path, fields }) =>
        `${method} ${path}: ${Object.keys(fields).toSorted().join(' ')}`,
    )
    t.same(sent.toSorted(), named.toSorted())
  },
)

async function caught(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

t.test('a list goes in parts of 500, and only what got no answer goes again', async (t) => {
  const booked = (count: number) => Array(count).fill(applied) as unknown[]
  const refused = { status: 404, body: { code: 'USER_NOT_FOUND', error: '?', requiresAuth: true } }
  const declined = { status: 400, body: { code: 'INSUFFICIENT_BALANCE', error: '?', balance: 1 } }
  const told = new Told(
    { status: 200, body: { results: [away, ...booked(498), declined] } },
    { status: 200, body: { results: [applied] } },
    { status: 200, body: { results: [refused, away] } },
    { status: 200, body: { results: [away] } },
  )
  const orders = Array.from({ length: 502 }, (_, index) => ({
    ...{ ...debit, verb: 'debit' as const, amount: '12.50' },
    referenceId: `17-${index}`,
  }))
  const bookings = await told.client({ triesMax: 2 }).bulk(orders)
  t.equal(bookings.length, 502)
  t.match(bookings[0], { outcome: 'applied', balance: 1 })
  t.match(bookings[499], { outcome: 'declined', code: 'INSUFFICIENT_BALANCE' })
  t.match(bookings[500], { outcome: 'refused', status: 404, requiresAuth: true })
  t.same(bookings[501], { outcome: 'unknown' })
  const sent = told.sent.map(({ fields }) => fields['commands'] as { referenceId: string }[])
  t.same(
    sent.map((commands) => [commands.length, commands[0]?.referenceId]),
    [
      [500, '17-0'],
      [1, '17-0'],
      [2, '17-500'],
      [1, '17-501'],
    ],
  )
  t.match(sent[0]?.[0], { amount: 12.5, verb: 'debit' })
  t.equal(told.pauses.length, 2)
  const wrong = [{ ...debit, verb: 'debit' as const, amount: '1.2.3' }]
  await t.rejects(told.client().bulk([...orders, ...wrong]), InvalidAmountError)
  t.equal(told.sent.length, 4, 'and nothing of that list was sent')
})
