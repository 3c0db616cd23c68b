/**
 * Verifies the whole ledger: every event of the log is folded and checked, and every row and total
 * of the read models compared with what the log says it must be.
 * Promises: wallets are found by reading the log, not the rows; memory is bounded whatever the size
 * (a pass keeps the state of a share of the wallets, and there are as many passes as needed); works
 * while the service writes: it checks what stood in the log when it began, and rows that have moved
 * on since then against their streams.
 * Never: writes anything, or goes on beyond the first divergence.
 */
import { createHash } from 'node:crypto'
import { readCheckpoint } from '../../projections/checkpoint.js'
import { findWrongTotal } from '../../projections/journal/queries.js'
import {
  digestTransactions,
  findWrongRefund,
  readTransactionTexts,
} from '../../projections/transactions/queries.js'
import { countWalletRows } from '../../projections/wallets/queries.js'
import type { EventStore, RecordedEvent } from '../event-store/event-store.js'
import { startOfLog, StoreCorruptError } from '../event-store/event-store.js'
import type { WalletId } from '../domain/ids.js'
import { streamOf, walletIdOfStream } from '../domain/ids.js'
import { auditBatchEvents, auditPauseMs, auditWalletsPerPass } from './limits.js'
import type { Clock } from '../platform/clock.js'
import type { Pool } from '../platform/postgres.js'
import { HeadCheck, verifyCheckpoints } from './checkpoint-check.js'
import type { Divergence } from './divergence.js'
import { DivergenceError, diverges } from './divergence.js'
import type { ExpectedRow } from './wallet-fold.js'
import { fieldSeparator, placeOf, transactionFields, WalletFold } from './wallet-fold.js'
import { compareWalletRow, compareWalletRows } from './wallet-rows.js'

export interface VerifyParts {
  readonly store: EventStore
  readonly pool: Pool
  readonly clock: Clock
  /** The keyIds that the operator vouches for outside of the database; see key-trust.ts. */
  readonly trustedKeys?: readonly string[]
}

export interface VerifyOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { readonly events: number; readonly done: number }) => void
  /** Checks no faster than this; as fast as it can when left out. */
  readonly eventsPerSecondMax?: number
  /** Fewer in tests. */
  readonly walletsPerPass?: number
}

export interface VerifyReport {
  readonly events: number
  readonly wallets: number
  /** How far the log was checked. */
  readonly position: bigint
  readonly divergence: Divergence | undefined
}

/** Throws when it is unable to read, or aborted. */
export async function verifyLedger(
  parts: VerifyParts,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  const run = new LedgerCheck(parts, options)
  const divergence = await divergenceOf(
    () => 'the log',
    () => run.check(),
  )
  return { ...run.counts, divergence }
}

/** One wallet, from its stream's first event to its last. */
export async function verifyWallet(parts: VerifyParts, walletId: WalletId): Promise<VerifyReport> {
  const fold = new WalletFold(walletId)
  let position = startOfLog
  const placeOfFault = () => `wallet ${walletId}, revision ${fold.wallet.revision + 1}`
  const divergence = await divergenceOf(placeOfFault, async () => {
    let rows: ExpectedRow[] = []
    const heads = await HeadCheck.load(parts.pool, walletId)
    const range = { fromRevision: 0, maxCount: Number.MAX_SAFE_INTEGER }
    for await (const recorded of parts.store.readStream(streamOf(walletId), range)) {
      position = recorded.position
      const { row } = fold.take(recorded)
      heads.see(fold.wallet)
      if (row !== undefined) rows.push(row)
      if (rows.length < auditBatchEvents) continue
      await compareTransactions(parts.pool, await projected(parts.pool, rows, position))
      rows = []
    }
    heads.end()
    await compareTransactions(parts.pool, await projected(parts.pool, rows, position))
    await compareWalletRow(parts, walletId)
    await compareRefunds(parts.pool, walletId)
  })
  const { revision } = fold.wallet
  return { events: revision + 1, wallets: Math.min(revision + 1, 1), position, divergence }
}

class LedgerCheck {
  readonly #parts: VerifyParts
  readonly #options: VerifyOptions
  readonly #startMs: number
  counts = { events: 0, wallets: 0, position: startOfLog }

  constructor(parts: VerifyParts, options: VerifyOptions) {
    this.#parts = parts
    this.#options = options
    this.#startMs = parts.clock.now()
  }

