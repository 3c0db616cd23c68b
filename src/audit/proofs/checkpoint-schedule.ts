/**
 * Makes a checkpoint every so often, when the log has moved, and has the end of the log witnessed
 * between two of them; any number of processes may do so at once.
 * Promises: a failure is logged and followed by the next try; a process without the private key
 * leaves signing to the one that has it; a witness that does not answer delays signing and nothing
 * else. Stopping waits for what is under way.
 */
import type { Clock } from '../../platform/clock.js'
import type { Log } from '../../platform/log.js'
import { RepeatingWork } from '../../platform/repeating-work.js'
import type { MakeResult } from './checkpoints.js'
import { DivergenceError } from '../verifying/divergence.js'
import { checkpointDueShare, checkpointStartMs, witnessLogEveryMs } from '../limits.js'
import { SigningKeyError } from './signing-keys.js'
import { WitnessError } from './witness.js'

export interface ScheduleParts {
  readonly clock: Clock
  readonly log: Log
  /** 0 switches it off. */
  readonly everyMinutes: number
  readonly make: (options: { readonly ageMinMs: number }) => Promise<MakeResult>
  readonly witnessLog: () => Promise<void>
}

export interface SigningHealth {
  readonly state: 'ok' | 'degraded'
  /** For everybody to read: no place and no address. */
  readonly detail?: string
}

export class CheckpointSchedule {
  readonly #works: readonly RepeatingWork[]
  #signing: SigningHealth = { state: 'ok' }
  #witnessing: SigningHealth = { state: 'ok' }

  constructor({ clock, log, everyMinutes, make, witnessLog }: ScheduleParts) {
    const everyMs = everyMinutes * 60_000
    const signing = new RepeatingWork({
      clock,
      firstPauseMs: checkpointStartMs,
      pauseMs: everyMs,
      round: async () => {
        const result = await make({ ageMinMs: everyMs * checkpointDueShare })
        this.#signing = { state: 'ok' }
        if (result.kind === 'made')
          log.info({ number: result.newest.checkpoint.number }, 'a checkpoint was made')
      },
      onFault: (err) => {
        this.#signing = healthAfter(err)
        if (err instanceof SigningKeyError) log.warn({ err }, 'no checkpoint: the key is elsewhere')
        else if (err instanceof DivergenceError)
          log.error({ err }, 'no checkpoint is signed: what was signed before is contradicted')
        else if (err instanceof WitnessError)
          log.warn({ err }, 'no checkpoint is signed until its witness answers; tried again later')
        else log.warn({ err }, 'a checkpoint was not made; the next round tries again')
      },
    })
    const witnessing = new RepeatingWork({
      clock,
      pauseMs: witnessLogEveryMs,
      round: async () => {
        await witnessLog()
        this.#witnessing = { state: 'ok' }
      },
      onFault: (err) => {
        const health = healthAfter(err)
        // A line when something changes, not one a minute.
        const isNew = health.detail !== this.#witnessing.detail
        this.#witnessing = health
        if (!isNew) return
        if (err instanceof DivergenceError) log.error({ err }, 'the log has lost its end')
        else log.warn({ err }, 'the end of the log is not witnessed; tried again every minute')
      },
    })
    this.#works = [signing, witnessing]
  }

  start(): void {
    for (const work of this.#works) work.start()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#works.map((work) => work.stop()))
  }

  health(): SigningHealth {
    return this.#signing.state === 'ok' ? this.#witnessing : this.#signing
  }
}

/** The log names the place and the reason; whoever may see the health page may not know paths. */
const witnessFault =
  'a witness of checkpoints does not answer or cannot be written ' +
  '(the file beside SIGNING_KEY_FILE, or CHECKPOINT_WITNESS)'

/** Without the key, or without the database, nobody expects this process to sign. */
function healthAfter(error: unknown): SigningHealth {
  if (error instanceof WitnessError)
    return { state: 'degraded', detail: `nothing is signed: ${witnessFault}` }
  if (error instanceof DivergenceError)
    return { state: 'degraded', detail: 'what was signed or witnessed is contradicted' }
  return { state: 'ok' }
}
