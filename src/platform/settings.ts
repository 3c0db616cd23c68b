/**
 * What a database keeps about its deployment: settings that are recorded at the first start and
 * hold for its life, and notes that every start may renew, such as where the service answers.
 * Promises: a start with another value of a fixed setting is refused before anything is written.
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

/** A note for whoever works on the same database, such as a command; the last one stands. */
export async function noteSetting(pool: Pool, setting: { name: string; value: string }) {
  await pool.query(
    'insert into service.settings (name, value) values ($1, $2) ' +
      'on conflict (name) do update set value = excluded.value',
    [setting.name, setting.value],
  )
}

export async function readSetting(pool: Pool, name: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ value: string }>(
    'select value from service.settings where name = $1',
    [name],
  )
  return rows[0]?.value
}

/** Where the service of this database answered when it last started. */
export const originSetting = 'origin'
