/**
 * Where a top-up stands, as a pure function of what happened. Promises: one intent an amount, kept
 * until it is used up, so that a second click or a retry pays the same one; booked and failed come
 * only from the service's answer; a session that ends while paying is never called a failure, and
 * one that ends before it takes no form away: `hasEnded` is said beside what was typed.
 * States: choosing → preparing → card → paying ⇄ checking → processing → booked or failed; expired
 * from the start, or while processing; unavailable where nobody can top up. failed → card or
 * choosing.
 */
import type {
  Intent as MadeIntent,
  TopUpAnswer,
} from '../../../src/http/schemas/answers/top-ups.js'

/** Its secret is what the processor's browser library needs; worth nothing without a card. */
export type Intent = Omit<MadeIntent, 'currency'>

/** What confirm answers: the only word on what became of a payment. */
export type ConfirmAnswer = TopUpAnswer

export type Stage =
  | { readonly name: 'choosing'; readonly refusal: string | undefined }
  | { readonly name: 'preparing' }
  | { readonly name: 'card' }
  | { readonly name: 'paying' }
  | { readonly name: 'checking' }
  /** Late: the page has stopped asking by itself. */
  | { readonly name: 'processing'; readonly isLate: boolean }
  | { readonly name: 'booked'; readonly amount: number; readonly balance: number }
  /** A decline: the same card would hardly do. */
  | { readonly name: 'failed'; readonly reason: string; readonly isDecline: boolean }
  | { readonly name: 'expired'; readonly wasPaying: boolean }
  | { readonly name: 'unavailable'; readonly why: 'off' | 'inactive' }

export interface TopUp {
  readonly stage: Stage
  readonly intent: Intent | undefined
  /** The session is over; said at once, or when what is under way has come to its end. */
  readonly hasEnded: boolean
}

export type Step =
  | { readonly type: 'choose'; readonly amount: number }
  | { readonly type: 'intent made'; readonly intent: Intent }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'unavailable'; readonly why: 'off' | 'inactive' }
  | { readonly type: 'change amount' }
  | { readonly type: 'pay' }
  | { readonly type: 'bank asks' }
  | { readonly type: 'bank answered' }
  | { readonly type: 'still processing' }
  /** `words`: why it failed, for when the service does not say it. */
  | ToldStep
  /** The service gave no end in the time that the page waits. */
  | { readonly type: 'no end' }
  | { readonly type: 'look again' }
  | { readonly type: 'try again' }
  | { readonly type: 'session ended' }
  | { readonly type: 'session renewed' }

interface ToldStep {
  readonly type: 'told'
  readonly answer: ConfirmAnswer
  readonly words: string
  /** False when nobody refused anything: the connection broke. */
  readonly isDecline: boolean
}

/** `isReturning`: the bank's own page led back here, with a payment that is under way. */
export function startingTopUp(of: {
  readonly isOff: boolean
  readonly isEnded: boolean
  readonly isReturning: boolean
}): TopUp {
  return { stage: startingStage(of), intent: undefined, hasEnded: of.isEnded }
}

function startingStage(of: {
  readonly isOff: boolean
  readonly isEnded: boolean
  readonly isReturning: boolean
}): Stage {
  if (of.isEnded) return { name: 'expired', wasPaying: of.isReturning }
  if (of.isReturning) return processing
  return of.isOff ? { name: 'unavailable', why: 'off' } : { name: 'choosing', refusal: undefined }
}

export function next(topUp: TopUp, step: Step): TopUp {
  const { intent } = topUp
  switch (step.type) {
    case 'choose':
      if (topUp.stage.name !== 'choosing') return topUp
      if (intent?.amount === step.amount) return at(topUp, { name: 'card' })
      return { ...topUp, stage: { name: 'preparing' }, intent: undefined }
    case 'intent made':
      if (topUp.stage.name !== 'preparing') return topUp
      return { ...topUp, stage: { name: 'card' }, intent: step.intent }
    case 'refused':
      if (topUp.stage.name !== 'preparing') return topUp
      return at(topUp, { name: 'choosing', refusal: step.reason })
    case 'unavailable':
      // A payment that is under way goes on: what was paid is booked, also on an inactive wallet.
      return hasPaid(topUp.stage) ? topUp : at(topUp, { name: 'unavailable', why: step.why })
    case 'change amount':
      return at(topUp, { name: 'choosing', refusal: undefined })
    case 'pay':
      return topUp.stage.name === 'card' ? at(topUp, { name: 'paying' }) : topUp
    case 'bank asks':
      return topUp.stage.name === 'paying' ? at(topUp, { name: 'checking' }) : topUp
    case 'bank answered':
      return topUp.stage.name === 'checking' ? at(topUp, { name: 'paying' }) : topUp
    case 'still processing':
      return topUp.stage.name === 'paying' ? at(topUp, processing) : topUp
    case 'look again':
      return topUp.stage.name === 'processing' ? at(topUp, processing) : topUp
    case 'told':
      return afterAnswer(topUp, step)
    case 'no end':
      if (topUp.hasEnded) return at(topUp, { name: 'expired', wasPaying: true })
      return at(topUp, { name: 'processing', isLate: true })
    case 'try again':
      return at(topUp, intent ? { name: 'card' } : { name: 'choosing', refusal: undefined })
    case 'session ended':
      return { ...topUp, hasEnded: true, stage: whenEnded(topUp.stage) }
    case 'session renewed':
      return { ...topUp, hasEnded: false, stage: whenRenewed(topUp.stage) }
    default:
      return unreachable(step)
  }
}

const processing: Stage = { name: 'processing', isLate: false }

function hasPaid({ name }: Stage): boolean {
  return name !== 'choosing' && name !== 'preparing' && name !== 'card'
}

function at(topUp: TopUp, stage: Stage): TopUp {
  return { ...topUp, stage }
}

function afterAnswer(topUp: TopUp, step: ToldStep): TopUp {
  const { answer, words, isDecline } = step
  switch (answer.status) {
    case 'booked': {
      const { amount, balance } = answer
      return { ...topUp, stage: { name: 'booked', amount, balance }, intent: undefined }
    }
    case 'processing':
      return at(topUp, processing)
    case 'requires_payment':
      // The intent is as good as before: the next try pays the same one.
      return at(topUp, { name: 'failed', reason: answer.failure ?? words, isDecline })
    case 'failed': {
      const reason = answer.failure ?? words
      return { ...topUp, stage: { name: 'failed', reason, isDecline }, intent: undefined }
    }
    default:
      return unreachable(answer.status)
  }
}

/** With a payment under way the page goes on: what it learns is better than "expired". */
function whenEnded(stage: Stage): Stage {
  switch (stage.name) {
    case 'preparing':
      return { name: 'choosing', refusal: undefined }
    case 'processing':
      return { name: 'expired', wasPaying: true }
    case 'choosing':
    case 'card':
    case 'paying':
    case 'checking':
    case 'booked':
    case 'failed':
    case 'expired':
    case 'unavailable':
      return stage
    default:
      return unreachable(stage)
  }
}

/** Who was told that a payment is under way learns now what became of it. */
function whenRenewed(stage: Stage): Stage {
  if (stage.name !== 'expired') return stage
  return stage.wasPaying ? processing : { name: 'choosing', refusal: undefined }
}

function unreachable(value: never): never {
  throw new Error(`unknown: ${JSON.stringify(value)}`)
}
