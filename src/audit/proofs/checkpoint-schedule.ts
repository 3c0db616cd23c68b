/**
 * Makes a checkpoint every so often, when the log has moved; any number of processes may do so at
 * once. Promises: a failure is logged and followed by the next try; a process without the private
 * key leaves it to the one that has it. Stopping waits for the checkpoint that is being made.
 */
import type { Clock } from '../../platform/clock.js'
import type { Log } from '../../platform/log.js'
import { RepeatingWork } from '../../platform/repeating-work.js'
import type { MakeResult } from './checkpoints.js'
import { DivergenceError } from '../verifying/divergence.js'
import { checkpointDueShare, checkpointStartMs } from '../limits.js'
import { SigningKeyError } from './signing-keys.js'

export interface ScheduleParts {
  readonly clock: Clock
  readonly log: Log
  /** 0 switches it off. */
  readonly everyMinutes: number
  readonly make: (options: { readonly ageMinMs: number }) => Promise<MakeResult>
}

export function createCheckpointSchedule(parts: ScheduleParts): RepeatingWork {
  const { clock, log, everyMinutes, make } = parts
  const everyMs = everyMinutes * 60_000
  return new RepeatingWork({
    clock,
    firstPauseMs: checkpointStartMs,
    pauseMs: everyMs,
    async round() {
      const result = await make({ ageMinMs: everyMs * checkpointDueShare })
      if (result.kind === 'made')
        log.info({ number: result.newest.checkpoint.number }, 'a checkpoint was made')
    },
    onFault(err) {
      if (err instanceof SigningKeyError) log.warn({ err }, 'no checkpoint: the key is elsewhere')
      else if (err instanceof DivergenceError)
        log.error({ err }, 'no checkpoint is signed: a wallet contradicts the one before')
      else log.warn({ err }, 'a checkpoint was not made; the next round tries again')
    },
  })
}