  async check(): Promise<void> {
    const { pool } = this.#parts
    const until = await this.#endOfRows()
    // The rows say only how many passes are wise; what exists is read off the log.
    const count = await countWalletRows(pool)
    const perPass = this.#options.walletsPerPass ?? auditWalletsPerPass
    const passes = Math.min(Math.max(Math.ceil(count / perPass), 1), sharesMax)
    // The database adds up whole tables while this process folds. What it finds counts only once
    // every event and row has proved right: a changed row makes the sums over it wrong too.
    const sums = compareRefunds(pool).then(() => compareTotals(pool))
    const summed = Promise.allSettled([sums])
    try {
      for (let pass = 0; pass < passes; pass += 1) {
        const share = shareOf(pass, passes)
        const folds = await this.#foldShare(share, { until, pass, passes })
        await compareWalletRows(this.#parts, folds, share)
        this.counts.wallets += folds.size
      }
    } finally {
      await summed
    }
    this.counts.position = until
    await sums
    await verifyCheckpoints(this.#parts)
  }

  /** The position that the read models have reached, once store and rows belong together. */
  async #endOfRows(): Promise<bigint> {
    const { store, pool } = this.#parts
    const { marker, position, eventId } = await readCheckpoint(pool)
    if (marker !== null && marker !== (await store.readMarker()))
      diverges('log', 'the event store', 'is another one than the read models were made from')
    if (position === startOfLog) return position
    const event = await store.eventAt(position)
    const place = `position ${position} of the log`
    if (event === undefined) diverges('log', place, 'is missing, but the read models hold it')
    if (event.id !== eventId)
      diverges('log', place, `holds event ${event.id}, but the read models know ${eventId}`)
    return position
  }

  async #foldShare(share: Share, work: Work): Promise<Map<WalletId, WalletFold>> {
    const { until } = work
    const folds = new Map<WalletId, WalletFold>()
    const heads = await HeadCheck.load(this.#parts.pool, share, until)
    const comparing: Promise<void>[] = []
    for await (const batch of ahead(this.#log(until))) {
      const rows: ExpectedRow[] = []
      for (const recorded of batch) {
        if (recorded.position > until || !isInShare(recorded.stream, share)) continue
        const walletId = this.#walletIdOf(recorded)
        const fold = folds.get(walletId) ?? new WalletFold(walletId)
        if (recorded.revision === 0 && fold.wallet.revision === -1) folds.set(walletId, fold)
        const { row } = fold.take(recorded)
        heads.see(fold.wallet)
        if (row !== undefined) rows.push(row)
        this.counts.events += 1
      }
      // The database compares two batches while this process folds the next.
      if (comparing.length === 2) await comparing.shift()
      const compared = compareTransactions(this.#parts.pool, rows)
      compared.catch(() => undefined)
      comparing.push(compared)
      await this.#keepPace(batch, work)
    }
    for (const compared of comparing) await compared
    heads.end()
    return folds
  }

  #walletIdOf({ stream, position }: RecordedEvent): WalletId {
    try {
      return walletIdOfStream(stream)
    } catch {
      return diverges('log', `position ${position} of the log`, `is in no wallet: ${stream}`)
    }
  }

  /** The log up to a position, in batches. */
  async *#log(until: bigint): AsyncGenerator<readonly RecordedEvent[], void> {
    if (until === startOfLog) return
    const ended = new AbortController()
    const signals = [ended.signal, ...(this.#options.signal ? [this.#options.signal] : [])]
    const options = { maxCount: auditBatchEvents, maxWaitMs: 0, signal: AbortSignal.any(signals) }
    let last = startOfLog
    try {
      for await (const batch of this.#parts.store.tail({ after: startOfLog, ...options })) {
        last = batch.at(-1)?.position ?? last
        yield batch
        if (last >= until) return
      }
    } catch (error) {
      if (!(error instanceof StoreCorruptError) || error.event !== undefined) throw error
      diverges('log', `the log after position ${last}`, `contradicts itself: ${error.message}`)
    } finally {
      ended.abort()
    }
    this.#options.signal?.throwIfAborted()
  }

  async #keepPace(batch: readonly RecordedEvent[], { until, pass, passes }: Work): Promise<void> {
    const { signal, onProgress, eventsPerSecondMax } = this.#options
    signal?.throwIfAborted()
    const reached = Number(((batch.at(-1)?.position ?? 0n) * 1000n) / until) / 1000
    onProgress?.({ events: this.counts.events, done: (pass + Math.min(reached, 1)) / passes })
    if (eventsPerSecondMax === undefined) return
    const { clock } = this.#parts
    const dueMs = this.#startMs + Math.floor((this.counts.events / eventsPerSecondMax) * 1_000)
    while (clock.now() < dueMs && signal?.aborted !== true)
      await clock.sleep(Math.min(dueMs - clock.now(), auditPauseMs), signal)
  }
}

/** One pass of several over the log up to a position. */
interface Work {
  readonly until: bigint
  readonly pass: number
  readonly passes: number
}

/** `placeOfFault` is for a store that contradicts itself without an event to name. */
async function divergenceOf(
  placeOfFault: () => string,
  check: () => Promise<void>,
): Promise<Divergence | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    if (error instanceof DivergenceError) return error.divergence
    if (!(error instanceof StoreCorruptError)) throw error
    const { event, message } = error
    const problem = `contradicts itself: ${message}`
    if (event === undefined) return { kind: 'log', place: placeOfFault(), problem }
    return { kind: 'event', place: placeOf(event), problem }
  }
}

