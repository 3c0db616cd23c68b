/**
 * Pays with the sandbox processor: the card goes to it as it would go to a real one, and its word
 * is a hint for the page, never an answer. Promises: no answer is told apart from a refusal; the
 * bank's check is asked for when the processor wants it. Never: sends the session to it.
 */
import type { PayAnswer, TestCards } from '../../../src/http/schemas/answers/top-ups.js'
import { WidgetApi } from '../widget/api.js'
import { digitsOf, type CardText } from './card-text.js'
import { say } from '../words/say.js'
import type { Attempt } from './settling.js'
import { declineWords } from './test-card-words.js'
import type { Intent } from './top-up-flow.js'

export type TestCard = TestCards['cards'][number]

const processor = new WidgetApi(undefined)

export async function testCards(): Promise<readonly TestCard[]> {
  return (await processor.call<TestCards>('GET', '/api/sandbox/cards')).cards
}

export async function payWithSandbox(of: {
  readonly intent: Intent
  readonly card: CardText
  /** Shows the bank's check; true when the person approves. */
  readonly askBank: () => Promise<boolean>
}): Promise<Attempt> {
  const { paymentIntentId, paymentSecret } = of.intent
  const payment = { paymentIntentId, paymentSecret }
  const first = await ask('/api/sandbox/pay', {
    ...payment,
    cardNumber: digitsOf(of.card.number),
    expiry: of.card.expiry.replaceAll(' ', ''),
    cvc: of.card.code,
  })
  if (first?.status !== 'requires_action') return attemptOf(first)
  return checkWithSandbox(of)
}

/** What the bank's page does, for a card form and for a saved card. */
export async function checkWithSandbox(of: {
  readonly intent: Intent
  readonly askBank: () => Promise<boolean>
}): Promise<Attempt> {
  const { paymentIntentId, paymentSecret } = of.intent
  const approved = await of.askBank()
  const body = { paymentIntentId, paymentSecret, approved }
  return attemptOf(await ask('/api/sandbox/authenticate', body))
}

/** Undefined when there was no answer: what became of it, the service will say. */
async function ask(path: string, body: object): Promise<PayAnswer | undefined> {
  return processor.call<PayAnswer>('POST', path, { body }).catch(() => undefined)
}

/** Undefined: there was no answer. */
export function attemptOf(answer: PayAnswer | undefined): Attempt {
  if (answer === undefined) return { hint: 'cut', words: say('pay.cut') }
  const hints = { succeeded: 'paid', processing: 'processing', declined: 'refused' } as const
  const hint = answer.status === 'requires_action' ? 'unknown' : hints[answer.status]
  return { hint, words: 'message' in answer ? declineWords(answer) : say('pay.refused') }
}
