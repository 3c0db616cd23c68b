/**
 * Settings that are recorded at the first start and hold for the life of a database.
 * Promises: a start with another value is refused before anything is written.
 */
import { readFileSync } from 'node:fs'
import type { Migration } from './migrations.js'
import type { Pool } from './postgres.js'

export const settingsMigration: Migration = {
  name: '0001-settings',
  sql: readFileSync(new URL('./settings.sql', import.meta.url), 'utf8'),
}

export class SettingChangedError extends Error {
  override readonly name = 'SettingChangedError'
}

/** No service has ever started here. */
export class NoServiceError extends Error {
  override readonly name = 'NoServiceError'

  constructor() {
    super('This database holds no wallet service')
  }
}

/** For whoever only looks: throws NoServiceError, and makes nothing. */
export async function requireService(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ yes: boolean }>(
    "select to_regclass('service.settings') is not null as yes",
  )
  if (rows[0]?.yes !== true) throw new NoServiceError()
}

/** Records the value at the first start; later ones must bring the same. */
export async function fixSetting(pool: Pool, setting: { name: string; value: string }) {
  const { name, value } = setting
  await pool.query(
    'insert into service.settings (name, value) values ($1, $2) on conflict do nothing',
    [name, value],
  )
  const { rows } = await pool.query<{ value: string }>(
    'select value from service.settings where name = $1',
    [name],
  )
  const recorded = rows[0]?.value
  if (recorded !== value)
    throw new SettingChangedError(
      `this database was started with ${name} ${recorded ?? '(none)'} ` +
        `and cannot change to ${value}`,
    )
}
