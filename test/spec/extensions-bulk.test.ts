/**
 * Our documented extension of many commands in one request: each is answered as its own route would
 * answer it, and the commands of one wallet are decided in the order of the list.
 */
import type { Test } from 'tap'
import { onEveryDeployment } from './support/deployment.js'
import { body, freshReference, nobody } from './support/wallet-api.js'
import type { Account, Answer, Credentials, Fields } from './support/wallet-api.js'

interface Result {
  readonly status: number
  readonly body: Fields
  readonly headers?: Fields
}

onEveryDeployment(12, (t, on) => {
  const send = (commands: unknown, app: Credentials = on.first): Promise<Answer> =>
    on.api.post('/api/server/wallet/bulk', { ...app, commands })
  const results = async (commands: readonly Fields[]): Promise<readonly Result[]> =>
    body(await send(commands))['results'] as readonly Result[]

  t.test('extension bulk: every command is answered as its own route does', async (t) => {
    const [account, other] = [await on.account(20), await on.account(0)]
    const [order, refill] = [freshReference(), freshReference('REFILL')]
    const commands = [
      debit(account, 12.5, order),
      credit(other, 3, refill),
      { ...credit(account, 2.5), refundOf: order },
      debit(account, 100),
      { ...credit(account, 11), refundOf: order },
      debit(account, 0.001),
      { ...debit(account, 1), referenceId: '' },
      { ...debit(account, 1), verb: 'transfer' },
      { ...debit(account, 1), serviceUserId: nobody },
      { ...credit(account, 1), refundOf: 'order' },
      'debit',
    ]
    const found = await results(commands as Fields[])
    t.match(found, [
      { status: 200, body: { balance: 7.5, message: 'Debit booked.' } },
      { status: 200, body: { balance: 3, message: 'Credit booked.' } },
      { status: 200, body: { balance: 10 } },
      { status: 400, body: { code: 'INSUFFICIENT_BALANCE', balance: 10, shortfall: 90 } },
      { status: 400, body: { code: 'REFUND_EXCEEDS_DEBIT' } },
      { status: 400, body: { code: 'INVALID_REQUEST', error: /'amount' must have at most/ } },
      { status: 400, body: { code: 'INVALID_REQUEST', error: /'referenceId'/ } },
      { status: 400, body: { error: "The field 'verb' must be one of debit, credit, hold." } },
      { status: 404, body: { code: 'USER_NOT_FOUND', requiresAuth: true } },
      { status: 400, body: { error: /'refundOf' must hold/ } },
      { status: 400, body: { error: /'verb'/ } },
    ])
    t.equal(found.length, commands.length)
    for (const [index, command] of commands.slice(0, -4).entries()) {
      const { verb, ...fields } = command as Fields & { readonly verb: 'credit' | 'debit' }
      const single = await on.api.post(`/api/server/wallet/${verb}`, { ...on.first, ...fields })
      t.equal(single.status, found[index]?.status)
      t.same(single.body, found[index]?.body, `${verb} ${index} alone`)
    }
    t.equal(await account.balance(), 10)
  })

  t.test('extension bulk: holds set aside in the order of the list', async (t) => {
    const account = await on.account(10)
    const held = freshReference('HOLD')
    const hold = { ...debit(account, 6, held), verb: 'hold', expiresInSeconds: 600 }
    const found = await results([hold, debit(account, 5), debit(account, 4), hold])
    t.match(found, [
      { status: 200, body: { balance: 10, available: 4, held: 6, message: 'Hold placed.' } },
      { status: 400, body: { code: 'INSUFFICIENT_BALANCE', shortfall: 1 } },
      { status: 200, body: { balance: 6, available: 0, held: 6 } },
      { status: 200, headers: replayed },
    ])
    t.same(found[3]?.body, found[0]?.body)
    const released = { holdOf: held, ...freshReference('RELEASE') }
    const path = '/api/server/wallet/hold/release'
    t.match(await on.api.post(path, { ...account.identity, ...released }), { status: 200 })
  })

  t.test('extension bulk: commands of one wallet are decided in order', async (t) => {
    const [account, other] = [await on.account(0), await on.account(500)]
    const commands = Array.from({ length: 100 }, (_, index) => [
      credit(account, index + 1),
      debit(other, 1),
      debit(account, index + 1),
      debit(account, 0.01),
    ]).flat()
    const found = await results(commands)
    const expected = Array.from({ length: 100 }, (_, index) => [
      [200, index + 1],
      [200, 500 - index - 1],
      [200, 0],
      [400, 0],
    ]).flat()
    t.same(
      found.map((result) => [result.status, result.body['balance']]),
      expected,
    )
  })

  t.test('extension bulk: a repeat of the list gets the first answers', async (t) => {
    const account = await on.account(10)
    const commands = [debit(account, 4), debit(account, 40), debit(account, 4)]
    const twice = [...commands, ...commands.slice(0, 1)]
    const first = await results(twice)
    t.match(first[3], { status: 200, body: { balance: 6 } })
    t.same(
      first.map(({ headers }) => headers),
      [undefined, undefined, undefined, replayed],
      'also within one list',
    )
    await account.credit(1_000)
    const repeat = await results(twice)
    t.same(repeat.map(answer), first.map(answer))
    t.same(
      repeat.map(({ headers }) => headers),
      twice.map(() => replayed),
    )
    const [changed] = await results([{ ...commands[0], amount: 5 }])
    t.same(changed?.headers, { ...replayed, 'reference-mismatch': 'amount' })
    t.same(changed?.body, first[0]?.body)
    t.equal(await account.balance(), 1_002)
  })

  t.test('extension bulk: credentials first, then the list as a whole', async (t) => {
    const account = await on.account(1)
    for (const commands of [undefined, null, {}, [], 'debit', many(account, 501)]) {
      const answer = await send(commands)
      t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST' } })
      t.match(answer.body['error'], /^The field 'commands' /)
      const stranger = await send(commands, { ...on.first, clientSecret: 'sk_wrong' })
      t.match(stranger, { status: 401, body: { code: 'INVALID_CLIENT' } })
    }
    t.equal(await account.balance(), 1, 'nothing was booked')
  })

  t.test('extension bulk: 500 commands and 2 MiB, on this route alone', async (t) => {
    const account = await on.account(500)
    const description = '🧾'.repeat(500)
    const full = many(account, 500).map((command) => ({ ...command, description }))
    const text = JSON.stringify({ ...on.first, commands: full })
    t.ok(Buffer.byteLength(text) > 1024 * 1024, 'far more than a debit may have')
    const answer = await on.api.postRaw('/api/server/wallet/bulk', text)
    const found = body(answer)['results'] as readonly Result[]
    t.same(new Set(found.map(({ status }) => status)), new Set([200]))
    t.equal(await account.balance(), 0)
    await isTooLarge(t, on.api.postRaw('/api/server/wallet/bulk', ' '.repeat(2 * 1024 * 1024 + 1)))
    await isTooLarge(t, on.api.postRaw('/api/server/wallet/debit', ' '.repeat(64 * 1024 + 1)))
    const values = await send(Array.from({ length: 500 }, () => '0'.repeat(30).split('')))
    t.match(values, { status: 400, body: { error: 'The body has more than 10000 values.' } })
  })

  t.test('extension bulk: an app reaches the wallets that are linked to it', async (t) => {
    const account = await on.account(5)
    const pair = freshReference()
    const both = [account, account.as(on.second)]
    const found = await Promise.all(both.map(({ app }) => send([debit(account, 1, pair)], app)))
    for (const one of found) t.match(body(one)['results'], [{ status: 200 }])
    t.equal(await account.balance(), 3, 'each app has references of its own')
  })
})

const replayed = { 'idempotency-replayed': 'true' }

function debit(account: Account, amount: number, reference = freshReference()): Fields {
  return { verb: 'debit', serviceUserId: account.serviceUserId, amount, ...reference }
}

function credit(account: Account, amount: number, reference = freshReference()): Fields {
  return { ...debit(account, amount, reference), verb: 'credit' }
}

function many(account: Account, count: number): readonly Fields[] {
  return Array.from({ length: count }, () => debit(account, 1))
}

function answer({ status, body }: Result): Omit<Result, 'headers'> {
  return { status, body }
}

async function isTooLarge(t: Test, answer: Promise<Answer>): Promise<void> {
  t.match(await answer, { status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } })
}
