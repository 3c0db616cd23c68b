/**
 * Our documented extensions about outcomes: headers of a repeat, the shortfall of a decline, the
 * outcome look-up, voiding a reference, refunds guarded by the debit they refund. A client that
 * ignores all of them sees the plain contract.
 */
import type { Test } from 'tap'
import { onEveryDeployment, testInside } from './support/deployment.js'
import { essence, freshReference, isReplay } from './support/wallet-api.js'
import type { Answer, Reference } from './support/wallet-api.js'

onEveryDeployment(5, (t, on) => {
  t.test('extension Idempotency-Replayed: only a repeat has the header', async (t) => {
    const account = await on.account(10)
    for (const amount of [1, 100]) {
      const pair = freshReference()
      t.equal((await account.debit(amount, pair)).headers.get('idempotency-replayed'), null)
      const repeat = await account.debit(amount, pair)
      t.equal(repeat.headers.get('idempotency-replayed'), 'true')
      t.equal(repeat.headers.get('reference-mismatch'), null)
    }
  })

  t.test('extension Reference-Mismatch: it names what differs from the original', async (t) => {
    const account = await on.account(100)
    const [order, refund] = [freshReference(), freshReference('ORDER_REFUND')]
    await account.debit(10, order)
    await account.credit(4, refund, { refundOf: order })
    const mismatch = async (answer: Promise<Answer>) =>
      (await answer).headers.get('reference-mismatch')
    t.equal(await mismatch(account.debit(10.01, order)), 'amount')
    t.equal(await mismatch(account.credit(10, order)), 'verb')
    t.equal(await mismatch(account.credit(9, order)), 'amount, verb')
    t.equal(await mismatch(account.debit(10, order, { description: 'other' })), null)
    t.equal(await mismatch(account.credit(4, refund)), 'refundOf')
    t.equal(await mismatch(account.credit(4, refund, { refundOf: freshReference() })), 'refundOf')
    t.equal(await mismatch(account.credit(4, refund, { refundOf: order })), null)
    const declined = freshReference()
    await account.debit(1_000, declined)
    t.equal(await mismatch(account.debit(1, declined)), 'amount')
    const voided = freshReference()
    await account.void(voided)
    t.equal(await mismatch(account.debit(1, voided)), null, 'a void has no amount to differ from')
    t.equal(await mismatch(account.credit(1, voided)), null)
    t.equal(await account.balance(), 94)
  })

  t.test('extension shortfall: a decline says by how much it fell short', async (t) => {
    const account = await on.account(7.3)
    const pair = freshReference()
    const answer = await account.debit(10.1, pair)
    t.match(answer.body, { balance: 7.3, requiredAmount: 10.1, shortfall: 2.8 })
    await account.credit(50)
    t.same(essence(await account.debit(10.1, pair)), essence(answer), 'the figures of then')
    const { body } = await (await on.account(0)).debit(0.01)
    t.match(body, { balance: 0, requiredAmount: 0.01, shortfall: 0.01 })
  })

  t.test('extension outcome: what became of a reference, with the original answer', async (t) => {
    const account = await on.account(10)
    const [applied, declined, unknown] = [freshReference(), freshReference(), freshReference()]
    const answers = [await account.debit(1, applied), await account.debit(99, declined)]
    const [first, second] = answers
    await account.credit(500)
    t.same((await account.outcome(applied)).body, {
      outcome: 'applied',
      final: true,
      status: 200,
      answer: first?.body,
    })
    t.same((await account.outcome(declined)).body, {
      outcome: 'declined',
      final: true,
      status: 400,
      answer: second?.body,
    })
    t.same((await account.outcome(unknown)).body, { outcome: 'never_seen', final: false })
    t.notOk(isReplay(await account.debit(1, unknown)), 'looking uses nothing up')
    t.match((await account.outcome(unknown)).body, { outcome: 'applied' })
  })

  t.test('extension outcome: each client app has its own references', async (t) => {
    const account = await on.account(10)
    const pair = freshReference()
    await account.debit(1, pair)
    const theirs = await account.as(on.second).outcome(pair)
    t.same(theirs.body, { outcome: 'never_seen', final: false })
    const other = await on.account()
    t.match((await other.outcome(pair)).body, { outcome: 'never_seen' }, 'another wallet')
  })

  t.test('extension outcome: asked while the command is under way it waits for it', async (t) => {
    const account = await on.account(100)
    const pairs = Array.from({ length: 20 }, () => freshReference())
    for (const pair of pairs) {
      const debit = account.debit(1, pair)
      const look = account.outcome(pair)
      t.equal((await debit).status, 200)
      const { body } = await look
      // The look may have overtaken the debit on the way; it is then never final.
      if (body['outcome'] === 'never_seen') t.equal(body['final'], false)
      else t.match(body, { outcome: 'applied', final: true })
      t.match((await account.outcome(pair)).body, { outcome: 'applied' }, 'after the answer')
    }
  })

  t.test('extension void: a free reference is closed for ever', async (t) => {
    const account = await on.account(10)
    const pair = freshReference()
    const voided = await account.void(pair)
    t.equal(voided.status, 200)
    t.match(voided.body, {
      outcome: 'declined',
      final: true,
      status: 409,
      answer: { code: 'VOIDED', error: /new referenceId/ },
    })
    for (const late of [await account.debit(1, pair), await account.credit(1, pair)]) {
      t.match(late, { status: 409, body: { code: 'VOIDED' } })
      t.ok(isReplay(late))
      t.same(late.body, voided.body['answer'])
    }
    t.same((await account.outcome(pair)).body, voided.body)
    t.same((await account.void(pair)).body, voided.body, 'again')
    t.equal(await account.balance(), 10)
  })

  t.test('extension void: a used reference keeps its outcome', async (t) => {
    const account = await on.account(10)
    const [applied, declined] = [freshReference(), freshReference()]
    await account.debit(4, applied)
    await account.debit(400, declined)
    for (const pair of [applied, declined])
      t.same((await account.void(pair)).body, (await account.outcome(pair)).body)
    t.match((await account.void(applied)).body, { outcome: 'applied', final: true, status: 200 })
    t.equal(await account.balance(), 6)
    const theirs = await account.as(on.second).void(applied)
    t.match(theirs.body, { outcome: 'declined', answer: { code: 'VOIDED' } }, 'another app’s own')
    t.match((await account.outcome(applied)).body, { outcome: 'applied' })
  })

  t.test('extension void: racing its own debit, one of them wins for both', async (t) => {
    const account = await on.account(100)
    const outcomes: unknown[] = []
    for (let round = 0; round < 10; round += 1) {
      const pair = freshReference()
      const send = [() => account.debit(1, pair), () => account.void(pair)]
      const order = round % 2 === 0 ? send : send.toReversed()
      await Promise.all(order.map((ask) => ask()))
      const { body } = await account.outcome(pair)
      t.equal(body['final'], true)
      t.same((await account.void(pair)).body, body)
      const repeat = await account.debit(1, pair)
      t.same({ status: repeat.status, answer: repeat.body }, pick(body))
      outcomes.push(body['outcome'])
    }
    const applied = outcomes.filter((outcome) => outcome === 'applied').length
    t.equal(await account.balance(), 100 - applied)
  })

  testInside(t, on, 'extension void: it also works on an inactive wallet', async (t, control) => {
    const account = await on.account(1)
    await control.setActive(account, false)
    t.match((await account.void(freshReference())).body, { answer: { code: 'VOIDED' } })
  })

  t.test('extension refundOf: never more than the debit took, in all', async (t) => {
    const account = await on.account(100)
    const order = freshReference()
    await account.debit(10, order)
    const refund = (amount: number, pair?: Reference) =>
      account.credit(amount, pair ?? freshReference('ORDER_REFUND'), { refundOf: order })
    t.equal((await refund(4)).status, 200)
    const late = freshReference('ORDER_REFUND')
    const declined = await refund(6.01, late)
    exceeds(t, declined)
    t.equal((await refund(6)).status, 200)
    exceeds(t, await refund(0.01))
    t.equal(await account.balance(), 100)
    t.same(essence(await refund(6.01, late)), essence(declined), 'an outcome for ever')
    t.equal((await account.credit(5)).body['balance'], 105, 'a plain credit is not guarded')
  })

  t.test('extension refundOf: refunds at the same moment add up too', async (t) => {
    const account = await on.account(10)
    const order = freshReference()
    await account.debit(10, order)
    const answers = await Promise.all(
      Array.from({ length: 32 }, () =>
        account.credit(1, freshReference('ORDER_REFUND'), { refundOf: order }),
      ),
    )
    t.equal(answers.filter(({ status }) => status === 200).length, 10)
    t.equal(await account.balance(), 10)
  })

  t.test('extension refundOf: only this app’s applied debit of this wallet counts', async (t) => {
    const account = await on.account(100)
    const other = await on.account(100)
    const [theirs, elsewhere, credited, declined, voided] = Array.from({ length: 5 }, () =>
      freshReference(),
    ) as [Reference, Reference, Reference, Reference, Reference]
    await account.as(on.second).debit(10, theirs)
    await other.debit(10, elsewhere)
    await account.credit(10, credited)
    await account.debit(10_000, declined)
    await account.void(voided)
    for (const refundOf of [freshReference(), theirs, elsewhere, credited, declined, voided])
      exceeds(t, await account.credit(1, freshReference(), { refundOf }))
    t.equal(await account.balance(), 100)
  })

  t.test('extension refundOf: malformed, it is a 400 that names the field', async (t) => {
    const account = await on.account(10)
    const wrongs = [null, 'x', 7, [], {}, { referenceType: 'A' }, { referenceId: 'x' }]
    const bounds = { referenceType: 'x'.repeat(65), referenceId: 'x' }
    for (const refundOf of [...wrongs, bounds, { referenceType: 'A', referenceId: 7 }]) {
      const answer = await account.credit(1, freshReference(), { refundOf })
      t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST', error: /'refundOf/ } })
    }
  })

  function exceeds(t: Test, answer: Answer): void {
    t.match(answer, { status: 400, body: { code: 'REFUND_EXCEEDS_DEBIT' } }, answer.text)
  }

  function pick(outcome: Answer['body']): object {
    return { status: outcome['status'], answer: outcome['answer'] }
  }
})
