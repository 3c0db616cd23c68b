// How the top-up page asks the service what became of a payment.
import t from 'tap'
import { pausesMs, settle, type Hint } from '../../widget-ui/src/topup/settling.js'
import type { ConfirmAnswer } from '../../widget-ui/src/topup/top-up-flow.js'

type Reply = ConfirmAnswer['status'] | { readonly code: string }

function answer(status: ConfirmAnswer['status']): ConfirmAnswer {
  return { paymentIntentId: 'pi_1', status, amount: 25, balance: 30 }
}

/** A service that gives these replies in turn, and the last one from then on. */
async function ask(hint: Hint, ...replies: Reply[]) {
  const waited: number[] = []
  let asked = 0
  let processing = 0
  const settled = await settle({
    hint,
    confirm: async () => {
      const reply = replies[Math.min(asked, replies.length - 1)]
      asked += 1
      if (typeof reply === 'string') return answer(reply)
      throw Object.assign(new Error('no'), reply)
    },
    pause: async (ms) => {
      waited.push(ms)
    },
    onProcessing: () => (processing += 1),
  })
  return { settled, asked, waited, processing }
}

t.test('a booked payment is told at the first question', async (t) => {
  const { settled, asked } = await ask('paid', 'booked')
  t.same(settled, { kind: 'told', answer: answer('booked') })
  t.equal(asked, 1)
})

t.test('while the bank works the page asks again, with longer and longer pauses', async (t) => {
  const { settled, waited, processing } = await ask(
    'processing',
    'processing',
    'processing',
    'booked',
  )
  t.same(settled, { kind: 'told', answer: answer('booked') })
  t.equal(processing, 2)
  t.same(waited, pausesMs.slice(0, 2))
  t.same(
    [...pausesMs].sort((a, b) => a - b),
    pausesMs,
  )
})

t.test('a refusal is believed when the service says that nothing was paid', async (t) => {
  const { settled, asked } = await ask('refused', 'requires_payment')
  t.same(settled, { kind: 'told', answer: answer('requires_payment') })
  t.equal(asked, 1)
})

t.test('a processor that says "declined" does not hide a payment that was booked', async (t) => {
  t.same((await ask('refused', 'booked')).settled, { kind: 'told', answer: answer('booked') })
})

t.test('a processor that says "paid" is not believed either', async (t) => {
  const { settled, asked } = await ask('paid', 'requires_payment')
  t.same(settled, { kind: 'told', answer: answer('requires_payment') })
  t.ok(asked > 1, 'the word may be a moment early')
})

t.test(
  'after silence the service is asked more than once: it may still be on its way',
  async (t) => {
    t.equal((await ask('cut', 'requires_payment')).asked, 3)
    t.same((await ask('cut', 'requires_payment', 'booked')).settled, {
      kind: 'told',
      answer: answer('booked'),
    })
  },
)

t.test('an ended session ends the asking, and is no failure', async (t) => {
  const { settled, asked } = await ask('paid', 'processing', { code: 'SESSION_EXPIRED' })
  t.same(settled, { kind: 'session ended' })
  t.equal(asked, 2)
})

t.test('a service that is away is asked again, but not for ever', async (t) => {
  const back = await ask('paid', { code: 'UNAVAILABLE' }, 'booked')
  t.same(back.settled, { kind: 'told', answer: answer('booked') })
  const away = await ask('paid', { code: 'UNAVAILABLE' })
  t.same(away.settled, { kind: 'no end' })
  t.equal(away.asked, pausesMs.length + 1)
})

t.test('a payment that is not this wallet’s is asked for once', async (t) => {
  const { settled, asked } = await ask('paid', { code: 'TOPUP_NOT_FOUND' })
  t.same(settled, { kind: 'no end' })
  t.equal(asked, 1)
})
