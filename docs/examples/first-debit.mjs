/**
 * Credit, debit, repeat, refund and read, with the typed client. Needs the variables that
 * `client-apps create --env` and `users create --env` print:
 *   node --env-file=shop.env docs/examples/first-debit.mjs
 */
import { randomUUID } from 'node:crypto'
import { WalletClient } from 'wallet-service/client'

const wallet = new WalletClient({
  url: process.env.WALLET_URL,
  clientId: process.env.WALLET_CLIENT_ID,
  clientSecret: process.env.WALLET_CLIENT_SECRET,
})
const serviceUserId = process.env.WALLET_USER_ID

// A reference has one outcome for ever: yours come from your own records, such as order numbers.
const order = randomUUID()
const payment = { referenceType: 'ORDER_PAYMENT', referenceId: `${order}-1` }
const refund = { referenceType: 'ORDER_REFUND', referenceId: `${order}-refund-1` }

const gift = { serviceUserId, amount: 20, referenceType: 'GIFT_CARD', referenceId: order }
console.log('credit', (await wallet.credit(gift)).outcome)
const debit = { serviceUserId, amount: '19.99', ...payment, description: 'One book' }
console.log('debit', (await wallet.debit(debit)).outcome)
console.log('the same again', (await wallet.debit(debit)).outcome, 'and no second debit')
console.log('refund', (await wallet.refund({ ...debit, ...refund, refundOf: payment })).outcome)

const tooMuch = { ...debit, amount: 900_000, referenceId: `${order}-2` }
const declined = await wallet.debit(tooMuch)
console.log('more than there is', declined.outcome, declined.code)

for await (const { type, amount, description } of wallet.transactions({ serviceUserId, limit: 3 }))
  console.log(type, amount.toFixed(2), description ?? '')
