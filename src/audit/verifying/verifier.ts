/**
 * Verifies the whole ledger: every event of the log is folded and checked, and every row and total
 * of the read models compared with what the log says it must be.
 * Promises: how far to look is read off the log, never off the rows, and so are the wallets; memory
 * is bounded (a pass keeps the state of a share of the wallets); works while the service writes: it
 * checks what stood in the log when it began, and rows that have moved on since against streams.
 * Never: writes anything, or goes on beyond the first divergence.
 */
import { readCheckpoint } from '../../../projections/checkpoint.js'
import { countWalletRows } from '../../../projections/queries/audit.js'
import type { EventStore, RecordedEvent } from '../../event-store/event-store.js'
import { startOfLog, StoreCorruptError } from '../../event-store/event-store.js'
import type { WalletId } from '../../domain/ids.js'
import { streamOf, walletIdOfStream } from '../../domain/ids.js'
import { auditBatchEvents, auditWalletsPerPass } from '../limits.js'
import { unprojectedOutcomesMax, unprojectedShareFill } from '../limits.js'
import type { Clock } from '../../platform/clock.js'
import type { Pool } from '../../platform/postgres.js'
import type { WitnessReport } from '../proofs/checkpoint-check.js'
import { HeadCheck, refuseSetBack, verifyCheckpoints } from '../proofs/checkpoint-check.js'
import { listCheckpoints } from '../proofs/checkpoint-rows.js'
import type { Witnesses } from '../proofs/witness.js'
import type { Divergence } from './divergence.js'
import { DivergenceError, diverges } from './divergence.js'
import { EntryCheck } from './entry-check.js'
import { TotalsCheck } from './journal-totals.js'
import { compareJournalView } from './journal-view.js'
import { OutsideCheck } from './outside-check.js'
import { Pace } from './pace.js'
import type { Share } from './share.js'
import { isInShare, shareOf, sharesMax } from './share.js'
import type { PaymentRecords } from './top-up-check.js'
import { compareOwners, compareRefunds, compareTotals } from './transaction-rows.js'
import { placeOf, WalletFold } from './wallet-fold.js'
import { compareWalletRow, compareWalletRows } from './wallet-rows.js'

export interface VerifyParts {
  readonly store: EventStore
  readonly pool: Pool
  readonly clock: Clock
  /** The keyIds that the operator vouches for outside of the database; see key-trust.ts. */
  readonly trustedKeys?: readonly string[]
  /** What is kept of checkpoints outside of the database. */
  readonly witnesses?: Witnesses
  /** What is known of card payments; left out, top-ups are not held to them. */
  readonly payments?: PaymentRecords
}

export interface VerifyOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { readonly events: number; readonly done: number }) => void
  /** Checks no faster than this; as fast as it can when left out. */
  readonly eventsPerSecondMax?: number
  /** How busy this process is, 0 to 1; see pace.ts. */
  readonly takeLoad?: () => number
  /** Fewer in tests. */
  readonly walletsPerPass?: number
  readonly unprojectedOutcomesMax?: number
}

export interface VerifyReport {
  readonly events: number
  readonly wallets: number
  /** How far the log was checked: to its end, as it was when the check began. */
  readonly position: bigint
  /** Those of the events that the read models had not reached: no rows were expected of them. */
  readonly unprojectedEvents: number
  /**
   * Outcomes among these that were too many to remember: whether an entry after them is a second
   * outcome or a refund of one of them is told once the read models have reached them.
   */
  readonly unrememberedOutcomes: number
  /** Top-ups that no intent vouches for, and about which no card processor could be asked. */
  readonly uncheckedTopUps: number
  /** False: no copy of the view could be made to compare its definition with. */
  readonly isViewCompared: boolean
  readonly divergence: Divergence | undefined
  /** Of a check of the whole ledger that was given witnesses and got that far. */
  readonly witness?: WitnessReport
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
  const witness = parts.witnesses && run.witness
  const { uncheckedTopUps, isViewCompared } = run
  return { ...run.counts, uncheckedTopUps, isViewCompared, divergence, ...(witness && { witness }) }
}

