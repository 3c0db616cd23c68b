// sandbox: what banks and card holders do after a payment, and that the ledger follows.
import t from 'tap'
import { refused, runJson } from './json-commands.js'
import { TestTopUps } from '../support/top-ups.js'

t.test('refunds and disputes made on the command line reach the wallet', async (t) => {
  const made = await TestTopUps.open(t)
  const user = await made.makeUser()
  const paid = await made.paid(user, 10_000)
  const environment = { DATABASE_URL: made.ledger.url, NODE_ENV: 'test' }
  const run = async (...args: string[]) => {
    const result = await runJson<Record<string, string>>(t, ['sandbox', ...args], environment)
    await made.topUps.settle(paid)
    return result
  }
  const { refundId = '' } = await run('refund', paid, '--amount', '12.50')
  t.equal(await made.balance(user), 8_750)
  await run('fail-refund', refundId)
  t.equal(await made.balance(user), 10_000)
  const { disputeId = '' } = await run('dispute', paid)
  t.equal(await made.balance(user), 0)
  await run('close-dispute', disputeId, '--won')
  t.equal(await made.balance(user), 10_000)

  const cases = [
    [['refund', 'pi_nobody'], /No such payment_intent.*\nNothing was changed/],
    [['refund', paid, '--amount', '100.01'], /not left to refund/],
    [['refund', paid, '--amount', '1e3'], /--amount is '1e3'/],
    [['close-dispute', disputeId], /No such open dispute/],
  ] as const
  for (const [args, sentence] of cases)
    await refused(t, ['sandbox', ...args], environment, sentence)
  const off = { ...environment, PAYMENTS: 'off' }
  await refused(t, ['sandbox', 'dispute', paid], off, /not the sandbox here/)
})
