/**
 * The lane of one wallet: takes everything that waits, decides it in order against the folded
 * state, appends the resulting events in one append, and only then answers each caller.
 * States: cold (nothing known) → loading → warm and idle ⇄ working (looking up, deciding,
 * appending); a doubt about its own state (unknown outcome at the deadline, a row that stepped
 * back, a store with another history, a broken invariant) makes it cold again.
 * Promises: one append in flight; a batch is frozen before its first try and repeated unchanged
 * after an unknown outcome; nobody is answered from a state that the store has not confirmed, and
 * after a lost connection the store confirms it anew.
 * Never: decides a command after its deadline, or on rows that do not reach its `base`.
 */
import type { Logger } from 'pino'
import type { AppendVerdict, EventStore, RecordedEvent } from '../event-store/event-store.js'
import {
  AppendRefusedError,
  HistoryChangedError,
  NotWritableError,
  OutcomeUnknownError,
  StoreUnavailableError,
  noStream,
} from '../event-store/event-store.js'
import { isContradiction } from '../event-store/contradiction.js'
import type { EntryId, WalletId } from '../domain/ids.js'
import { streamOf } from '../domain/ids.js'
import { isEntry } from '../domain/wallet-events.js'
import type { Outcome, Wallet } from '../domain/wallet.js'
import { emptyWallet, outcomeOf, referencesOf } from '../domain/wallet.js'
import type { StoredEvent } from '../domain/wallet-stream.js'
import { readNext } from '../domain/wallet-stream.js'
import { batchCommandsMax, conflictsWithoutPause } from '../limits.js'
import { backOffMs } from '../platform/back-off.js'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import type { Hit, LoadedRow, ReadModels } from '../reading/read-models.js'
import { foldTail } from '../reading/wallet-tail.js'
import { decideBatch, type Batch } from './batch.js'
import { LaneOutcomes } from './lane-outcomes.js'
import type { OutcomeShelf } from './outcome-shelf.js'
import { PastReferences, type ReferenceRoom } from './past-references.js'
import type { RecentHistory } from './recent-history.js'
import type { RowsProof, VerifyRows } from './rows-proof.js'
import { CommandUnavailableError, repeated } from './waiting-command.js'
import type { UnavailableReason, WaitingCommand } from './waiting-command.js'
import { giveUp, leaveToRows, mustAskRows, ofRow, remembersAll } from './warm-state.js'
import type { WarmState } from './warm-state.js'

export interface LaneParts {
  readonly store: EventStore
  readonly readModels: ReadModels
  /** Left out: every cold lane reads its stream. */
  readonly verifyRows?: VerifyRows
  readonly clock: Clock
  /** What events are stamped with; the clock's when left out. */
  readonly time?: Pick<Clock, 'now'>
  readonly random: Random
  readonly log: Logger
  /** Written into `WalletOpened`. */
  readonly currency: string
}

/** What all lanes of a process share. */
export interface SharedParts extends LaneParts {
  readonly recent: RecentHistory
  readonly rowsProof: RowsProof
  readonly room: ReferenceRoom
  readonly shelf: OutcomeShelf
}

export interface LaneBounds {
  /** Beyond it nothing is decided until the rows have caught up. */
  readonly laneReferencesMax: number
  /** Up to it every outcome is remembered and nobody is asked. */
  readonly smallWalletEventsMax: number
}

export class Lane {
  /** For the writer's choice of whom to evict. */
  wasUsed = false
  readonly #walletId: WalletId
  readonly #parts: SharedParts
  readonly #bounds: LaneBounds
  readonly #queue: WaitingCommand[] = []
  #warm: WarmState | undefined
  #working = false
  #latest: WaitingCommand | undefined
  /** A hold that is due may be of another process: a sweep appends nothing that would tell. */
  #mustLook = false

  constructor(walletId: WalletId, parts: SharedParts, bounds: LaneBounds) {
    this.#walletId = walletId
    this.#parts = parts
    this.#bounds = bounds
  }

  get isIdle(): boolean {
    return !this.#working
  }

  get queueLength(): number {
    return this.#queue.length
  }