/** One wallet, from its stream's first event to its last. */
export async function verifyWallet(parts: VerifyParts, walletId: WalletId): Promise<VerifyReport> {
  const { pool } = parts
  const fold = new WalletFold(walletId)
  let position = startOfLog
  let projectedRevision = -1
  const entries = new EntryCheck(pool)
  const outside = new OutsideCheck(parts)
  const compareAll = async () => {
    await entries.compare()
    await outside.judge(outside.take())
  }
  const placeOfFault = () => `wallet ${walletId}, revision ${fold.wallet.revision + 1}`
  const divergence = await divergenceOf(placeOfFault, async () => {
    const heads = await HeadCheck.load(pool, walletId)
    const projected = (await readCheckpoint(pool)).position
    const range = { fromRevision: 0, maxCount: Number.MAX_SAFE_INTEGER }
    for await (const recorded of parts.store.readStream(streamOf(walletId), range)) {
      position = recorded.position
      const { event, entry } = fold.take(recorded)
      heads.see(fold.wallet)
      outside.see(event, recorded)
      const isProjected = position <= projected
      if (isProjected) projectedRevision = recorded.revision
      const rowsThrough = isProjected ? recorded.revision - 1 : projectedRevision
      if (entry !== undefined) entries.add(entry, { isProjected, rowsThrough })
      if (entries.size >= auditBatchEvents) await compareAll()
    }
    heads.end()
    await compareAll()
    await outside.finish()
    await compareWalletRow(parts, { walletId, projectedRevision })
    await compareRefunds(pool, walletId)
    await refuseSetBack(pool, (await listCheckpoints(pool, { limit: 1 }))[0])
  })
  const events = fold.wallet.revision + 1
  return {
    events,
    wallets: Math.min(events, 1),
    position,
    unprojectedEvents: events - (projectedRevision + 1),
    unrememberedOutcomes: entries.unremembered,
    uncheckedTopUps: outside.uncheckedTopUps,
    isViewCompared: true,
    divergence,
  }
}

class LedgerCheck {
  readonly #parts: VerifyParts
  readonly #options: VerifyOptions
  readonly #pace: Pace
  readonly #totals = new TotalsCheck()
  readonly #outside: OutsideCheck
  counts = {
    events: 0,
    wallets: 0,
    position: startOfLog,
    unprojectedEvents: 0,
    unrememberedOutcomes: 0,
  }
  witness: WitnessReport | undefined
  isViewCompared = true

  constructor(parts: VerifyParts, options: VerifyOptions) {
    this.#parts = parts
    this.#options = options
    this.#pace = new Pace({ clock: parts.clock, ...options })
    this.#outside = new OutsideCheck(parts)
  }

  get uncheckedTopUps(): number {
    return this.#outside.uncheckedTopUps
  }

