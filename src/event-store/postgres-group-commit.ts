/**
 * The group commit of the PostgreSQL store: appends that arrive while one group is under way share
 * the next call of `ledger.append` (postgres-append.ts), so many lanes pay for one flush.
 * Promises: an answer to every append, also at close; a batch that the server refuses fails alone.
 * Never: two groups at once, two batches of one stream in a group, a retry of what may be written.
 * States: idle, one group under way, closed; the gate (write-gate.ts) may be shut beside it.
 */
import pg from 'pg'
import { appendsWaitingMax, groupBatchesMax, groupBytesMax } from '../limits.js'
import { monotonicMs } from '../platform/clock.js'
import { turnOfEventLoop } from '../platform/gather.js'
import type { AppendBatch, AppendVerdict, RecordedEvent } from './event-store.js'
import { AppendRefusedError, requireWellFormed } from './event-store.js'
import { NotWritableError, OutcomeUnknownError } from './event-store.js'
import type { AppendAnswer } from './postgres-append.js'
import {
  appendCall,
  bytesOf,
  readAnswer,
  requireStorable,
  writtenEvents,
} from './postgres-append.js'
import { groupBatchesEnough, groupGatherMs } from './limits.js'
import { OwnRun } from './postgres-own-run.js'
import type { WriteGate } from './write-gate.js'

/** For each batch that lost, the first events after its expected revision. */
export type MissingEvents = (batches: readonly AppendBatch[]) => Promise<RecordedEvent[][]>

export interface GroupCommitParts {
  readonly missing: MissingEvents
  readonly onLost: () => void
  readonly onWritten: (events: readonly RecordedEvent[]) => void
  readonly gate: WriteGate
}

export class GroupCommit {
  readonly #pool: pg.Pool
  readonly #missing: MissingEvents
  readonly #onLost: () => void
  readonly #onWritten: (events: readonly RecordedEvent[]) => void
  readonly #gate: WriteGate
  readonly #gatherMs: number
  readonly #losers = new Set<Promise<void>>()
  readonly counts = { appends: 0, groups: 0 }
  #waiting: Waiting[] = []
  /** Ends with its connection, and with the first answer that is not "all written". */
  #ownRun: { readonly client: pg.PoolClient; readonly run: OwnRun } | undefined
  #work: Promise<void> | undefined
  #isClosed = false

  /**
   * The pool holds one connection; the group commit ends it at close. `onLost` hears when it was
   * given up or there was none, before anyone whose append was under way; `onWritten` what was
   * written by each call, at its places in the log.
   */
  constructor(pool: pg.Pool, parts: GroupCommitParts, gatherMs = groupGatherMs) {
    this.#pool = pool
    this.#gatherMs = gatherMs
    this.#onWritten = parts.onWritten
    this.#missing = parts.missing
    this.#onLost = parts.onLost
    this.#gate = parts.gate
  }

