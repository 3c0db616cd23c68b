/**
 * The switch of a roll-out: new kinds of events are written only once the database says that no
 * process of the release before is left, for such a process stops a wallet at an event that it does
 * not know (docs/decisions/0021-roll-out-switch.md). Promises: what is finished stays finished; a
 * fresh database is finished from its first moment (roll-out.sql).
 * States: unfinished → finished, for good; only the first is asked for again.
 */
import { readFileSync } from 'node:fs'
import type { Migration } from './migrations.js'
import type { Pool } from './postgres.js'
import { readSetting } from './settings.js'

/** Raised by one with every release that adds kinds of events. 2: holds. */
export const eventKinds = 2

const settingName = 'event-kinds'

export const rollOutMigration: Migration = {
  name: '0025-roll-out',
  sql: readFileSync(new URL('./roll-out.sql', import.meta.url), 'utf8'),
}

export class RollOut {
  readonly #pool: Pool
  #isFinished = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Whether all kinds of events that this release knows may be written. */
  async isFinished(): Promise<boolean> {
    this.#isFinished ||= (await writtenKinds(this.#pool)) >= eventKinds
    return this.#isFinished
  }
}

/** False when it was finished before. Never takes back what a later release has finished. */
export async function finishRollOut(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    'insert into service.settings as s (name, value) values ($1, $2) on conflict (name) ' +
      'do update set value = excluded.value where s.value::integer < excluded.value::integer',
    [settingName, String(eventKinds)],
  )
  return rowCount === 1
}

/** 1: those of the first release, which recorded nothing. */
async function writtenKinds(pool: Pool): Promise<number> {
  return Number((await readSetting(pool, settingName)) ?? '1')
}
