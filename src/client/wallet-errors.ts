/**
 * What a call of the client throws; everything else is an answer. Never: an address, for the one
 * of a GET holds the secret and the user.
 */

export abstract class WalletError extends Error {
  /**
   * True: a debit, credit or void may have been booked, for some try of it got no answer. Repeat
   * it later with the very same reference, or ask `outcome`; never take a new reference.
   */
  abstract readonly isOutcomeUnknown: boolean
}

/** The service refused, with one of its codes. */
export class WalletRefusedError extends WalletError {
  override readonly name = 'WalletRefusedError'
  readonly status: number
  /** Of the service; NOT_THE_SERVICE when something else answered in its place. */
  readonly code: string
  /** The person has to log in inside the widget. */
  readonly requiresAuth: boolean
  readonly isOutcomeUnknown: boolean

  constructor(refusal: {
    readonly status: number
    readonly code: string
    readonly message: string
    readonly requiresAuth: boolean
    readonly isOutcomeUnknown: boolean
  }) {
    super(refusal.message)
    this.status = refusal.status
    this.code = refusal.code
    this.requiresAuth = refusal.requiresAuth
    this.isOutcomeUnknown = refusal.isOutcomeUnknown
  }
}

/** Why a try ended without a final answer. */
export type Fault = 'timeout' | 'connection' | 'busy' | 'unavailable'

/** All tries ended without a final answer. */
export class WalletUnavailableError extends WalletError {
  override readonly name = 'WalletUnavailableError'
  /** One for each try. */
  readonly faults: readonly Fault[]
  readonly isOutcomeUnknown: boolean

  constructor(faults: readonly Fault[], isOutcomeUnknown: boolean) {
    super(`The wallet service did not answer (${faults.join(', ')}).`)
    this.faults = faults
    this.isOutcomeUnknown = isOutcomeUnknown
  }
}

/** An amount that no number of the contract can be: nothing was sent. */
export class InvalidAmountError extends WalletError {
  override readonly name = 'InvalidAmountError'
  readonly isOutcomeUnknown = false
}
