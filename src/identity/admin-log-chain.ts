/**
 * The chain of the log of admin actions: what an entry's text and hash are, byte for byte, and
 * reading the chain back (docs/reference/audit.md). Promises: the formats are for ever; pages of
 * bounded size. Never: judges what it reads; the audit does.
 */
import { sha256 } from '../domain/digest.js'
import { adminLogPageRows } from '../limits.js'
import type { Client, Pool } from '../platform/postgres.js'
import { slowQuery } from '../platform/postgres.js'

/** An entry as it is written into the chain. */
export interface ChainedAct {
  readonly number: number
  readonly logId: number
  readonly orderId: number | null
  readonly at: string
  readonly adminId: string | null
  readonly action: string
  readonly subject: string | null
  readonly details: Readonly<Record<string, unknown>>
  readonly outcome: string | null
}

export interface ChainLink {
  readonly act: ChainedAct
  readonly text: string
  readonly hash: Buffer
}

/** Canonical JSON (RFC 8785): keys sorted at every depth, no spaces. */
export function textOf(act: ChainedAct): string {
  return canonical(act)
}

export function nextAdminLogHash(previous: Buffer, text: string): Buffer {
  return sha256(Buffer.concat([previous, Buffer.from(text, 'utf8')]))
}

/** What all before the chain is covered by: the hash that its first entry continues. */
export interface AdminLogBeginning {
  readonly entries: number
  readonly digest: string
  readonly hash: Buffer
}

/** `isLocked`: nobody else adds an entry until the transaction ends. */
export async function readBeginning(
  client: Client,
  { isLocked = false } = {},
): Promise<AdminLogBeginning> {
  const { rows } = await client.query<{ entries: number; digest: string }>(
    "select entries, encode(digest, 'hex') as digest from identity.admin_log_beginning" +
      (isLocked ? ' for update' : ''),
  )
  // Without its row nothing can be added any more, and the audit says that it is gone.
  const { entries, digest } = rows[0] ?? { entries: -1, digest: '' }
  const hash = sha256(Buffer.from(canonical({ digest, entries }), 'utf8'))
  return { entries, digest, hash }
}

export interface AdminLogHead {
  /** How many entries are chained. */
  readonly count: number
  readonly hash: string
}

export async function readHead(
  client: Client,
  beginning: AdminLogBeginning,
): Promise<AdminLogHead> {
  const { rows } = await client.query<{ count: number; hash: string }>(
    "select chain_number as count, encode(chain_hash, 'hex') as hash from identity.admin_log " +
      'where chain_number is not null order by chain_number desc limit 1',
  )
  return rows[0] ?? { count: 0, hash: beginning.hash.toString('hex') }
}

/** The hash at this place of the chain; that of the beginning at 0; undefined beyond its end. */
export async function readHashAt(client: Client, number: number): Promise<string | undefined> {
  if (number === 0) return (await readBeginning(client)).hash.toString('hex')
  const { rows } = await client.query<{ hash: string }>(
    "select encode(chain_hash, 'hex') as hash from identity.admin_log where chain_number = $1",
    [number],
  )
  return rows[0]?.hash
}

/** From the first to the last, a page at a time. */
export async function* readChain(client: Client): AsyncGenerator<readonly ChainLink[], void> {
  for (let after = 0; ;) {
    const { rows } = await client.query<ChainRow>(
      'select * from identity.admin_log where chain_number > $1 order by chain_number limit $2',
      [after, adminLogPageRows],
    )
    if (rows.length > 0) yield rows.map(toLink)
    const last = rows.at(-1)
    if (last === undefined || rows.length < adminLogPageRows) return
    after = last.chain_number
  }
}

/** Of the entries from before the chain, as they are now: the statement of admin-log-chain.sql. */
export async function digestUnchained(
  pool: Pool,
): Promise<{ readonly entries: number; readonly digest: string }> {
  const [row] = await slowQuery<{ entries: number; digest: string }>(pool, unchainedStatement)
  if (row === undefined) throw new Error('an aggregate returned no row')
  return row
}

const unchainedStatement = `
  select count(*) as entries, encode(sha256(coalesce(string_agg(sha256(convert_to(
    jsonb_build_array(log_id, order_id,
      to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      admin_id, action, subject, details, outcome)::text, 'UTF8')), ''::bytea order by log_id),
    '')), 'hex') as digest
  from identity.admin_log where chain_number is null`

interface ChainRow {
  readonly chain_number: number
  readonly chain_text: string
  readonly chain_hash: Buffer
  readonly log_id: number
  readonly order_id: number | null
  readonly at: Date
  readonly admin_id: string | null
  readonly action: string
  readonly subject: string | null
  readonly details: Readonly<Record<string, unknown>>
  readonly outcome: string | null
}

function toLink(row: ChainRow): ChainLink {
  const act = {
    number: row.chain_number,
    logId: row.log_id,
    orderId: row.order_id,
    at: row.at.toISOString(),
    adminId: row.admin_id,
    action: row.action,
    subject: row.subject,
    details: row.details,
    outcome: row.outcome,
  }
  return { act, text: row.chain_text, hash: row.chain_hash }
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
  return `{${members.join(',')}}`
}
