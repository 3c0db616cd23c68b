// The states of the top-up page, from choosing an amount to the money in the wallet.
import t from 'tap'
import {
  next,
  startingTopUp,
  type ConfirmAnswer,
  type Step,
  type TopUp,
} from '../../widget-ui/src/topup/top-up-flow.js'

const live = { isOff: false, isEnded: false, isReturning: false }
const intent = {
  paymentIntentId: 'pi_1',
  paymentSecret: 'pi_1_secret',
  publishableKey: null,
  amount: 25,
}

const choose: Step = { type: 'choose', amount: 25 }
const made: Step = { type: 'intent made', intent }
const pay: Step = { type: 'pay' }
const ended: Step = { type: 'session ended' }

function after(...steps: Step[]): TopUp {
  return steps.reduce(next, startingTopUp(live))
}

function told(status: ConfirmAnswer['status'], failure?: string): Step {
  const answer = { paymentIntentId: 'pi_1', status, amount: 25, balance: 30 }
  const said = failure === undefined ? answer : { ...answer, failure }
  return { type: 'told', words: 'The bank did not take it.', answer: said, isDecline: true }
}

t.test('choosing, paying and the service’s word lead to the money in the wallet', async (t) => {
  t.same(after().stage, { name: 'choosing', refusal: undefined })
  t.same(after(choose).stage, { name: 'preparing' })
  t.same(after(choose, made).stage, { name: 'card' })
  t.same(after(choose, made, pay).stage, { name: 'paying' })
  t.same(after(choose, made, pay, told('booked')).stage, {
    name: 'booked',
    amount: 25,
    balance: 30,
  })
})

t.test('the amount and the balance at the end are those of the service', async (t) => {
  const answer = { paymentIntentId: 'pi_1', status: 'booked', amount: 24, balance: 99 } as const
  const { stage } = after(choose, made, pay, { type: 'told', words: '', answer, isDecline: true })
  t.same(stage, { name: 'booked', amount: 24, balance: 99 })
})

t.test('the bank’s check comes out of paying and leads back to it', async (t) => {
  const asked = after(choose, made, pay, { type: 'bank asks' })
  t.same(asked.stage, { name: 'checking' })
  t.same(next(asked, { type: 'bank answered' }).stage, { name: 'paying' })
  t.same(after(choose, made, { type: 'bank asks' }).stage, { name: 'card' }, 'never before it')
})

t.test('a second click changes nothing', async (t) => {
  t.same(after(choose, made, pay, pay), after(choose, made, pay))
  t.same(after(choose, choose), after(choose))
  t.same(after(choose, made, made), after(choose, made))
})

t.test('a declined card is tried again with the same payment', async (t) => {
  const declined = after(choose, made, pay, told('requires_payment', 'Your card was declined.'))
  const reason = 'Your card was declined.'
  t.same(declined.stage, { name: 'failed', reason, isDecline: true })
  const again = next(declined, { type: 'try again' })
  t.same(again, { stage: { name: 'card' }, intent, hasEnded: false })
})

t.test('a payment that is over for good is replaced by a new one', async (t) => {
  const over = after(choose, made, pay, told('failed'))
  const reason = 'The bank did not take it.'
  t.same(over.stage, { name: 'failed', reason, isDecline: true })
  t.same(next(over, { type: 'try again' }).stage, { name: 'choosing', refusal: undefined })
  t.equal(over.intent, undefined)
})

t.test('the same amount pays the same payment, another amount a new one', async (t) => {
  const back = after(choose, made, { type: 'change amount' })
  t.same(next(back, choose), { stage: { name: 'card' }, intent, hasEnded: false })
  const other = next(back, { type: 'choose', amount: 10 })
  t.same(other, { stage: { name: 'preparing' }, intent: undefined, hasEnded: false })
})

t.test(
  'an amount that the service refuses leads back to the amount, with the reason',
  async (t) => {
    const { stage } = after(choose, { type: 'refused', reason: 'Too much for today.' })
    t.same(stage, { name: 'choosing', refusal: 'Too much for today.' })
  },
)

t.test('a session that ends before paying takes no form away', async (t) => {
  const choosing = { name: 'choosing', refusal: undefined }
  t.same(after(ended), { stage: choosing, intent: undefined, hasEnded: true })
  t.same(after(choose, ended).stage, choosing)
  t.same(after(choose, made, ended), { stage: { name: 'card' }, intent, hasEnded: true })
  const renewed: Step = { type: 'session renewed' }
  t.same(after(choose, made, ended, renewed), after(choose, made), 'as if nothing had happened')
})

t.test('who was told that a payment is under way learns of it after a login', async (t) => {
  const expired = after(choose, made, pay, ended, { type: 'no end' })
  const renewed = next(expired, { type: 'session renewed' })
  t.same(renewed.stage, { name: 'processing', isLate: false })
})

t.test('a session that ends while paying never becomes a failure', async (t) => {
  const paying = after(choose, made, pay, ended)
  t.same(paying.stage, { name: 'paying' }, 'the payment goes on')
  t.same(next(paying, { type: 'no end' }).stage, { name: 'expired', wasPaying: true })
  const checking = after(choose, made, pay, { type: 'bank asks' }, ended)
  t.same(checking.stage, { name: 'checking' }, 'the bank’s check goes on')
  const processing = after(choose, made, pay, { type: 'still processing' }, ended)
  t.same(processing.stage, { name: 'expired', wasPaying: true })
  t.same(after(choose, made, pay, told('booked'), ended).stage.name, 'booked')
})

t.test('after an ended session another try has its form, and knows that it needs a login', (t) => {
  const declined = after(choose, made, pay, told('requires_payment'), ended)
  t.same(declined.stage.name, 'failed')
  const again = next(declined, { type: 'try again' })
  t.same(again, { stage: { name: 'card' }, intent, hasEnded: true })
  t.end()
})

t.test('a payment without an end in sight may be looked at again', async (t) => {
  const late = after(choose, made, pay, { type: 'no end' })
  t.same(late.stage, { name: 'processing', isLate: true })
  t.same(next(late, { type: 'look again' }).stage, { name: 'processing', isLate: false })
})

t.test('a wallet that is switched off stops a new top-up, not one under way', async (t) => {
  const off: Step = { type: 'unavailable', why: 'inactive' }
  t.same(after(choose, made, off).stage, { name: 'unavailable', why: 'inactive' })
  t.same(after(choose, made, pay, off).stage, { name: 'paying' })
  t.same(after(choose, made, pay, told('booked'), off).stage.name, 'booked')
})

t.test('the page opens where it has to', async (t) => {
  t.same(startingTopUp({ ...live, isOff: true }).stage, { name: 'unavailable', why: 'off' })
  t.same(startingTopUp({ ...live, isEnded: true }).stage, { name: 'expired', wasPaying: false })
  const returning = { ...live, isReturning: true }
  t.same(startingTopUp(returning).stage, { name: 'processing', isLate: false })
  t.same(startingTopUp({ ...returning, isEnded: true }).stage, { name: 'expired', wasPaying: true })
})