  enqueue(waiting: WaitingCommand): void {
    this.#queue.push(waiting)
    this.#latest = waiting
    if (waiting.command.type === 'ExpireHolds') this.#mustLook = true
    if (this.#working) return
    this.#working = true
    void this.#work()
  }

  /** Cold again: what it knows is given up, with the room that it takes. */
  forget(): void {
    if (this.#warm !== undefined) giveUp(this.#warm)
    this.#warm = undefined
  }

  /** Resolves when everything that waits now has its answer. */
  async settled(): Promise<void> {
    // Commands are answered in order, or all together at a fault: the last one is the last.
    await this.#latest?.ended()
  }

  async #work(): Promise<void> {
    let faults = 0
    while (this.#queue.length > 0) {
      const { generation } = this.#parts.store
      try {
        if (this.#mustLook) this.forget()
        this.#mustLook = false
        this.#warm ??= await this.#load()
        await this.#turn(this.#warm)
        faults = 0
      } catch (error) {
        this.forget()
        faults += 1
        // Row, head and missing events of two servers do not fit together: that passes.
        const isOneStore = generation === this.#parts.store.generation
        if (isContradiction(error) && isOneStore) this.#giveUp(error)
        else await this.#recover(error, faults)
      }
      this.#dropExpired()
    }
    this.#working = false
    // Nobody waits for it, and a lane that rests should hold on to nothing.
    this.#latest = undefined
  }

  /**
   * One batch from the queue to its answers. Commands that were not answered are back in the queue.
   */
  async #turn(warm: WarmState): Promise<void> {
    const commands = this.#queue.splice(0, batchCommandsMax)
    try {
      // Asked here and not there: a debit that needs neither waits for neither.
      if (warm.generation !== this.#parts.store.generation) await this.#confirm(warm)
      const found = remembersAll(warm, this.#bounds) ? noHits : await this.#find(warm, commands)
      // Only now: the look-up has forgotten what the rows answer for by now.
      if (warm.memory.size < this.#bounds.laneReferencesMax)
        await this.#write(warm, commands, found)
      else failAll(commands, 'projections-behind')
    } finally {
      this.#queue.unshift(...commands.filter((waiting) => !waiting.isAnswered))
    }
  }

  /**
   * What the row says is enough to decide on: an append at its revision is refused where the stream
   * goes on, and brings what is missing. Where the rows are not proven to be this log's, the stream
   * is read first.
   */
  async #load(): Promise<WarmState> {
    const walletId = this.#walletId
    const { store, readModels, rowsProof } = this.#parts
    const { generation } = store
    const memory = new LaneOutcomes(this.#parts.shelf, this.#bounds.smallWalletEventsMax)
    const loaded = await readModels.load(walletId)
    const { allOutcomes = [], headId, ...row } = loaded ?? emptyRow(walletId)
    for (const outcome of allOutcomes) memory.add(outcome)
    const base = loaded === undefined || loaded.allOutcomes !== undefined ? -1 : loaded.revision
    const past = base === -1 ? new PastReferences(this.#parts.room) : undefined
    const warm = ofRow({ wallet: row, headId, generation, base, memory, past })
    if (!(await rowsProof.holdsIn(generation))) await this.#readOn(warm)
    return warm
  }

  /** What the stream holds beyond the state, whose own event must stand there. */
  async #readOn(warm: WarmState): Promise<void> {
    const walletId = this.#walletId
    const row = warm.wallet.revision === noStream ? undefined : warm.wallet
    const beyond: Outcome[] = []
    const folded = await foldTail(this.#parts.store, { walletId, row }, (event, revision) => {
      if (isEntry(event) && revision > warm.base) beyond.push(outcomeOf(walletId, event, revision))
    })
    for (const outcome of beyond) warm.memory.add(outcome)
    warm.wallet = folded.wallet
    warm.headId = folded.headId
    warm.isRowAlone = false
  }

  /**
   * After a lost connection another server may answer, with an older copy of the log: what this
   * lane has folded must still be there, before a replay is answered or anything is appended to it.
   */
  async #confirm(warm: WarmState): Promise<void> {
    const { store } = this.#parts
    const { generation } = store
    if (warm.generation === generation) return
    const { revision } = warm.wallet
    const options = { fromRevision: revision, maxCount: 1 }
    let found: string | undefined
    if (warm.headId !== undefined)
      for await (const { id } of store.readStream(streamOf(this.#walletId), options)) found = id
    if (found !== warm.headId) throw this.#diverged(warm)
    warm.generation = generation
  }

  /** The state is not that of the store: nothing was written on it, and it is given up. */
  #diverged({ wallet, headId }: WarmState): HistoryChangedError {
    const { walletId, revision } = wallet
    if (headId !== undefined) this.#parts.recent.suspect({ walletId, revision, eventId: headId })
    return new HistoryChangedError(`the store has another history at revision ${revision}`)
  }

  /** What the rows know of these references, asked if any may be old; `base` moves up to them. */
  async #find(
    warm: WarmState,
    commands: readonly WaitingCommand[],
  ): Promise<ReadonlyMap<EntryId, Hit>> {
    const entryIds = commands.flatMap(({ command }) =>
      command.type === 'ExpireHolds' ? [] : referencesOf(this.#walletId, command),
    )
    if (!mustAskRows(warm, entryIds, this.#bounds)) {
      warm.batchesLeft -= 1
      return noHits
    }
    const request = { walletId: this.#walletId, entryIds }
    const { revision, hits } = await this.#parts.readModels.lookUp(request)
    // A rebuild or a lagging replica: what the rows would answer for may be missing in them.
    if (revision < warm.base) throw new RowsSteppedBackError('the rows are behind the lane')
    leaveToRows(warm, revision)
    return hits
  }

  /** Decides, appends and answers; after a lost race decides the same commands again. */
  async #write(
    warm: WarmState,
    commands: readonly WaitingCommand[],
    found: ReadonlyMap<EntryId, Hit>,
  ): Promise<void> {
    const { clock, currency, store, time = clock } = this.#parts
    for (let losses = 0; ;) {
      // What was looked up may be of a server that is not there any more.
      if (store.generation !== warm.generation) throw new HistoryChangedError('a lost connection')
      const nowMs = clock.now()
      const open = commands.filter((waiting) => waiting.mayBeDecided(nowMs))
      const batch = decideBatch({ warm, commands: open, found, currency, nowMs: time.now() })
      // Nothing is written that would prove the row: the stream must.
      if (batch.events.length === 0 && warm.isRowAlone) {
        await this.#readOn(warm)
        continue
      }
      const verdict = batch.events.length === 0 ? nothingToWrite : await this.#append(warm, batch)
      if (verdict.kind === 'written') {
        this.#advance(warm, batch.events, batch.wallet)
        // Another process may have decided the very same in the same millisecond: only the answer
        // that wrote is the first one.
        const isRepeat = verdict.already === true
        for (const { waiting, answer } of batch.answers)
          waiting.answer(isRepeat ? repeated(answer) : answer)
        return
      }
      warm.memory.rollBackTo(warm.wallet.revision)
      if (verdict.kind === 'refused') return
      if (verdict.kind === 'conflict') this.#foldMissing(warm, verdict.missing)
      losses += 1
      // A row far behind is caught up with by one read, and not piece by piece.
      if (verdict.kind === 'diverged' || losses === conflictsWithoutPause) await this.#readOn(warm)
      if (losses > conflictsWithoutPause) await this.#pause(losses - conflictsWithoutPause)
    }
  }

  /** The frozen batch until the store has settled it, or until nobody waits for it any more. */
  async #append(warm: WarmState, batch: Batch): Promise<Settled> {
    const frozen = {
      stream: streamOf(this.#walletId),
      expectedRevision: warm.wallet.revision,
      expectedId: warm.headId,
      events: batch.events,
    }
    for (let tries = 1; ; tries += 1) {
      try {
        if (tries > 1) await this.#confirm(warm)
        const verdict = await this.#parts.store.append(frozen)
        // Of a row nobody knows yet whether it is wrong or the history went back: the stream tells.
        if (verdict.kind === 'diverged' && !warm.isRowAlone) throw this.#diverged(warm)
        // A conflict that shows nothing yet is not settled: the same batch again.
        if (verdict.kind !== 'conflict' || verdict.missing.length > 0) return verdict
      } catch (error) {
        // After an unknown try a refusal says nothing about that one: load again and see.
        // The same goes for a store that takes no writes any more: the batch is sent until it does.
        if (error instanceof AppendRefusedError && tries === 1) return this.#refuse(batch, error)
        if (error instanceof NotWritableError && tries === 1) return failed(batch, 'not-writable')
        if (!isUnsettled(error, tries)) throw error
        if (tries === 1) this.#parts.log.warn({ err: error }, 'an append has an unknown outcome')
      }
      await this.#pause(tries)
      if (batch.answers.every(({ waiting }) => waiting.isAnswered))
        throw new OutcomeUnknownError('the deadline passed while the outcome was unknown')
    }
  }

  /** The store has these after the lane's head: the last of them is the head now. */
  #advance(warm: WarmState, events: readonly StoredEvent[], wallet: Wallet): void {
    const walletId = this.#walletId
    let { revision } = warm.wallet
    for (const { id: eventId, type, data } of events) {
      revision += 1
      const previousId = warm.headId
      this.#parts.recent.add({ walletId, revision, eventId, type, data, previousId })
      warm.headId = eventId
      warm.isRowAlone = false
    }
    warm.wallet = wallet
  }

  /** Nothing of this batch is in the log, so the lane stays as it was; only its commands fail. */
  #refuse(batch: Batch, error: AppendRefusedError): Refused {
    this.#parts.log.error({ err: error, walletId: this.#walletId }, 'the store refused a batch')
    return failed(batch, 'refused')
  }

  #foldMissing(warm: WarmState, missing: readonly RecordedEvent[]): void {
    for (const recorded of missing) {
      const { wallet, event } = readNext(warm.wallet, recorded)
      this.#advance(warm, [recorded], wallet)
      if (isEntry(event) && wallet.revision > warm.base)
        warm.memory.add(outcomeOf(this.#walletId, event, wallet.revision))
    }
  }

  /** Partly random, so that racing lanes part ways. */
  #pause(tries: number): Promise<void> {
    const { clock, random } = this.#parts
    return clock.sleep(backOffMs(tries, random))
  }

  /** A fault that may pass: cold again, and another try as long as somebody waits. */
  async #recover(error: unknown, faults: number): Promise<void> {
    if (faults === 1) this.#parts.log.warn({ err: error }, 'a lane loads its wallet again')
    await this.#pause(faults)
  }

  #dropExpired(): void {
    const now = this.#parts.clock.now()
    const live = this.#queue.filter((waiting) => waiting.mayBeDecided(now))
    if (live.length !== this.#queue.length) this.#queue.splice(0, this.#queue.length, ...live)
  }

  #giveUp(error: unknown): void {
    this.#parts.log.error({ err: error, walletId: this.#walletId }, 'this wallet has stopped')
    failAll(this.#queue.splice(0), 'broken')
  }
}

function failAll(commands: readonly WaitingCommand[], reason: UnavailableReason): void {
  for (const waiting of commands) waiting.fail(new CommandUnavailableError(reason))
}

function failed({ answers }: Batch, reason: UnavailableReason): Refused {
  for (const { waiting } of answers) waiting.fail(new CommandUnavailableError(reason))
  return { kind: 'refused' }
}

function emptyRow(walletId: WalletId): Partial<LoadedRow> & Wallet {
  return emptyWallet(walletId)
}

const noHits: ReadonlyMap<EntryId, Hit> = new Map()

interface Refused {
  readonly kind: 'refused'
}

type Settled = AppendVerdict | Refused

/** Only replays: a found outcome never changes, so there is nothing to confirm. */
const nothingToWrite: AppendVerdict & { readonly kind: 'written' } = { kind: 'written' }

class RowsSteppedBackError extends Error {
  override readonly name = 'RowsSteppedBackError'
}

/** Whether the very same batch may settle it: it is, or may be, under way. */
function isUnsettled(error: unknown, tries: number): boolean {
  // This try or, when the store has just stopped taking writes, one before it.
  if (error instanceof OutcomeUnknownError || error instanceof NotWritableError) return true
  // Not the append but the look at its head before another try got no answer.
  return tries > 1 && error instanceof StoreUnavailableError
}
