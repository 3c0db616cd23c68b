// Beyond the contract: holds, which set money aside for a client app until it captures or releases
// it, or until their time is over. What a client that knows nothing of them sees stays as it was.
import { onEveryDeployment, testInside } from './support/deployment.js'
import { essence, freshReference, isReplay } from './support/wallet-api.js'
import type { Answer, Reference } from './support/wallet-api.js'

onEveryDeployment(12, (t, on) => {
  t.test('extension hold: sets an amount aside and leaves the balance', async (t) => {
    const account = await on.account(100)
    const [plain] = [await account.wallet()]
    t.notOk('available' in plain.body || 'held' in plain.body, 'nothing new without a hold')
    const pair = freshReference('HOLD')
    const sentMs = Date.now()
    const placed = await account.hold(60, pair)
    const { expiresAt, ...sums } = placed.body
    const message = 'Hold placed.'
    t.same(sums, { balance: 100, available: 40, held: 60, message })
    const weekMs = 7 * 86_400_000
    t.ok(Math.abs(Date.parse(String(expiresAt)) - sentMs - weekMs) < 60_000, 'for seven days')
    t.match((await account.wallet()).body, { balance: 100, available: 40, held: 60 })
    t.match((await account.checkBalance(41)).body, {
      ...{ balance: 100, available: 40, held: 60, hasSufficientBalance: false },
    })
    t.match((await account.checkBalance(40)).body, { hasSufficientBalance: true })
    t.match(await account.debit(41), {
      status: 400,
      body: { code: 'INSUFFICIENT_BALANCE', balance: 100, requiredAmount: 41, shortfall: 1 },
    })
    t.match((await account.debit(10)).body, { balance: 90, available: 30, held: 60 })
    t.match((await account.credit(5)).body, { balance: 95, available: 35, held: 60 })
    const { transactions } = await account.read()
    t.notOk(transactions.some(({ referenceId }) => referenceId === pair.referenceId))
    const repeat = await account.hold(60, pair)
    t.same(essence(repeat), essence(placed), 'byte for byte')
    t.ok(isReplay(repeat))
    await account.release(pair)
    t.same(essence(await account.hold(60, pair)), essence(placed), 'also when it is over')
    t.notOk('held' in (await account.wallet()).body)
  })

  t.test('extension hold: is declined as a debit is', async (t) => {
    const account = await on.account(10)
    const pair = freshReference()
    const declined = await account.hold(10.01, pair)
    const body = { code: 'INSUFFICIENT_BALANCE', balance: 10, requiredAmount: 10.01 }
    t.match(declined, { status: 400, body: { ...body, shortfall: 0.01 } })
    await account.credit(100)
    t.same(essence(await account.hold(10.01, pair)), essence(declined), 'for ever')
    const captured = await account.capture(pair)
    t.match(captured, { status: 409, body: { code: 'HOLD_CLOSED' } }, 'and cannot be captured')
    const voided = freshReference()
    await account.void(voided)
    t.match(await account.hold(1, voided), { status: 409, body: { code: 'VOIDED' } })
  })

  t.test('extension capture: in parts, up to what is held', async (t) => {
    const account = await on.account(100)
    const pair = await hold(account, 60)
    const first = freshReference('CAPTURE')
    const part = await account.capture(pair, first, { amount: 20 })
    t.same(part.body, { balance: 80, available: 40, held: 40, message: 'Hold captured.' })
    const tooMuch = freshReference('CAPTURE')
    const refused = await account.capture(pair, tooMuch, { amount: 40.01 })
    t.match(refused, { status: 400, body: { code: 'CAPTURE_EXCEEDS_HOLD' } })
    const rest = await account.capture(pair)
    t.same(rest.body, { balance: 40, available: 40, held: 0, message: 'Hold captured.' })
    t.match(await account.capture(pair), { status: 409, body: { code: 'HOLD_CLOSED' } })
    const repeats = [
      await account.capture(pair, first, { amount: 20 }),
      await account.capture(pair, tooMuch, { amount: 40.01 }),
    ]
    t.same(repeats.map(essence), [part, refused].map(essence))
    t.ok(repeats.every(isReplay))
    const listed = (await account.read()).transactions.filter(({ type }) => type === 'debit')
    t.match(listed, [
      { amount: 40, balanceAfter: 40 },
      { amount: 20, referenceType: 'CAPTURE' },
    ])
    t.match((await account.outcome(first)).body, { outcome: 'applied', answer: part.body })
    t.match((await account.outcome(tooMuch)).body, { outcome: 'declined', status: 400 })
  })

  t.test('extension capture: a final one releases the rest, a refund gives it back', async (t) => {
    const account = await on.account(100)
    const pair = await hold(account, 60)
    const reference = freshReference('CAPTURE')
    const captured = await account.capture(pair, reference, { amount: 25, final: true })
    t.same(captured.body, { balance: 75, available: 75, held: 0, message: 'Hold captured.' })
    t.match(await account.release(pair), { status: 409, body: { code: 'HOLD_CLOSED' } })
    const refund = await account.credit(25, freshReference(), { refundOf: reference })
    t.match(refund.body, { balance: 100 })
    const more = await account.credit(0.01, freshReference(), { refundOf: reference })
    t.match(more, { status: 400, body: { code: 'REFUND_EXCEEDS_DEBIT' } })
  })

  t.test('extension release: makes what is left available again, once', async (t) => {
    const account = await on.account(100)
    const pair = await hold(account, 60)
    await account.capture(pair, freshReference(), { amount: 10 })
    const reference = freshReference('RELEASE')
    const released = await account.release(pair, reference)
    t.same(released.body, { balance: 90, available: 90, held: 0, message: 'Hold released.' })
    t.same(essence(await account.release(pair, reference)), essence(released))
    for (const closed of [await account.release(pair), await account.capture(pair)])
      t.match(closed, { status: 409, body: { code: 'HOLD_CLOSED', error: /new referenceId/ } })
    const nothing = await account.release(freshReference())
    t.match(nothing, { status: 409, body: { code: 'HOLD_CLOSED' } }, 'what never was')
  })

  t.test('extension hold: is the app’s own, and its references are as all others', async (t) => {
    const account = await on.account(100)
    const pair = await hold(account, 60)
    const other = account.as(on.second)
    t.match(await other.capture(pair), { status: 409, body: { code: 'HOLD_CLOSED' } })
    t.match(await other.release(pair), { status: 409, body: { code: 'HOLD_CLOSED' } })
    t.match((await other.wallet()).body, { balance: 100, available: 40, held: 60 })
    t.match(await other.debit(41), { status: 400, body: { code: 'INSUFFICIENT_BALANCE' } })
    const debit = await account.debit(60, pair)
    t.match(debit, { status: 200, body: { message: 'Hold placed.', held: 60 } })
    t.equal(debit.headers.get('reference-mismatch'), 'verb')
    const repeat = await account.hold(59, pair, { expiresInSeconds: 60 })
    t.equal(repeat.headers.get('reference-mismatch'), 'amount')
    t.match((await account.void(pair)).body, { outcome: 'applied', answer: { held: 60 } })
    await account.release(pair)
  })

  t.test('extension hold: one of capture, release and debit has the money', async (t) => {
    const account = await on.account(60)
    for (let round = 0; round < 5; round += 1) {
      const pair = await hold(account, 60)
      const answers = await Promise.all([
        account.capture(pair),
        account.release(pair),
        account.capture(pair, freshReference(), { amount: 60 }),
        account.debit(60),
      ])
      const [one, released, other] = answers.map(({ status }) => status === 200)
      t.equal([one, released, other].filter(Boolean).length, 1, codesOf(answers))
      const balance = await account.balance()
      t.ok(balance === 0 || balance === 60, codesOf(answers))
      await account.credit(60 - balance || 1)
      await account.setBalance(60)
    }
  })

  t.test('extension hold: a hundred are open at most', async (t) => {
    const account = await on.account(200)
    const pairs = Array.from({ length: 100 }, () => freshReference('HOLD'))
    await Promise.all(pairs.map((pair) => account.hold(1, pair)))
    const tooMany = await account.hold(1)
    t.match(tooMany, { status: 400, body: { code: 'TOO_MANY_HOLDS' } })
    t.match((await account.wallet()).body, { available: 100, held: 100 })
    await Promise.all(pairs.map((pair) => account.release(pair)))
    const last = await hold(account, 200)
    await account.release(last)
  })

  t.test('extension hold: what is wrong with a field is said', async (t) => {
    const account = await on.account(10)
    const pair = freshReference()
    const problems: [Promise<Answer>, RegExp][] = [
      [account.hold(0), /'amount' must be above 0/],
      [account.hold(1, pair, { expiresInSeconds: 59 }), /'expiresInSeconds' must be a whole/],
      [account.hold(1, pair, { expiresInSeconds: 2_678_401 }), /from 60 to 2678400/],
      [account.hold(1, pair, { expiresInSeconds: '60' }), /'expiresInSeconds' must be a whole/],
      [account.command('hold/capture', { ...pair }), /'holdOf' must hold referenceType/],
      [account.capture({ referenceType: 'A' } as Reference), /'holdOf.referenceId' is missing/],
      [account.capture(pair, pair, { amount: -1 }), /'amount' must be above 0/],
      [account.capture(pair, pair, { final: 'yes' }), /'final' must be true or false/],
      [account.command('hold/release', { holdOf: pair }), /'referenceType' is missing/],
    ]
    for (const [answer, error] of problems)
      t.match(await answer, { status: 400, body: { code: 'INVALID_REQUEST', error } })
    t.match((await account.outcome(pair)).body, { outcome: 'never_seen' }, 'nothing was used up')
  })

  testInside(t, on, 'extension hold: an inactive wallet only releases', async (t, control) => {
    const account = await on.account(100)
    const pair = await hold(account, 60)
    await control.setActive(account, false)
    t.match(await account.capture(pair), { status: 403, body: { code: 'WALLET_INACTIVE' } })
    t.match(await account.hold(1), { status: 403, body: { code: 'WALLET_INACTIVE' } })
    t.match(await account.release(pair), { status: 200, body: { balance: 100, held: 0 } })
  })
})

type Holder = Awaited<ReturnType<Parameters<Parameters<typeof onEveryDeployment>[1]>[1]['account']>>

async function hold(account: Holder, amount: number): Promise<Reference> {
  const pair = freshReference('HOLD')
  const { status, text } = await account.hold(amount, pair)
  if (status !== 200) throw new Error(text)
  return pair
}

function codesOf(answers: readonly Answer[]): string {
  return answers.map(({ status, text }) => `${status} ${text}`).join(', ')
}
