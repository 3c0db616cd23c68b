/**
 * Looks for holds whose time is over in wallets where nothing happens, and has their lanes write
 * what is due. Promises: bounded pages and rounds; a wallet that cannot be written now is told of
 * and found again, and holds no other up; any number of processes may sweep, for an expiry has one
 * reference and so one outcome, and whoever comes second finds nothing due.
 * Never: decides whether a hold has expired; the lane does, by the time that it stamps events with.
 */
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import { RepeatingWork } from '../platform/repeating-work.js'
import type { DueHolds, DueWallet } from '../reading/read-models.js'
import { dueWalletsPageRows, dueWalletsPagesMax, holdSweepMs } from './limits.js'
import { CommandUnavailableError } from './waiting-command.js'
import type { WalletWriter } from './wallet-writer.js'

export interface HoldSweeperParts {
  readonly due: DueHolds
  readonly writer: Pick<WalletWriter, 'execute'>
  readonly clock: Clock
  readonly log: Log
}

export class HoldSweeper {
  readonly #parts: HoldSweeperParts
  readonly #rounds: RepeatingWork

  constructor(parts: HoldSweeperParts) {
    this.#parts = parts
    const { clock, log } = parts
    this.#rounds = new RepeatingWork({
      clock,
      pauseMs: holdSweepMs,
      round: (signal) => this.sweep(signal),
      onFault: (err) => log.warn({ err }, 'expired holds were not looked for; the next round does'),
    })
  }

  start(): void {
    this.#rounds.start()
  }

  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  /** One round; how many wallets it had looked at. */
  async sweep(signal?: AbortSignal): Promise<number> {
    const { due, clock, log } = this.#parts
    const time = new Date(clock.now()).toISOString()
    let after: DueWallet | undefined
    let [looked, failed] = [0, 0]
    for (let page = 0; page < dueWalletsPagesMax && signal?.aborted !== true; page += 1) {
      const wallets = await due.dueHolds({ time, limit: dueWalletsPageRows, after })
      const done = await Promise.all(wallets.map((wallet) => this.#expire(wallet)))
      looked += done.length
      failed += done.filter((isDone) => !isDone).length
      after = wallets.at(-1)
      if (wallets.length < dueWalletsPageRows) break
    }
    if (failed > 0) log.warn({ wallets: failed }, 'expired holds are released later')
    return looked
  }

  /** False: not now; the wallet's own fault is in the log already. */
  async #expire({ walletId }: DueWallet): Promise<boolean> {
    try {
      await this.#parts.writer.execute(walletId, { type: 'ExpireHolds' })
      return true
    } catch (error) {
      if (error instanceof CommandUnavailableError) return false
      throw error
    }
  }
}
