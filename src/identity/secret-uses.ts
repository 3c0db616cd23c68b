/**
 * When each client secret was last used, to the minute: so that an operator sees whether an old one
 * may go. Promises: one write a secret and minute, however many requests. Never: keeps a request
 * waiting, or fails one: a lost last use is no reason to refuse a debit.
 */
import { clientAppsMax, liveSecretsMax, secretUsedWriteMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import type { Pool } from '../platform/postgres.js'

export interface SecretUsesParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly log?: Log
}

export class SecretUses {
  readonly #parts: SecretUsesParts
  /** When this process last wrote a secret's last use. */
  readonly #writtenMs = new Map<string, number>()
  readonly #writing = new Set<Promise<void>>()

  constructor(parts: SecretUsesParts) {
    this.#parts = parts
  }

  note(secretId: string): void {
    const nowMs = this.#parts.clock.now()
    const writtenMs = this.#writtenMs.get(secretId) ?? -Infinity
    // The absolute value: a clock that was set back must not stop the writing.
    if (Math.abs(nowMs - writtenMs) < secretUsedWriteMs) return
    if (this.#writtenMs.size >= clientAppsMax * liveSecretsMax) this.#writtenMs.clear()
    this.#writtenMs.set(secretId, nowMs)
    const written = this.#write(secretId, nowMs)
    this.#writing.add(written)
    void written.then(() => this.#writing.delete(written))
  }

  /** Resolves when everything that was noted is written. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing)
  }

  async #write(secretId: string, nowMs: number): Promise<void> {
    const { pool, log } = this.#parts
    const before = new Date(nowMs - secretUsedWriteMs)
    try {
      await pool.query(writeUse, [secretId, new Date(nowMs), before])
    } catch (err) {
      log?.error({ err }, "a client secret's last use was not written")
    }
  }
}

// The other processes write too: whoever comes within the minute leaves it.
const writeUse = `
  update identity.client_secrets set last_used_at = $2
  where secret_id = $1 and (last_used_at is null or last_used_at <= $3)`
