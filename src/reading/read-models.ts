/**
 * What a lane and a read need of the projections, as a port: a wallet's row with, for a small
 * wallet, all its outcomes; and the outcomes of some references together with the revision they are
 * true at.
 * Promises: every answer is one snapshot, so `revision` and the hits belong together.
 * Never: says that a reference is free; it only says what stands in the rows up to `revision`.
 */
import type { ChainHash } from '../domain/hash-chain.js'
import type { OpenHolds } from '../domain/holds.js'
import type { EntryId, WalletId } from '../domain/ids.js'
import type { Outcome } from '../domain/wallet.js'

export interface WalletRow {
  readonly walletId: WalletId
  readonly revision: number
  readonly balanceMinor: number
  readonly isActive: boolean
  /** At `revision`, and their sum. */
  readonly holds: OpenHolds
  readonly heldMinor: number
  readonly hash: ChainHash
  readonly time: string
}

/**
 * A row together with every outcome of the wallet, when there are at most `smallWalletEventsMax`.
 */
export interface LoadedRow extends WalletRow {
  /** The id of the event at the row's revision, which follows from its hash. */
  readonly headId: string
  readonly allOutcomes?: readonly Outcome[]
}

export interface Hit {
  readonly outcome: Outcome
  /** Of a debit: what was refunded of it up to the row's revision. */
  readonly refundedMinor: number
}

export interface LookUpRequest {
  readonly walletId: WalletId
  readonly entryIds: readonly EntryId[]
}

export interface LookUpResult {
  /** The revision of the wallet's row in the same snapshot; −1 without a row. */
  readonly revision: number
  readonly hits: ReadonlyMap<EntryId, Hit>
}

export interface ReadModels {
  load(walletId: WalletId): Promise<LoadedRow | undefined>
  lookUp(request: LookUpRequest): Promise<LookUpResult>
}

/** A wallet with an open hold, and when the next one of it expires. */
export interface DueWallet {
  readonly walletId: WalletId
  readonly expiresAt: string
}

/** Who finds the holds whose time is over, as far as the rows know. */
export interface DueHolds {
  /** Those that wait longest first, `after` exclusive. */
  dueHolds(page: {
    readonly time: string
    readonly limit: number
    readonly after?: DueWallet | undefined
  }): Promise<readonly DueWallet[]>
}
