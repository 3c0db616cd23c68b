/**
 * What each state says: a heading, and sentences that tell what happened, whether money moved and
 * what comes next. Values only, so that tests need no browser. Never: a code, or "went wrong".
 */
import type { Stage } from './top-up-flow.js'

export interface StateWords {
  readonly title: string
  readonly sentences: readonly string[]
}

export interface WordsContext {
  readonly money: (amount: number) => string
  /** Of the intent, while there is one. */
  readonly amount: number | undefined
  /** False when the page was opened without any session. */
  readonly hadSession: boolean
  /** Why the wallet is not active, where the service says it. */
  readonly inactiveReason: string | null
}

const safeToClose = 'It is safe to close this page: the money will appear in your wallet.'

export function stateWords(stage: Stage, context: WordsContext): StateWords {
  const { money } = context
  const sum = context.amount === undefined ? '' : ` ${money(context.amount)}`
  switch (stage.name) {
    case 'choosing':
    case 'preparing':
      return { title: 'Top up your wallet', sentences: [] }
    case 'card':
      return { title: `Pay${sum}`, sentences: [] }
    case 'paying':
      return {
        title: sum === '' ? 'Paying' : `Paying${sum}`,
        sentences: ['Your bank is being asked. Please keep this page open.'],
      }
    case 'checking':
      return {
        title: 'Your bank’s check',
        sentences: ['Your bank wants to know that it is you. No money was taken yet.'],
      }
    case 'processing':
      return {
        title: 'Your bank is processing it',
        sentences: stage.isLate
          ? ['This takes longer than usual. You need not pay again.', safeToClose]
          : [safeToClose],
      }
    case 'booked':
      return {
        title: `${money(stage.amount)} is in your wallet`,
        sentences: [`Your new balance is ${money(stage.balance)}.`],
      }
    case 'failed':
      return {
        title: 'The payment did not go through',
        sentences: [asSentence(stage.reason), 'No money was taken.'],
      }
    case 'expired':
      return expiredWords(stage.wasPaying, context)
    case 'unavailable':
      return stage.why === 'off' ? offWords : inactiveWords(context)
  }
}

const offWords: StateWords = {
  title: 'No top-ups right now',
  sentences: ['Card payments are switched off here. No money was taken. Come back later.'],
}

function expiredWords(wasPaying: boolean, { hadSession }: WordsContext): StateWords {
  if (wasPaying)
    return {
      title: 'Your session has ended',
      sentences: [
        'Your payment was under way.',
        'If your bank accepts it, it will appear in your wallet. You need not pay again.',
      ],
    }
  const again = 'Nothing was paid. Go back to the shop and choose “Top up” once more.'
  return hadSession
    ? { title: 'Your session has ended', sentences: [again] }
    : { title: 'Open this page from the shop', sentences: [again] }
}

function inactiveWords({ inactiveReason }: WordsContext): StateWords {
  const why = inactiveReason === null ? [] : [asSentence(inactiveReason)]
  return {
    title: 'Your wallet is not active',
    sentences: ['It cannot be topped up. No money was taken.', ...why],
  }
}

/** The processor's words may come without a full stop, or already say the next sentence. */
function asSentence(text: string): string {
  const trimmed = text.replaceAll(/\s*No money was taken\.?/gi, '').trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
