/**
 * Pays with the sandbox processor: the card goes to it as it would go to a real one, and its word
 * is a hint for the page, never an answer. Promises: no answer is told apart from a refusal; the
 * bank's check is asked for when the processor wants it. Never: sends the session to it.
 */
import { WidgetApi } from '../widget/api.js'
import { digitsOf, type CardText } from './card-text.js'
import { connectionCut, didNotGoThrough, type Attempt } from './settling.js'
import type { Intent } from './top-up-flow.js'

export interface TestCard {
  readonly number: string
  readonly label: string
  readonly description: string
}

const processor = new WidgetApi(undefined)

export async function testCards(): Promise<readonly TestCard[]> {
  const { cards } = await processor.call<{ cards: readonly TestCard[] }>(
    'GET',
    '/api/sandbox/cards',
  )
  return cards
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
  const approved = await of.askBank()
  return attemptOf(await ask('/api/sandbox/authenticate', { ...payment, approved }))
}

interface SandboxAnswer {
  readonly status: 'succeeded' | 'requires_action' | 'processing' | 'declined'
  readonly message?: string
}

/** Undefined when there was no answer: what became of it, the service will say. */
async function ask(path: string, body: object): Promise<SandboxAnswer | undefined> {
  return processor.call<SandboxAnswer>('POST', path, { body }).catch(() => undefined)
}

function attemptOf(answer: SandboxAnswer | undefined): Attempt {
  if (answer === undefined) return { hint: 'cut', words: connectionCut }
  const hints = { succeeded: 'paid', processing: 'processing', declined: 'refused' } as const
  const hint = answer.status === 'requires_action' ? 'unknown' : hints[answer.status]
  return { hint, words: answer.message ?? didNotGoThrough }
}
