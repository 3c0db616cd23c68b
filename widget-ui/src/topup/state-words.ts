/**
 * What each state says: a heading, and sentences that tell what happened, whether money moved and
 * what comes next. Values only, so that tests need no browser. Never: a code, or "went wrong".
 */
import { say } from '../words/say.js'
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

export function stateWords(stage: Stage, context: WordsContext): StateWords {
  const { money } = context
  const sum = context.amount === undefined ? '' : money(context.amount)
  switch (stage.name) {
    case 'choosing':
    case 'preparing':
      return { title: say('topUp.title'), sentences: [] }
    case 'card':
      return { title: say('pay.title', { amount: sum }), sentences: [] }
    case 'paying':
      return {
        title: sum === '' ? say('pay.paying') : say('pay.payingAmount', { amount: sum }),
        sentences: [say('pay.asked')],
      }
    case 'checking':
      return {
        title: say('pay.check'),
        sentences: [say('pay.checkMeans')],
      }
    case 'processing':
      return {
        title: say('pay.processing'),
        sentences: stage.isLate
          ? [say('pay.late'), say('pay.safeToClose')]
          : [say('pay.safeToClose')],
      }
    case 'booked':
      return {
        title: say('pay.booked', { amount: money(stage.amount) }),
        sentences: [say('pay.newBalance', { amount: money(stage.balance) })],
      }
    case 'failed':
      return {
        title: say('pay.failed'),
        sentences: [asSentence(stage.reason), say('topUp.nothingTaken')],
      }
    case 'expired':
      return expiredWords(stage.wasPaying, context)
    case 'unavailable':
      return stage.why === 'off' ? offWords() : inactiveWords(context)
  }
}

function offWords(): StateWords {
  return { title: say('pay.offTitle'), sentences: [say('pay.off')] }
}

function expiredWords(wasPaying: boolean, { hadSession }: WordsContext): StateWords {
  if (wasPaying)
    return {
      title: say('pay.ended'),
      sentences: [say('pay.underWay'), say('pay.willAppear')],
    }
  const again = say('pay.onceMore')
  return hadSession
    ? { title: say('pay.ended'), sentences: [again] }
    : { title: say('pay.fromShop'), sentences: [again] }
}

function inactiveWords({ inactiveReason }: WordsContext): StateWords {
  const why = inactiveReason === null ? [] : [asSentence(inactiveReason)]
  return {
    title: say('pay.inactive'),
    sentences: [say('pay.inactiveMeans'), ...why],
  }
}

/** The processor's words may come without a full stop, or already say the next sentence. */
function asSentence(text: string): string {
  const trimmed = text.replaceAll(/\s*No money was taken\.?/gi, '').trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
