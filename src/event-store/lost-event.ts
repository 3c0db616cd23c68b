/**
 * An event that a store has held, that somebody was answered from, and that is not there any more.
 * Found by writing/history-watch.ts, kept by audit/verifying/lost-events.ts.
 */
import type { WalletId } from '../domain/ids.js'

/** An event that stood at this place of a wallet's stream and does not any more. */
export interface LostEvent {
  readonly walletId: WalletId
  readonly revision: number
  readonly eventId: string
  /** Missing when only its place is known: it, and perhaps others right before it, are gone. */
  readonly details?: LostDetails
}

export interface LostDetails {
  readonly type: string
  readonly time: string
  /** Missing for an event that is no entry. */
  readonly entry?: {
    readonly entryId: string
    readonly referenceType: string
    readonly referenceId: string
    readonly amountMinor: number
  }
}
