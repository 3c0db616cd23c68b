/**
 * What most commands begin and end with: the configuration, a log on stderr (stdout is for results)
 * and the database, of the running service or of the stopped one. Promises: it is closed again,
 * whatever becomes of the work. Never: makes a wallet service in a database that holds none, unless
 * the command says so; a command that looks must leave no trace.
 */
import { openDatabase } from '../compose/database.js'
import { readConfig } from '../config.js'
import type { Config } from '../config.js'
import type { Log } from '../platform/log.js'
import { createLog, stderrLines } from '../platform/log.js'
import { notice } from './terminal.js'

export interface DatabaseWork {
  readonly config: Config
  readonly log: Log
  readonly database: Awaited<ReturnType<typeof openDatabase>>
}

export interface DatabaseOptions {
  readonly config?: Config
  /** True for a command that may be the first one on an empty database. */
  readonly mayMake?: boolean
}

export async function withDatabase<T>(
  work: (parts: DatabaseWork) => Promise<T>,
  { config = readConfig(), mayMake = false }: DatabaseOptions = {},
): Promise<T> {
  const log = createLog({ level: config.logLevel, destination: stderrLines() })
  const database = await openDatabase(config, { log, notice, mustExist: !mayMake })
  try {
    return await work({ config, log, database })
  } finally {
    await database.close()
  }
}
