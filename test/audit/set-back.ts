/**
 * The hand of somebody who sets the read models back, so that they look as if they only lagged:
 * the position goes back to an event, and the rows of a wallet that came after it vanish, with the
 * totals fitted.
 */
import type { WalletId } from '../../src/domain/ids.js'
import { streamOf } from '../../src/domain/ids.js'
import type { RecordedEvent } from '../../src/event-store/event-store.js'
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

/** The position alone; the rows stay. */
export async function setPosition(
  { pool }: Pick<TestDatabaseLedger, 'pool'>,
  { position, id }: Pick<RecordedEvent, 'position' | 'id'>,
): Promise<void> {
  await pool.query('update read.checkpoint set position = $1, event_id = $2', [position, id])
}
