/**
 * A row of `transactions` as an outcome: the columns, their types and the one decoder.
 * Promises: the same row whether it arrives as columns or inside JSON, because its time is a text
 * and its whole numbers are safe in both. In a statement the table is named `t`.
 */
import type { EntryId } from '../../src/domain/ids.js'
import type { Outcome } from '../../src/domain/wallet.js'
import type { DeclineCode, EntryType } from '../../src/domain/wallet-events.js'

export const outcomeColumns = `
  t.entry_id, t.type, t.revision, t.amount_minor, t.balance_minor,
  to_char(t.time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as time,
  t.code, t.refund_of, t.held_minor,
  to_char(t.expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at,
  t.hold_of`

export interface OutcomeSqlRow {
  readonly entry_id: EntryId
  readonly type: EntryType
  readonly revision: number
  readonly amount_minor: number
  readonly balance_minor: number
  readonly time: string
  readonly code: DeclineCode | null
  readonly refund_of: EntryId | null
  readonly held_minor: number | null
  readonly expires_at: string | null
  readonly hold_of: EntryId | null
}

// One by one: five spreads of which nearly all are empty take fifty times as long.
export function toOutcome(row: OutcomeSqlRow): Outcome {
  const outcome: { -readonly [Field in keyof Outcome]: Outcome[Field] } = {
    entryId: row.entry_id,
    type: row.type,
    revision: row.revision,
    amountMinor: row.amount_minor,
    balanceMinor: row.balance_minor,
    time: row.time,
  }
  if (row.held_minor !== null) outcome.heldMinor = row.held_minor
  if (row.code !== null) outcome.code = row.code
  if (row.refund_of !== null) outcome.refundedEntryId = row.refund_of
  if (row.expires_at !== null) outcome.expiresAt = row.expires_at
  if (row.hold_of !== null) outcome.holdEntryId = row.hold_of
  return outcome
}
