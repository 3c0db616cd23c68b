/**
 * Text that stores, parsers or batches choke on: it is refused with a 400 or booked as it is, and
 * meanwhile another wallet's commands are neither delayed nor failed. Over HTTP; what is booked, on
 * both stores; what is refused never reaches one, so that is tried on one of them.
 */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { appendWatchdogMs, batchCommandsMax } from '../../src/limits.js'
import { startOwnService } from '../spec/support/own-service.js'
import type { OwnService } from '../spec/support/own-service.js'
import { ask, routes } from '../spec/support/routes.js'
import { body, freshReference, isReplay, nobody } from '../spec/support/wallet-api.js'
import type { Account, Answer } from '../spec/support/wallet-api.js'

for (const store of ['PostgreSQL', 'EventStoreDB'] as const)
  t.test(`on the ${store} store`, async (t) => {
    const on = await startOwnService(t, store)
    if (store === 'PostgreSQL') registerRefused(t, on)
    // People are in PostgreSQL whatever the store is.
    if (store === 'PostgreSQL') registerPoisonedPeople(t, on)
    registerBooked(t, on)
    await on.control.requireCleanLog(t)
  })

/** As JSON has them; each stands for one value. */
const escapes = ['\\u0000', 'a\\u0000b', '\\ud800', '\\udfff', 'a\\udc00\\ud800b', '\\ud83d x']

/** Bytes that are no UTF-8: lone surrogates, a cut sequence, an overlong NUL, beyond Unicode. */
const brokenBytes = ['eda080', 'edbfbf', 'e282', 'c080', 'f4908080', 'ff', '80']

function registerRefused(t: Test, on: OwnService): void {
  t.test('NUL and lone surrogates as escapes are a 400 that names the field', async (t) => {
    const account = await on.account(10)
    const watch = watchOver(await on.account(100))
    for (const verb of ['debit', 'credit'] as const)
      for (const field of ['referenceType', 'referenceId', 'description'])
        for (const escape of escapes) {
          const answer = await postWith(account, `wallet/${verb}`, field, `"${escape}"`)
          const refused = { code: 'INVALID_REQUEST', error: new RegExp(`'${field}'`) }
          t.match(answer, { status: 400, body: refused }, answer.text)
        }
    for (const escape of escapes) {
      const refundOf = `{"referenceType":"A","referenceId":"${escape}"}`
      const answer = await postWith(account, 'wallet/credit', 'refundOf', refundOf)
      t.match(answer, { status: 400, body: { error: /'refundOf\.referenceId'/ } })
    }
    t.equal(await account.balance(), 10)
    await watch.wasUnharmed(t)
  })

  t.test('bytes that are no UTF-8, and a bare NUL, are a 400', async (t) => {
    const account = await on.account(10)
    const watch = watchOver(await on.account(100))
    for (const hex of [...brokenBytes, '00'])
      for (const field of ['referenceType', 'referenceId', 'description', 'clientSecret']) {
        const poison = Buffer.from(hex, 'hex')
        const answer = await postWith(account, 'wallet/debit', field, [quote, poison, quote])
        t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST' } }, hex)
      }
    t.equal(await account.balance(), 10)
    await watch.wasUnharmed(t)
  })

  t.test('no field of any route lets poison through to a fault of ours', async (t) => {
    const account = await on.account(10)
    const watch = watchOver(await on.account(100))
    const poisons = ['\0', 'a\0b', `${nobody}\0`, 'x'.repeat(6_000)]
    const fields = ['clientId', 'clientSecret', 'serviceUserId', 'linkProof', 'requiredAmount']
    const filters = ['referenceType', 'referenceId', 'cursor', 'limit', 'from', 'type', 'at']
    const through: string[] = []
    let asked = 0
    for (const route of routes)
      for (const field of [...fields, ...filters]) {
        const sent = poisons.map((poison) => ask(route, account, { [field]: poison }))
        for (const { status, text } of await Promise.all(sent)) {
          const isThrough = status >= 500 || (status === 200 && field in route.fields())
          if (isThrough) through.push(`${route.name} ${field}: ${status} ${text}`)
          asked += 1
        }
      }
    t.same(through, [], `${asked} requests`)
    t.equal(asked, routes.length * (fields.length + filters.length) * poisons.length)
    await watch.wasUnharmed(t)
  })

  t.test('poison in an address is a 400, a 401 or a 431, never a fault of ours', async (t) => {
    const account = await on.account(10)
    const { clientId, clientSecret, serviceUserId } = account.identity as Record<string, string>
    const query = `clientId=${clientId}&clientSecret=${clientSecret}&serviceUserId=${serviceUserId}`
    const poisons = ['%00', '%ED%A0%80', '%FF', '%', '%zz', '%C0%80', 'a'.repeat(20_000)]
    for (const poison of poisons)
      for (const [path, expected] of [
        [`/api/server/wallet/outcome?${query}&referenceId=x&referenceType=`, [200, 400, 431]],
        [`/api/server/wallet?${query}&referenceType=`, [200, 400, 431]],
        [`/api/server/wallet?${query}&cursor=`, [400, 431]],
        [`/api/server/wallet?clientId=${clientId}&serviceUserId=x&clientSecret=`, [401, 431]],
        [`/api/server/wallet?clientSecret=${clientSecret}&clientId=`, [401, 431]],
        [
          `/api/server/wallet?clientId=${clientId}&clientSecret=${clientSecret}&serviceUserId=`,
          [400, 401, 431],
        ],
      ] as const) {
        const answer = await on.api.send('GET', path + poison)
        const isExpected = (expected as readonly number[]).includes(answer.status)
        t.ok(isExpected, `${poison.slice(0, 12)} in ${path.split('?')[0] ?? ''}: ${answer.status}`)
        t.type(answer.body['error'] ?? '', 'string')
      }
    t.match(await account.outcome({ referenceType: 'A\0', referenceId: 'x' }), {
      status: 400,
      body: { error: /'referenceType'/ },
    })
  })

  t.test('references of 6 kB are a 400 that names the field', async (t) => {
    const account = await on.account(10)
    for (const field of ['referenceType', 'referenceId']) {
      const answer = await account.debit(1, { ...freshReference(), [field]: 'x'.repeat(6_000) })
      t.match(answer, { status: 400, body: { error: new RegExp(`'${field}'`) } })
    }
  })
}

