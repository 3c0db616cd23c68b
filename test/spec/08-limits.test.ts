/**
 * Section 8 of the contract, where it is silent, as our reference says (docs/reference/server-api):
 * bounds on amounts, references, descriptions and pages, exact at their edges.
 */
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { entryIdOf } from '../../src/domain/ids.js'
import { balanceMaxMinor } from '../../src/domain/money.js'
import { reference } from '../../src/domain/reference.js'
import { onEveryDeployment, testInside } from './support/deployment.js'
import { essence, freshReference, isReplay } from './support/wallet-api.js'
import type { Answer } from './support/wallet-api.js'

onEveryDeployment(4, (t, on) => {
  t.test('8 amount: above 0, at most 1,000,000.00, at most two decimals', async (t) => {
    const account = await on.account(0)
    for (const amount of [0.01, 1, 999_999.99, 1_000_000, 1e6, 12.3])
      t.equal((await account.credit(amount)).status, 200, `${amount}`)
    for (const amount of [1_000_000.01, 1e7, 1e21, Number.MAX_VALUE, 0.009, 1e-7, 12.345, 0, -0])
      isInvalid(t, await account.credit(amount), 'amount')
    t.match((await account.credit(1_000_001)).body['error'], /must be at most 1000000\.00\.$/)
  })

  t.test('8 requiredAmount: 0 and amounts above the maximum are questions too', async (t) => {
    const account = await on.account(1)
    const accepted = {
      '0': 0,
      '0.00': 0,
      '1000000.01': 1_000_000.01,
      '99999999999.99': 99999999999.99,
    }
    for (const [text, requiredAmount] of Object.entries(accepted))
      t.match(await account.checkBalance(text), { status: 200, body: { requiredAmount } }, text)
    for (const text of ['0.001', '1.999', '9'.repeat(40), `0.${'0'.repeat(30)}1`])
      isInvalid(t, await account.checkBalance(text), 'requiredAmount')
  })

  t.test('8 referenceType: 1 to 64 bytes of UTF-8', async (t) => {
    const account = await on.account(0)
    const { referenceId } = freshReference()
    for (const referenceType of ['x', 'x'.repeat(64), 'é'.repeat(32), '🧾'.repeat(16)])
      t.equal((await account.credit(1, { referenceType, referenceId })).status, 200)
    for (const referenceType of ['', 'x'.repeat(65), `${'é'.repeat(32)}x`, '🧾'.repeat(17)])
      isInvalid(t, await account.credit(1, { referenceType, referenceId }), 'referenceType')
    t.equal(await account.balance(), 4)
  })

  t.test('8 referenceId: 1 to 200 bytes of UTF-8', async (t) => {
    const account = await on.account(0)
    const run = randomUUID()
    const filled = (text: string, times: number) => run + text.repeat(times)
    const room = 200 - run.length
    const longest = [filled('x', room), filled('é', room / 2), filled('🧾', room / 4)]
    for (const referenceId of longest) {
      const pair = { referenceType: 'EDGE', referenceId }
      t.equal((await account.credit(1, pair)).status, 200)
      t.ok(isReplay(await account.credit(1, pair)))
      t.match((await account.outcome(pair)).body, { outcome: 'applied' })
    }
    for (const text of longest)
      isInvalid(
        t,
        await account.credit(1, { ...freshReference(), referenceId: `${text}x` }),
        'referenceId',
      )
    t.equal(await account.balance(), 3)
  })

  t.test('8 description: at most 500 characters, however many bytes', async (t) => {
    const account = await on.account(0)
    for (const description of ['', 'x'.repeat(500), '🧾'.repeat(500), 'line\n'.repeat(100)]) {
      t.equal((await account.credit(1, freshReference(), { description })).status, 200)
      const [newest] = (await account.read({ limit: 1 })).transactions
      t.equal(newest?.description, description)
    }
    for (const description of ['x'.repeat(501), '🧾'.repeat(501)])
      isInvalid(t, await account.credit(1, freshReference(), { description }), 'description')
  })

  t.test('8 page: 50 records, limit from 1 to 500', async (t) => {
    const account = await on.account(0)
    await Promise.all(Array.from({ length: 60 }, () => account.credit(0.01)))
    t.equal((await account.read()).transactions.length, 50)
    for (const limit of [1, 49, 60])
      t.equal((await account.read({ limit })).transactions.length, limit)
    t.equal((await account.wallet({ limit: 500 })).status, 200)
    for (const limit of ['0', '501', '-1', '1.5', '1e2', '+5', '', 'all', ' 5'])
      isInvalid(t, await account.wallet({ limit }), 'limit')
  })

  testInside(
    t,
    on,
    '8 balance: a credit that would lift it beyond 15 digits is declined',
    async (t, control) => {
      const account = await on.account(0)
      const own = reference('TOPUP', randomUUID())
      await control.execute(account, (walletId) => ({
        type: 'TopUp',
        issuer: 'service',
        entryId: entryIdOf({ issuer: 'service', walletId, reference: own }),
        reference: own,
        amountMinor: balanceMaxMinor - 1,
      }))
      const pair = freshReference()
      const declined = await account.credit(0.02, pair)
      t.match(declined, { status: 400, body: { code: 'BALANCE_LIMIT_EXCEEDED' } })
      t.equal((await account.credit(0.01)).body['balance'], 9_999_999_999_999.99)
      await account.debit(100)
      t.same(essence(await account.credit(0.02, pair)), essence(declined), 'an outcome for ever')
      t.equal(await account.balance(), 9_999_999_999_899.99)
    },
  )

  function isInvalid(t: Test, answer: Answer, field: string): void {
    t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST' } }, answer.text)
    t.match(answer.body['error'], new RegExp(`'${field}'`))
  }
})