/** Only rows that the projections have reached can be expected. */
async function projected(
  pool: Pool,
  rows: readonly ExpectedRow[],
  position: bigint,
): Promise<readonly ExpectedRow[]> {
  const checkpoint = await readCheckpoint(pool)
  return checkpoint.position >= position ? rows : []
}

async function compareTransactions(pool: Pool, expected: readonly ExpectedRow[]): Promise<void> {
  const [first] = expected
  if (first === undefined) return
  const entryIds = expected.map((row) => row.entryId)
  const text = expected.map((row) => row.text).join('\u001e')
  const digest = createHash('sha256').update(text).digest('hex')
  if (digest === (await digestTransactions(pool, entryIds))) return
  const stored = await readTransactionTexts(pool, entryIds)
  for (const row of expected) {
    const found = stored.get(row.entryId)
    if (found === row.text) continue
    const place = placeOf(row.event)
    if (found === undefined) diverges('transaction-row', place, 'has no transaction row')
    const problem = `differs from its transaction row in ${differing(row.text, found)}`
    diverges('transaction-row', place, problem)
  }
  // Each row is right and all together are not: a reference has two outcomes in this batch.
  diverges('transaction-row', placeOf(first.event), 'or one after it has a second outcome')
}

function differing(expected: string, stored: string): string {
  const [wanted, found] = [expected.split(fieldSeparator), stored.split(fieldSeparator)]
  const names = transactionFields.filter((_, index) => wanted[index] !== found[index])
  return names.join(', ')
}

async function compareRefunds(pool: Pool, walletId?: WalletId): Promise<void> {
  const wrong = await findWrongRefund(pool, walletId)
  if (wrong === undefined) return
  const { entryId, storedMinor, refundsMinor } = wrong
  const problem = `says that ${storedMinor} was refunded, but its refunds sum to ${refundsMinor}`
  diverges('refunded-amount', `the transaction row of entry ${entryId}`, problem)
}

async function compareTotals(pool: Pool): Promise<void> {
  const wrong = await findWrongTotal(pool)
  if (wrong === undefined) return
  const { account, total, postings } = wrong
  const problem = `is kept as ${total}, but its postings sum to ${postings} (minor units)`
  diverges('journal-total', `the journal's total of account ${account}`, problem)
}

/** Wallets whose ids lie above `after` and up to `through`, as UUIDs. */
export interface Share {
  readonly after: string
  readonly through: string
}

const sharesMax = 0x1_0000
const lowestId = '00000000-0000-0000-0000-000000000000'
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

function shareOf(pass: number, passes: number): Share {
  const bound = (index: number): string => {
    if (index === passes) return highestId
    const start = Math.floor((index * sharesMax) / passes)
    // Never the id of a wallet: those carry the version of a random UUID.
    return `${start.toString(16).padStart(4, '0')}0000-0000-0000-0000-000000000000`
  }
  return { after: bound(pass), through: bound(pass + 1) }
}

/** What is no wallet's id, below or above all of them, is in the first share or the last. */
function isInShare(stream: string, { after, through }: Share): boolean {
  const id = stream.slice('wallet-'.length)
  return (id > after || after === lowestId) && (id <= through || through === highestId)
}

/** Reads the next batch while the one before is worked on. */
async function* ahead<T>(source: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  let next = source.next()
  try {
    for (;;) {
      const result = await next
      if (result.done === true) return
      next = source.next()
      // Whoever stops early leaves it unread; its fault must not end the process.
      next.catch(() => undefined)
      yield result.value
    }
  } finally {
    await source.return(undefined).catch(() => undefined)
  }
}
