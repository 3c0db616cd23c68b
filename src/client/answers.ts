/**
 * What an answer of the service is to a caller: a booking, applied or declined, or the error that
 * is thrown. Believed to be as the contract says once its status or code is known.
 */
import type { Answer } from './calls.js'
import type { Applied, AppliedAnswer, DeclineCode, Declined, DeclinedAnswer } from './contract.js'
import { WalletRefusedError } from './wallet-errors.js'

const declineCodes: readonly DeclineCode[] = [
  'INSUFFICIENT_BALANCE',
  'WALLET_INACTIVE',
  'REFUND_EXCEEDS_DEBIT',
  'BALANCE_LIMIT_EXCEEDED',
  'VOIDED',
  'CAPTURE_EXCEEDS_HOLD',
  'HOLD_CLOSED',
  'TOO_MANY_HOLDS',
]

/** Undefined for everything but the decline of a booking. */
export function declinedIn(body: unknown): Declined | undefined {
  const code = fieldOf(body, 'code')
  if (!declineCodes.some((each) => each === code)) return undefined
  return { ...(body as DeclinedAnswer), outcome: 'declined' }
}

/** Of the body of a 200. */
export function appliedIn(body: unknown): Applied {
  return { ...(body as AppliedAnswer), outcome: 'applied' }
}

/** The body of a 200; everything else is thrown. */
export function successOf({ status, body, isAfterUnknown }: Answer): unknown {
  if (status === 200) return body
  // A refusal of this try says nothing about a try before it that got no answer.
  const refusal = refusalIn(status, body)
  throw new WalletRefusedError({
    ...refusal,
    message: refusal.error,
    isOutcomeUnknown: isAfterUnknown,
  })
}

export function refusalIn(status: number, body: unknown) {
  const code = fieldOf(body, 'code')
  const error = fieldOf(body, 'error')
  return {
    status,
    code: typeof code === 'string' ? code : 'NOT_THE_SERVICE',
    error: typeof error === 'string' ? error : `Something answered ${status}.`,
    requiresAuth: fieldOf(body, 'requiresAuth') === true,
  }
}

function fieldOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null) return undefined
  return (body as Readonly<Record<string, unknown>>)[name]
}
