/**
 * The hand of somebody who sets the read models back, so that they look as if they only lagged:
 * the position goes back to an event, and the rows of a wallet that came after it vanish, with the
 * totals fitted.
 */
import type { WalletId } from '../../src/domain/ids.js'
import { streamOf } from '../../src/domain/ids.js'
import type { RecordedEvent } from '../../src/event-store/event-store.js'
import type { SignedLedger } from '../support/checkpoints.js'
import type { TestDatabaseLedger } from '../support/ledger.js'

export async function setBack(
  { pool, store }: TestDatabaseLedger,
  { toEndOf, without }: { toEndOf: WalletId; without: WalletId },
): Promise<RecordedEvent> {
  const event = await store.readHead(streamOf(toEndOf))
  if (event === undefined) throw new Error('the wallet has events')
  await setPosition({ pool }, event)
  await pool.query('delete from read.wallets where wallet_id = $1', [without])
  await pool.query('delete from read.transactions where wallet_id = $1', [without])
  await pool.query('delete from read.journal_totals')
  await pool.query(
    `insert into read.journal_totals (account, amount_minor, postings)
     select case when kind = 'wallet' then 'wallet' else account end, sum(amount_minor), count(*)
     from read.journal group by 1`,
  )
  return event
}

/** Cuts off a wallet's newest entry with all its rows; `before` are the rows without it. */
export async function cutOff(
  signed: Pick<SignedLedger, 'tamper' | 'ledger'>,
  { walletId, revision, before }: { walletId: WalletId; revision: number; before: Rows },
): Promise<void> {
  await signed.tamper(
    `delete from ledger.events where wallet_id = '${walletId}' and revision = ${revision}`,
    `delete from read.transactions where wallet_id = '${walletId}' and revision = ${revision}`,
    'delete from read.wallets',
    'delete from read.journal_totals',
    'delete from read.checkpoint',
  )
  for (const table of ['wallets', 'journal_totals', 'checkpoint'])
    for (const old of before[table] ?? [])
      await signed.ledger.pool.query(
        `insert into read.${table} select * from json_populate_record(null::read.${table}, $1)`,
        [JSON.stringify(old, bytesAsText)],
      )
}

type Rows = Awaited<ReturnType<TestDatabaseLedger['rows']>>

/** A bytea as PostgreSQL reads it from JSON. */
function bytesAsText(_key: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'type' in value && 'data' in value
  return isBytes ? `\\x${Buffer.from(value.data as number[]).toString('hex')}` : value
}

/** The position alone; the rows stay. */
export async function setPosition(
  { pool }: Pick<TestDatabaseLedger, 'pool'>,
  { position, id }: Pick<RecordedEvent, 'position' | 'id'>,
): Promise<void> {
  await pool.query('update read.checkpoint set position = $1, event_id = $2', [position, id])
}
