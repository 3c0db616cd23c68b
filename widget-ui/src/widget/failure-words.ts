/**
 * What a person reads when the service refuses: its codes in the language of the page. The
 * service's own sentences are English; where the page speaks it they are kept, because they are the
 * most exact, and in no other language. Values only. Never: reads a meaning out of a sentence
 * beyond the field that it names.
 */
import { currentSpeech, say } from '../words/say.js'

export interface FailureWords {
  readonly text: string
  /** The field that the service names; the text is then its problem. */
  readonly field?: string
}

const keys = {
  TOO_MANY_REQUESTS: 'failure.tooMuch',
  INVALID_LOGIN: 'failure.login',
  INVALID_CLIENT: 'failure.client',
  ACCOUNT_EXISTS: 'failure.exists',
  SESSION_EXPIRED: 'failure.session',
  SESSION_MISMATCH: 'failure.otherAccount',
  WALLET_INACTIVE: 'failure.inactive',
  TOPUP_UNAVAILABLE: 'failure.cards',
  NOT_FOUND: 'failure.noMail',
  WRONG_PASSWORD: 'failure.password',
  TOO_MANY_ENTRIES: 'failure.tooManyEntries',
  TOO_MANY_CARDS: 'failure.tooManyCards',
  CARD_NOT_FOUND: 'failure.noCard',
  PROOF_NOT_READY: 'failure.proof',
} as const

const keyOf: Readonly<Record<string, (typeof keys)[keyof typeof keys]>> = keys

export function failureWords(code: string, sentence: string): FailureWords {
  const isEnglish = currentSpeech().language === 'en'
  const [, field, problem = ''] = /^The field '([^']+)' (.+)$/s.exec(sentence) ?? []
  if (field !== undefined)
    return { field, text: isEnglish ? capitalised(problem) : fieldWords(field) }
  const key = keyOf[code]
  if (key !== undefined) return { text: say(key) }
  return { text: isEnglish ? sentence : say('failure.other') }
}

/** The pages check these fields first: what is left is rare. */
function fieldWords(field: string): string {
  return say(field === 'email' ? 'fault.email' : 'fault.other')
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