  get #outcomesMax(): number {
    return this.#options.unprojectedOutcomesMax ?? unprojectedOutcomesMax
  }

  async check(): Promise<void> {
    const { pool } = this.#parts
    const range = await this.#range()
    const passes = await this.#planPasses(range)
    // The database adds up whole tables while this process folds. What it finds counts only once
    // every event and row has proved right: a changed row makes the sums over it wrong too.
    const sums = compareSums(pool)
    const summed = Promise.allSettled([sums])
    try {
      for (let pass = 0; pass < passes; pass += 1) {
        const share = shareOf(pass, passes)
        const folds = await this.#foldShare(share, { ...range, pass, passes })
        await compareWalletRows(this.#parts, folds, share)
      }
    } finally {
      await summed
    }
    this.counts.position = range.until
    await this.#outside.finish()
    this.isViewCompared = await compareJournalView(pool)
    await sums
    await this.#totals.compare(pool, range.projected, (after, until) => this.#between(after, until))
    this.witness = await verifyCheckpoints(this.#parts)
  }

  /**
   * In this order: what is signed was projected before, and what is projected was in the log. So
   * nothing that is honest lies beyond the end, however much is written meanwhile.
   */
  async #range(): Promise<Range> {
    const { store, pool } = this.#parts
    const [newest] = await listCheckpoints(pool, { limit: 1 })
    const end = (await store.lastEvent())?.position ?? startOfLog
    const projected = await this.#endOfRows()
    const until = projected > end ? projected : end
    return { until, projected, signed: newest?.checkpoint.number ?? 0 }
  }

  /** Rows only say how many passes are wise; of wallets that have none yet the log does. */
  async #planPasses({ until, projected }: Range): Promise<number> {
    const rows = await countWalletRows(this.#parts.pool)
    let opened = 0
    for await (const batch of this.#log({ after: projected, until }))
      for (const { position, revision } of batch) {
        if (position > until) continue
        this.counts.unprojectedEvents += 1
        if (revision === 0) opened += 1
      }
    // Of a wallet that has moved on beyond its row two states are kept.
    const moved = Math.min(this.counts.unprojectedEvents - opened, rows)
    const { walletsPerPass = auditWalletsPerPass } = this.#options
    const outcomesPerPass = this.#outcomesMax * unprojectedShareFill
    const passes = Math.max(
      (rows + opened + moved) / walletsPerPass,
      this.counts.unprojectedEvents / outcomesPerPass,
    )
    return Math.min(Math.max(Math.ceil(passes), 1), sharesMax)
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

  /** The wallets of the share as the rows must show them. */
  async #foldShare(share: Share, work: Work): Promise<Map<WalletId, WalletFold>> {
    const { until, projected } = work
    const folds = new Map<WalletId, WalletFold>()
    // As they were where the read models stand, of wallets that have moved on in the log.
    const projectedFolds = new Map<WalletId, WalletFold>()
    const entries = new EntryCheck(this.#parts.pool, this.#outcomesMax)
    const heads = await HeadCheck.load(this.#parts.pool, share, work)
    const comparing: Promise<void>[] = []
    for await (const batch of ahead(this.#log({ after: startOfLog, until }))) {
      for (const recorded of batch) {
        if (recorded.position > until || !isInShare(recorded.stream, share)) continue
        const walletId = this.#walletIdOf(recorded)
        const fold = folds.get(walletId) ?? new WalletFold(walletId)
        if (recorded.revision === 0 && fold.wallet.revision === -1) folds.set(walletId, fold)
        const isProjected = recorded.position <= projected
        if (!isProjected && !projectedFolds.has(walletId)) projectedFolds.set(walletId, fold.copy())
        const { event, entry } = fold.take(recorded)
        heads.see(fold.wallet)
        this.#outside.see(event, recorded)
        // Where the rows stand, or, of those before that, right before the entry.
        const { wallet } = projectedFolds.get(walletId) ?? { wallet: entry?.before }
        const rowsThrough = wallet?.revision ?? -1
        if (entry !== undefined) entries.add(entry, { isProjected, rowsThrough })
        if (isProjected) this.#totals.add(event)
        this.counts.events += 1
      }
      // The database compares two batches while this process folds the next.
      if (comparing.length === 2) await comparing.shift()
      const outside = this.#outside.take()
      const compared = entries.compare().then(() => this.#outside.judge(outside))
      compared.catch(() => undefined)
      comparing.push(compared)
      await this.#keepPace(batch, work)
    }
    for (const compared of comparing) await compared
    heads.end()
    this.counts.unrememberedOutcomes += entries.unremembered
    this.counts.wallets += folds.size
    for (const [walletId, fold] of projectedFolds)
      if (fold.wallet.revision === -1) folds.delete(walletId)
      else folds.set(walletId, fold)
    return folds
  }

  #walletIdOf({ stream, position }: RecordedEvent): WalletId {
    try {
      return walletIdOfStream(stream)
    } catch {
      return diverges('log', `position ${position} of the log`, `is in no wallet: ${stream}`)
    }
  }

  async *#between(after: bigint, until: bigint): AsyncGenerator<RecordedEvent, void> {
    for await (const batch of this.#log({ after, until }))
      for (const recorded of batch) if (recorded.position <= until) yield recorded
  }

  /** The log between two positions, in batches; the last may go beyond. */
  async *#log({
    after,
    until,
  }: {
    readonly after: bigint
    readonly until: bigint
  }): AsyncGenerator<readonly RecordedEvent[], void> {
    if (after >= until) return
    const ended = new AbortController()
    const signals = [ended.signal, ...(this.#options.signal ? [this.#options.signal] : [])]
    const options = { maxCount: auditBatchEvents, maxWaitMs: 0, signal: AbortSignal.any(signals) }
    let last = after
    try {
      for await (const batch of this.#parts.store.tail({ after, ...options })) {
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
    const { signal, onProgress } = this.#options
    signal?.throwIfAborted()
    const reached = Number(((batch.at(-1)?.position ?? 0n) * 1000n) / until) / 1000
    onProgress?.({ events: this.counts.events, done: (pass + Math.min(reached, 1)) / passes })
    await this.#pace.keep(this.counts.events, signal)
  }
}

interface Range {
  /** The end of the log. */
  readonly until: bigint
  /** How far the read models are. */
  readonly projected: bigint
  /** The newest checkpoint that was there before the end of the log was looked up. */
  readonly signed: number
}

/** One pass of several over the log. */
interface Work extends Range {
  readonly pass: number
  readonly passes: number
}

async function compareSums(pool: Pool): Promise<void> {
  await compareOwners(pool)
  await compareRefunds(pool)
  await compareTotals(pool)
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
