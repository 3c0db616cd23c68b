/**
 * What the event store has lost after it was acknowledged, kept in the database until a person has
 * seen it (writing/history-watch.ts finds it). Promises: each lost event stands once, whoever names
 * it; beyond `lostEventsUnseenMax` unseen ones nothing is added; rows that were seen stay for a
 * while. Never: holds a sealed text, or changes the ledger.
 */
import { readFileSync } from 'node:fs'
import { lostEventsKeptDays, lostEventsUnseenMax } from '../limits.js'
import type { Clock } from '../../platform/clock.js'
import type { Migration } from '../../platform/migrations.js'
import type { Pool } from '../../platform/postgres.js'
import type { LostEvent } from '../../event-store/lost-event.js'

export const lostEventsMigration: Migration = {
  name: '0019-lost-events',
  sql: readFileSync(new URL('./lost-events.sql', import.meta.url), 'utf8'),
}

/** Null wherever it is not known. */
export interface LostEventRow {
  readonly lostId: number
  readonly walletId: string
  readonly revision: number
  readonly type: string | null
  readonly time: string | null
  readonly entryId: string | null
  readonly referenceType: string | null
  readonly referenceId: string | null
  readonly amountMinor: number | null
  readonly noticedAt: string
}

export class LostEvents {
  readonly #pool: Pool
  readonly #clock: Clock

  constructor(parts: { pool: Pool; clock: Clock }) {
    this.#pool = parts.pool
    this.#clock = parts.clock
  }

  async record(lost: readonly LostEvent[]): Promise<void> {
    const rows = lost.map(({ walletId, revision, eventId, details }) => ({
      wallet_id: walletId,
      revision,
      event_id: eventId,
      type: details?.type,
      time: details?.time,
      entry_id: details?.entry?.entryId,
      reference_type: details?.entry?.referenceType,
      reference_id: details?.entry?.referenceId,
      amount_minor: details?.entry?.amountMinor,
    }))
    await this.#pool.query(insertStatement, [
      JSON.stringify(rows),
      new Date(this.#clock.now()),
      lostEventsUnseenMax,
      lostEventsKeptDays,
    ])
  }

  async countUnseen(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>({
      name: 'lost-events-unseen',
      text: 'select count(*) from audit.lost_events where seen_at is null',
    })
    return rows[0]?.count ?? 0
  }

  /** Those that nobody has seen yet, oldest first; `after` is the `lostId` of the last one. */
  async unseen(page: { limit: number; after?: number }): Promise<LostEventRow[]> {
    const { rows } = await this.#pool.query<LostEventSqlRow>(
      `select lost_id, wallet_id, revision, type, time, entry_id, reference_type, reference_id,
         amount_minor, noticed_at
       from audit.lost_events where seen_at is null and lost_id > $1 order by lost_id limit $2`,
      [page.after ?? 0, page.limit],
    )
    return rows.map((row) => ({
      lostId: row.lost_id,
      walletId: row.wallet_id,
      revision: row.revision,
      type: row.type,
      time: row.time?.toISOString() ?? null,
      entryId: row.entry_id,
      referenceType: row.reference_type,
      referenceId: row.reference_id,
      amountMinor: row.amount_minor,
      noticedAt: row.noticed_at.toISOString(),
    }))
  }

  /** All up to and including this one, so that none counts as seen that was not shown. */
  async markSeen(seen: { through: number; adminId: string }): Promise<number> {
    const { rowCount } = await this.#pool.query(
      `update audit.lost_events set seen_at = $1, seen_by = $2
       where seen_at is null and lost_id <= $3`,
      [new Date(this.#clock.now()), seen.adminId, seen.through],
    )
    return rowCount ?? 0
  }
}

// An event that was known by its place alone gets the details when another process has them.
const insertStatement = `
  with old as (
    delete from audit.lost_events where seen_at < $2::timestamptz - make_interval(days => $4::int)
  )
  insert into audit.lost_events as known
    (wallet_id, revision, event_id, type, time, entry_id, reference_type, reference_id,
     amount_minor, noticed_at)
  select wallet_id, revision, event_id, type, time, entry_id, reference_type, reference_id,
    amount_minor, $2::timestamptz
  from json_to_recordset($1) as lost (
    wallet_id uuid, revision bigint, event_id uuid, type text, time timestamptz, entry_id uuid,
    reference_type text, reference_id text, amount_minor bigint)
  where (select count(*) from audit.lost_events where seen_at is null) < $3::bigint
  on conflict (event_id) do update set
    type = excluded.type, time = excluded.time, entry_id = excluded.entry_id,
    reference_type = excluded.reference_type, reference_id = excluded.reference_id,
    amount_minor = excluded.amount_minor
  where known.type is null and excluded.type is not null`

interface LostEventSqlRow {
  readonly lost_id: number
  readonly wallet_id: string
  readonly revision: number
  readonly type: string | null
  readonly time: Date | null
  readonly entry_id: string | null
  readonly reference_type: string | null
  readonly reference_id: string | null
  readonly amount_minor: number | null
  readonly noticed_at: Date
}
