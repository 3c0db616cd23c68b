/**
 * The log of admin actions. Promises: append-only (a trigger refuses anything else), and no act
 * goes unlogged: an act that changes something is ordered here before it begins, and its outcome
 * is added when it has ended. Entries are written one after the other, each chained to the one
 * before (admin-log-chain.ts). Never: holds a secret, a token, or a text that only a person's key
 * opens.
 * States of an act: ordered (shown as `unknown` until its outcome stands) → done or refused.
 */
import type { Clock } from '../platform/clock.js'
import type { Pool } from '../platform/postgres.js'
import { transaction } from '../platform/postgres.js'
import { nextAdminLogHash, readBeginning, readHead, textOf } from './admin-log-chain.js'

export type AdminActDetails = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>

export interface AdminAct {
  /** Null for the command line (its details say so) and for a login that was refused. */
  readonly adminId: string | null
  readonly action: string
  /** What it touches: a clientId, a walletId, a serviceUserId, an adminId. */
  readonly subject: string | null
  readonly details: AdminActDetails
}

export interface AdminActOutcome {
  readonly outcome: 'done' | 'refused'
  /** Where the act made its subject; else that of the order stands. */
  readonly subject?: string
  /** Added to those of the order. */
  readonly details?: AdminActDetails
}

/** `unknown`: under way, or the process ended before it could say; it may have happened. */
export interface AdminLogEntry extends Omit<AdminAct, 'details'> {
  readonly logId: number
  readonly at: string
  readonly adminEmail: string | null
  readonly details: Readonly<Record<string, unknown>>
  readonly outcome: 'done' | 'refused' | 'unknown'
}

export class AdminLog {
  readonly #pool: Pool
  readonly #clock: Clock

  constructor(parts: { pool: Pool; clock: Clock }) {
    this.#pool = parts.pool
    this.#clock = parts.clock
  }

  /** An act that is done, or that has no effect before its answer is given (such as a login). */
  async append(act: AdminAct): Promise<void> {
    await this.#insert({ ...act, outcome: 'done', orderId: null })
  }

  /** Before the act begins; returns what `finish` needs. */
  async order(act: AdminAct): Promise<number> {
    return this.#insert({ ...act, outcome: null, orderId: null })
  }

  async finish(orderId: number, act: AdminAct, ended: AdminActOutcome): Promise<void> {
    const { outcome, subject = null, details = {} } = ended
    await this.#insert({ ...act, orderId, outcome, subject, details })
  }

  /** Newest first; `before` is the `logId` of the last one seen. */
  async list(page: { limit: number; before?: number }): Promise<AdminLogEntry[]> {
    const { rows } = await this.#pool.query<AdminLogRow>(listStatement, [
      page.before ?? Number.MAX_SAFE_INTEGER,
      page.limit,
    ])
    return rows.map((row) => ({
      logId: row.log_id,
      at: row.at.toISOString(),
      adminId: row.admin_id,
      adminEmail: row.email,
      action: row.action,
      subject: row.subject,
      details: row.details,
      outcome: row.outcome,
    }))
  }

  async #insert(
    row: AdminAct & { readonly outcome: string | null; readonly orderId: number | null },
  ): Promise<number> {
    return transaction(this.#pool, async (client) => {
      const beginning = await readBeginning(client, { isLocked: true })
      const head = await readHead(client, beginning)
      const { rows } = await client.query<{ log_id: number }>(
        "select nextval(pg_get_serial_sequence('identity.admin_log', 'log_id')) as log_id",
      )
      const logId = rows[0]?.log_id
      if (logId === undefined) throw new Error('a sequence returned no number')
      const at = new Date(this.#clock.now())
      const number = head.count + 1
      const text = textOf({ ...row, number, logId, at: at.toISOString() })
      const hash = nextAdminLogHash(Buffer.from(head.hash, 'hex'), text)
      await client.query(insertStatement, [
        logId,
        row.orderId,
        at,
        row.adminId,
        row.action,
        row.subject,
        JSON.stringify(row.details),
        row.outcome,
        number,
        text,
        hash,
      ])
      return logId
    })
  }
}

const insertStatement = `
  insert into identity.admin_log (log_id, order_id, at, admin_id, action, subject, details, outcome,
    chain_number, chain_text, chain_hash)
  overriding system value values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

// Orders and their outcomes alternate, so this reads about two rows for each that it returns.
const listStatement = `
  select l.log_id, l.at, l.admin_id, a.email, l.action,
    coalesce(o.subject, l.subject) as subject,
    l.details || coalesce(o.details, '{}') as details,
    coalesce(o.outcome, l.outcome, 'unknown') as outcome
  from identity.admin_log l
  left join identity.admin_log o on o.order_id = l.log_id
  left join identity.admins a on a.admin_id = l.admin_id
  where l.order_id is null and l.log_id < $1
  order by l.log_id desc limit $2`

interface AdminLogRow {
  readonly log_id: number
  readonly at: Date
  readonly admin_id: string | null
  readonly email: string | null
  readonly action: string
  readonly subject: string | null
  readonly details: Readonly<Record<string, unknown>>
  readonly outcome: AdminLogEntry['outcome']
}
