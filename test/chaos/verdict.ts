/**
 * What came of it: every recorded answer against the streams themselves, folded anew with chain and
 * rules. Lost: an answer without its event. Doubled: a reference with two. Wrong: another amount,
 * balance or outcome than was answered.
 */
import pg from 'pg'
import { walletIdOfStream } from '../../src/domain/ids.js'
import { emptyWallet } from '../../src/domain/wallet.js'
import type { Wallet } from '../../src/domain/wallet.js'
import type { EntryEvent } from '../../src/domain/wallet-events.js'
import { isEntry } from '../../src/domain/wallet-events.js'
import { readNext } from '../../src/domain/wallet-stream.js'
import type { Acknowledged, Verb } from './shops.js'

export interface Verdict {
  readonly events: number
  readonly lost: readonly Acknowledged[]
  readonly doubled: readonly string[]
  readonly wrong: readonly Acknowledged[]
}

export async function compare(
  databaseUrl: string,
  acknowledged: readonly Acknowledged[],
): Promise<Verdict> {
  const { entries, doubled, events } = await foldAll(databaseUrl)
  const lost = acknowledged.filter(({ referenceId }) => !entries.has(referenceId))
  const wrong = acknowledged.filter((answer) => {
    const entry = entries.get(answer.referenceId)
    return entry !== undefined && !isAnswer(entry, answer)
  })
  return { events, lost, doubled, wrong }
}

function isAnswer({ type, data }: EntryEvent, answer: Acknowledged): boolean {
  if (data.amountMinor !== answer.amountMinor) return false
  if ('code' in data) return data.code === answer.code
  const wanted = applied[answer.verb]
  const isBalance = Math.round((answer.balance ?? NaN) * 100) === data.balanceMinor
  return answer.code === undefined && type === wanted && isBalance
}

const applied: Readonly<Record<Verb, EntryEvent['type']>> = {
  debit: 'WalletDebited',
  credit: 'WalletCredited',
  hold: 'HoldPlaced',
  'hold/capture': 'HoldCaptured',
  'hold/release': 'HoldReleased',
}

interface EventRow {
  readonly stream: string
  readonly revision: string
  readonly id: string
  readonly type: string
  readonly data: string
  readonly metadata: string
}

const eventsStatement = `
  select 'wallet-' || wallet_id as stream, revision, id, type, data,
    '{"hash":"' || encode(hash, 'hex') || '"}' as metadata
  from ledger.events order by position`

async function foldAll(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<EventRow>(eventsStatement)
  await client.end()
  const wallets = new Map<string, Wallet>()
  const entries = new Map<string, EntryEvent>()
  const doubled: string[] = []
  for (const row of rows) {
    const before = wallets.get(row.stream) ?? emptyWallet(walletIdOfStream(row.stream))
    const { wallet, event } = readNext(before, { ...row, revision: Number(row.revision) })
    wallets.set(row.stream, wallet)
    if (!isEntry(event) || event.data.referenceType !== 'CHAOS') continue
    const { referenceId } = event.data
    if (entries.has(referenceId)) doubled.push(referenceId)
    entries.set(referenceId, event)
  }
  return { entries, doubled, events: rows.length }
}
