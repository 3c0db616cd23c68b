/**
 * What projector and runner need of the tables of the read models, as a port, so that the rule of
 * the projector (each event once, rows and checkpoint together) runs on any tables that keep it.
 * Promises: one transaction at a time, whoever asks; all of it counts, or nothing of it.
 * Never: decides what a row holds; that is rows.ts.
 */
import type { WalletId } from '../src/domain/ids.js'
import type { RecordedEvent } from '../src/event-store/event-store.js'
import type { Rows, WalletState } from './rows.js'

/** Which store the read models follow, how far, and which event stands there. */
export interface Checkpoint {
  readonly marker: string | null
  readonly position: bigint
  readonly eventId: string | null
}

export interface ReadTables {
  readCheckpoint(): Promise<Checkpoint>
  /** The first one stays. */
  noteMarker(marker: string): Promise<void>
  /** Commits what `work` wrote, or nothing when it fails. */
  transaction<T>(work: (tables: OpenTables) => Promise<T>): Promise<T>
}

/** Inside a transaction. */
export interface OpenTables {
  readCheckpoint(): Promise<Checkpoint>
  /** The rows of those wallets that have one. */
  readStates(walletIds: readonly WalletId[]): Promise<ReadonlyMap<WalletId, WalletState>>
  /** Adds the rows and moves the checkpoint to `last`, in one statement. */
  write(rows: Rows, last: RecordedEvent): Promise<Written>
}

/** How many of the rows found their place: less than all is a contradiction. */
export interface Written {
  /** A new wallet without a row, or one whose row stands right before its first new event. */
  readonly wallets: number
  /** Refunds of debits that have a row. */
  readonly refunds: number
}