  append(batch: AppendBatch): Promise<AppendVerdict> {
    return new Promise((resolve, reject) => {
      requireWellFormed(batch)
      requireStorable(batch)
      const bytes = bytesOf(batch.events)
      if (this.#isClosed) reject(new OutcomeUnknownError('the store is closed'))
      else if (this.#waiting.length >= appendsWaitingMax)
        reject(new OutcomeUnknownError('too many appends are in line'))
      else if (!this.#gate.mayPass()) reject(new NotWritableError('the store takes no writes'))
      else {
        this.#waiting.push({ batch, bytes, resolve, reject })
        this.counts.appends += 1
        this.#work ??= this.#run()
      }
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    rejectAll(this.#waiting.splice(0), new OutcomeUnknownError('the store is closing'))
    await this.#work
    await Promise.all(this.#losers)
    await this.#pool.end()
  }

  /**
   * Tries whether the log can be written: a row, rolled back, in one message, so that nothing stays
   * open however slow we are. Throws NotWritableError, or what kept it from finding out.
   */
  async tryWriting(): Promise<void> {
    const client = await this.#pool.connect()
    try {
      await client.query(probe)
      client.release()
      this.#gate.open()
    } catch (cause) {
      client.release(true)
      if (!isNotWritable(cause)) throw cause
      this.#gate.shut()
      throw new NotWritableError('the database takes no writes', { cause })
    }
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather()
      // A close in between has answered those who waited.
      const group = this.#takeGroup()
      if (group.length > 0) await this.#commit(group)
    }
    this.#work = undefined
  }

  /**
   * A call costs nearly the same for one batch as for many: as long as each turn of the event loop
   * brings more of them, another one is waited for, in bounds. Who comes alone waits for one turn.
   */
  async #gather(): Promise<void> {
    const endMs = monotonicMs() + this.#gatherMs
    for (let count = -1; count < this.#waiting.length && monotonicMs() < endMs;) {
      count = this.#waiting.length
      if (count >= groupBatchesEnough) return
      await turnOfEventLoop()
    }
  }

  /** In order of arrival; what does not fit, or would meet its own stream, stays in line. */
  #takeGroup(): Waiting[] {
    const group: Waiting[] = []
    const rest: Waiting[] = []
    const streams = new Set<string>()
    let bytes = 0
    for (const waiting of this.#waiting) {
      const { stream } = waiting.batch
      const fits = group.length < groupBatchesMax && bytes + waiting.bytes <= groupBytesMax
      if (!streams.has(stream) && (fits || group.length === 0)) {
        group.push(waiting)
        bytes += waiting.bytes
      } else rest.push(waiting)
      streams.add(stream)
    }
    this.#waiting = rest
    return group
  }

  /** Answers everyone in the group. False: the store did not answer. */
  async #commit(group: readonly Waiting[]): Promise<boolean> {
    let client: pg.PoolClient
    try {
      client = await this.#pool.connect()
    } catch (cause) {
      this.#onLost()
      const all = [...group, ...this.#waiting.splice(0)]
      this.#gate.noteFailure()
      rejectAll(all, new OutcomeUnknownError('no connection for the append', { cause }))
      return false
    }
    const run = this.#ownRun?.client === client ? this.#ownRun.run : undefined
    try {
      const answer = await this.#send(client, group, run)
      client.release()
      this.#gate.open()
      this.#answer(group, answer)
      return true
    } catch (cause) {
      // A fresh connection for the next call: after a time-out this one is still busy.
      client.release(true)
      this.#onLost()
      this.#ownRun = undefined
      // What was known may have been wrong, so that not the content is at fault: look it all up.
      if (isRefusal(cause) && run !== undefined) return this.#commit(group)
      if (isRefusal(cause)) return this.#commitOneByOne(group, cause)
      if (isNotWritable(cause)) {
        this.#gate.shut()
        // Who waits was not sent, and would fare no better.
        const all = [...group, ...this.#waiting.splice(0)]
        rejectAll(all, new NotWritableError('the database takes no writes', { cause }))
        return false
      }
      this.#gate.noteFailure()
      rejectAll(group, new OutcomeUnknownError('the append got no answer', { cause }))
      return false
    }
  }

  /** The whole group was rolled back because of some batch: only the guilty one is refused. */
  async #commitOneByOne(group: readonly Waiting[], cause: unknown): Promise<boolean> {
    if (group.length === 1) {
      rejectAll(group, new AppendRefusedError('the store refuses the content', { cause }))
      return true
    }
    for (const [index, waiting] of group.entries()) {
      if (await this.#commit([waiting])) continue
      // Without this, a store that goes away now would cost a time-out for each that is left.
      rejectAll(group.slice(index + 1), new OutcomeUnknownError('the store went away'))
      return false
    }
    return true
  }

  async #send(
    client: pg.PoolClient,
    group: readonly Waiting[],
    run: OwnRun | undefined,
  ): Promise<AppendAnswer> {
    this.counts.groups += 1
    const batches = group.map(({ batch }) => batch)
    const { rows } = await client.query<{ answer: string }>(appendCall(batches, run))
    const answer = readAnswer(rows[0]?.answer, group.length)
    if (/^w+$/.test(answer.letters)) {
      // Ended elsewhere: others have written, and what was known of any stream is over.
      const next = run?.endsAt(answer.before) === true ? run : new OwnRun(answer.before)
      for (const batch of batches) next.add(batch)
      this.#ownRun = { client, run: next }
    } else this.#ownRun = undefined
    this.#onWritten(writtenEvents(batches, answer))
    return answer
  }

  #answer(group: readonly Waiting[], { letters }: AppendAnswer): void {
    const losers = group.filter((_, index) => letters[index] === 'c')
    for (const [index, waiting] of group.entries())
      if (letters[index] === 'd') waiting.resolve({ kind: 'diverged' })
      else if (letters[index] === 'w') waiting.resolve({ kind: 'written' })
      else if (letters[index] === 'a') waiting.resolve({ kind: 'written', already: true })
    if (losers.length === 0) return
    // Not awaited: the next group need not wait for what these have missed.
    const answered = this.#answerLosers(losers).finally(() => this.#losers.delete(answered))
    this.#losers.add(answered)
  }

  async #answerLosers(losers: readonly Waiting[]): Promise<void> {
    try {
      const missing = await this.#missing(losers.map((loser) => loser.batch))
      for (const [index, loser] of losers.entries())
        loser.resolve({ kind: 'conflict', missing: missing[index] ?? [] })
    } catch (cause) {
      // Repeating the batch gives the same verdict, and what it misses with it.
      rejectAll(losers, new OutcomeUnknownError('a conflict without its events', { cause }))
    }
  }
}

interface Waiting {
  readonly batch: AppendBatch
  readonly bytes: number
  readonly resolve: (verdict: AppendVerdict) => void
  readonly reject: (error: Error) => void
}

/** Bad data, a constraint or a limit: the server looked at the content and rolled back. */
function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(22|23|54)/.test(error.code ?? '')
}

/**
 * Read-only (a standby, or set so) or out of space. The server has rolled the statement back: what
 * goes wrong at the commit itself ends the connection, and is unknown.
 */
function isNotWritable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['25006', '53100'].includes(error.code ?? '')
}

// No event has this position, and nobody ever sees it.
const probe =
  'begin; insert into ledger.events (wallet_id, revision, position, id, type, data, metadata) ' +
  'values (gen_random_uuid(), 0, 9223372036854775807, gen_random_uuid(), ' +
  "'Probe', '{}', '{}'); rollback"

function rejectAll(group: readonly Waiting[], error: Error): void {
  for (const waiting of group) waiting.reject(error)
}