function registerBooked(t: Test, on: OwnService): void {
  t.test('odd but well-formed text is booked and read back as it was', async (t) => {
    const account = await on.account(0)
    const texts = [
      '\u0001\u001f\u007f\u0080',
      '"quoted" \\ and \\u0000 and \\',
      '\ufeffmark\ufffe\uffff',
      '\u2028\u2029\u202e\u200d',
      '\u{10ffff}\u{1f469}\u200d\u{1f467}',
      "$1 :name %s ' -- /* ; \\x00",
      '{"__proto__":{"a":1}}',
      'e\u0301'.repeat(20),
    ]
    for (const text of texts) {
      const pair = { referenceType: text, referenceId: freshReference().referenceId + text }
      t.equal((await account.credit(1, pair, { description: text })).status, 200, text)
      t.ok(isReplay(await account.credit(1, pair)))
      const { transactions } = await account.read({ limit: 1, referenceType: text })
      t.match(transactions, [{ ...pair, description: text }])
      t.match((await account.outcome(pair)).body, { outcome: 'applied' })
    }
    t.equal(await account.balance(), texts.length)
  })

  t.test('the largest description in every command of full batches is booked', async (t) => {
    const account = await on.account(0)
    // An ordinary crowd on one wallet, in this very run, is the measure: machines differ.
    const ordinary = await on.account(0)
    const ordinaryWatch = watchOver(await on.account(100))
    const crowd = Array.from({ length: batchCommandsMax + 10 }, () => ordinary.credit(0.01))
    for (const answer of await Promise.all(crowd)) body(answer)
    const ordinaryMs = await ordinaryWatch.wasUnharmed(t, Infinity)
    const watch = watchOver(await on.account(100))
    const description = '\u{1f9fe}'.repeat(500)
    // More than one append can hold, by count and by bytes, with some poison in between.
    const commands = Array.from({ length: batchCommandsMax + 10 }, (_unused, index) => ({
      amount: 0.01,
      referenceType: '\u{1f9fe}'.repeat(16),
      referenceId: `${index}-`.padEnd(200, 'x'),
      description: index % 50 === 49 ? '\ud800' : description,
    }))
    const send = () => Promise.all(commands.map((command) => account.command('credit', command)))
    const answers = await send()
    const poisoned = answers.filter(({ status }) => status === 400).length
    t.equal(poisoned, Math.floor(commands.length / 50))
    t.equal(answers.filter(({ status }) => status === 200).length, commands.length - poisoned)
    t.equal(await account.balance(), (commands.length - poisoned) / 100)
    const repeated = await send()
    t.same(
      repeated.map(({ status, text }) => [status, text]),
      answers.map(({ status, text }) => [status, text]),
    )
    await watch.wasUnharmed(t, 2 * ordinaryMs)
  })
}

function registerPoisonedPeople(t: Test, on: OwnService): void {
  t.test('poison in a sign-up or a login is refused, or in a field that is not read', async (t) => {
    for (const path of ['/api/widget/auth/signup', '/api/widget/auth/login'])
      for (const field of ['clientId', 'email', 'password', 'firstName', 'lastName'])
        for (const escape of escapes.slice(0, 4)) {
          const { clientId } = on.first
          const email = `poison-${freshReference().referenceId}@example.com`
          const person = { clientId, email, password: 'a long pass phrase', firstName: 'A' }
          const text = JSON.stringify({ ...person, lastName: 'B', [field]: '@@' })
          const answer = await on.api.postRaw(path, text.replace('@@', escape))
          const isRefused = answer.status >= 400 && answer.status < 500
          const isIgnored = path.endsWith('login') && field.endsWith('Name')
          t.ok(isRefused || isIgnored, `${path} ${field}: ${answer.status} ${answer.text}`)
        }
  })
}

const quote = Buffer.from('"')

/** Often enough to meet every batch, and no load of its own. */
const watchPauseMs = 5

/** A right request with the bytes of one field's value replaced. */
function postWith(
  account: Account,
  path: string,
  field: string,
  value: string | readonly Buffer[],
): Promise<Answer> {
  const right = { ...account.identity, amount: 1, ...freshReference(), [field]: '@@' }
  const [before = '', after = ''] = JSON.stringify(right).split('"@@"')
  const bytes = typeof value === 'string' ? [Buffer.from(value)] : value
  const text = Buffer.concat([Buffer.from(before), ...bytes, Buffer.from(after)])
  return account.api.postRaw(`/api/server/${path}`, text)
}

/**
 * One command after the other, with short pauses, on a bystander's wallet until asked: none may
 * fail, and none may wait as long as a batch that has to be sent again does.
 */
function watchOver(bystander: Account): {
  wasUnharmed(t: Test, ordinaryMs?: number): Promise<number>
} {
  const over = new AbortController()
  let slowestMs = 0
  let count = 0
  const run = (async () => {
    do {
      const startedMs = performance.now()
      body(await bystander.debit(0.01))
      slowestMs = Math.max(slowestMs, performance.now() - startedMs)
      count += 1
      await pause(watchPauseMs)
    } while (!over.signal.aborted)
  })()
  // Reported where it is awaited.
  run.catch(() => undefined)
  return {
    async wasUnharmed(t, ordinaryMs = 0) {
      over.abort()
      await run
      t.equal(await bystander.balance(), (10_000 - count) / 100, `${count} debits beside it`)
      const allowedMs = ordinaryMs + appendWatchdogMs
      t.ok(slowestMs < allowedMs, `slowest ${Math.round(slowestMs)} of ${Math.round(allowedMs)} ms`)
      return slowestMs
    },
  }
}
