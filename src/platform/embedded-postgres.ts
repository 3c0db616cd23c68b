/**
 * The PostgreSQL that comes with the service: whoever opens it first starts it, whoever closes it
 * last stops it. States of the server: absent, starting, running, stopping.
 * Every process that uses it holds one shared advisory lock on a connection of its own; only who
 * gets that lock exclusively may stop the server. The one process that serves holds a second lock.
 * A server that outlived its owner (kill -9) is adopted.
 */
import { setTimeout as pause } from 'node:timers/promises'

import pg from 'pg'

import {
  embeddedAdoptMs,
  embeddedCommandMs,
  embeddedConnectMs,
  embeddedLockReleaseMs,
  embeddedOpenMs,
  embeddedPollMs,
  embeddedStartsMax,
} from '../limits.js'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import { findPlace } from './embedded-postgres-place.js'
import { prepareServer, type Server, superuser } from './embedded-postgres-server.js'

export interface EmbeddedPostgresOptions {
  readonly dataDir: string
  /** True in the one process that serves; a second one is refused. */
  readonly serve: boolean
  /** True for who only looks: data that is not there is not made, see NoServiceError. */
  readonly mustExist?: boolean
  /** A line for the person who started us. */
  readonly notice: (line: string) => void
  /** The connection that holds our locks broke: from now on another process may serve. */
  readonly onLockLost?: (error: Error) => void
  /** False in tests only: faster, and lost in a power cut. */
  readonly isDurable?: boolean
}

export interface EmbeddedPostgres {
  /** The application's database. */
  readonly url: string
  readonly startedBy: 'us' | 'adopted'
  /** Where data, password file and log are. */
  readonly folder: string
  /** Stops the server unless another process uses it. May be called twice. */
  close(): Promise<void>
}

const applicationDatabase = 'wallet'

/** The locks live in the database `postgres`, where nothing else takes any. */
const lockClass = 0x57414c // "WAL"
const usersLock = [lockClass, 1]
const serveLock = [lockClass, 2]

export async function openEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const place = await findPlace(options)
  const server = await prepareServer(place, options.isDurable ?? true)
  const { connection, port, startedBy } = await joinOrStart(server, options.serve)
  const membership = watch(connection, options.onLockLost)
  const close = once(async () => leave({ server, membership, notice: options.notice }))
  try {
    if (options.serve) await takeServeLock(connection, place.home)
    await ensureDatabase(connection)
  } catch (error) {
    await close()
    throw error
  }
  const credentials = `${superuser}:${server.password}`
  const url = `postgres://${credentials}@127.0.0.1:${port}/${applicationDatabase}`
  return { url, startedBy, folder: server.folder, close }
}

interface Joined {
  readonly connection: pg.Client
  readonly port: number
}

async function joinOrStart(
  server: Server,
  isServing: boolean,
): Promise<Joined & Pick<EmbeddedPostgres, 'startedBy'>> {
  const deadline = Date.now() + embeddedOpenMs
  let startedBy: EmbeddedPostgres['startedBy'] = 'adopted'
  let failedStarts = 0
  let silentSince = Infinity
  while (Date.now() < deadline) {
    const port = await server.runningPort()
    if (port === null) {
      const problem = await server.start()
      startedBy = problem === null ? 'us' : 'adopted'
      if (problem === null) continue
      // Not a fault when another process started it in this moment.
      if ((await server.runningPort()) === null && ++failedStarts >= embeddedStartsMax)
        throw startFailed(server, problem)
    } else {
      const answer = await join({ server, port, isServing })
      if (typeof answer === 'object') return { ...answer, startedBy }
      silentSince = answer === 'silent' ? Math.min(silentSince, Date.now()) : Infinity
    }
    if (Date.now() - silentSince > embeddedAdoptMs) {
      await server.stop()
      silentSince = Infinity
    }
    await pause(embeddedPollMs)
  }
  throw startFailed(server, 'it runs, but lets nobody in')
}

/**
 * `busy`: it is starting, being stopped or overloaded; whoever uses it must not lose it, so it is
 * waited for. `silent`: the process is there and its port is closed.
 */
async function join(at: {
  readonly server: Server
  readonly port: number
  readonly isServing: boolean
}): Promise<Joined | 'busy' | 'silent'> {
  const connection = connectionTo({ ...at, password: at.server.password })
  try {
    await connection.connect()
    const sql = 'select pg_try_advisory_lock_shared($1, $2) as yes'
    if (await ask(connection, sql, usersLock)) return { connection, port: at.port }
    await connection.end()
    return 'busy'
  } catch (error) {
    await connection.end().catch(() => undefined)
    const code = String((error as { code?: unknown }).code)
    // Invalid password or no such database: a new start would change nothing.
    if (code.startsWith('28') || code === '3D000')
      throw startFailed(at.server, `it does not know us: ${String(error)}`)
    return code === 'ECONNREFUSED' ? 'silent' : 'busy'
  }
}

function connectionTo(at: {
  readonly port: number
  readonly password: string
  readonly isServing: boolean
}): pg.Client {
  const connection = new pg.Client({
    host: '127.0.0.1',
    port: at.port,
    user: superuser,
    password: at.password,
    database: 'postgres',
    ssl: false,
    keepAlive: true,
    connectionTimeoutMillis: embeddedConnectMs,
    query_timeout: embeddedCommandMs,
    application_name: `wallet-service ${at.isServing ? 'serve' : 'tool'}, process ${process.pid}`,
  })
  // Without a listener a broken connection would end the process; `watch` reports what counts.
  connection.on('error', () => undefined)
  return connection
}

async function ask(connection: pg.Client, sql: string, values: unknown[]): Promise<boolean> {
  const result = await connection.query<{ yes: boolean }>(sql, values)
  return result.rows[0]?.yes ?? false
}

/** The locks are worth as much as the connection that holds them. */
interface Membership {
  readonly connection: pg.Client
  isLost: boolean
  isLeaving: boolean
}

function watch(connection: pg.Client, onLockLost?: (error: Error) => void): Membership {
  const membership: Membership = { connection, isLost: false, isLeaving: false }
  const lost = (error: Error): void => {
    if (membership.isLost || membership.isLeaving) return
    membership.isLost = true
    onLockLost?.(error)
  }
  connection.on('error', lost)
  connection.on('end', () => lost(new Error('the connection to the embedded PostgreSQL ended')))
  return membership
}

async function takeServeLock(connection: pg.Client, home: string): Promise<void> {
  if (await takeLock(connection, serveLock, embeddedLockReleaseMs)) return
  throw await secondInstance(connection, home)
}

/** Waiting helps: the server needs a moment to take a lock from a connection that is gone. */
async function takeLock(connection: pg.Client, lock: number[], waitMs: number): Promise<boolean> {
  const deadline = Date.now() + waitMs
  while (!(await ask(connection, 'select pg_try_advisory_lock($1, $2) as yes', lock))) {
    if (Date.now() >= deadline) return false
    await pause(embeddedPollMs)
  }
  return true
}

async function secondInstance(connection: pg.Client, home: string) {
  const holder = await connection.query<{ name: string }>(
    `select application_name as name from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and classid = $1 and objid = $2 and granted`,
    serveLock,
  )
  const who = holder.rows[0]?.name ?? 'another process'
  return new EmbeddedPostgresError('SECOND_INSTANCE', {
    message: `The service already runs on the data in ${home} (${who})`,
    remedy: 'Stop that one first, or give this one its own DATA_DIR.',
  })
}

async function ensureDatabase(connection: pg.Client): Promise<void> {
  const sql = 'select exists (select from pg_database where datname = $1) as yes'
  if (await ask(connection, sql, [applicationDatabase])) return
  try {
    await connection.query(`create database ${applicationDatabase}`)
  } catch (error) {
    // A second process that starts at the same time may have been quicker.
    if (!(await ask(connection, sql, [applicationDatabase]))) throw error
  }
}

async function leave(at: {
  readonly server: Server
  readonly membership: Membership
  readonly notice: (line: string) => void
}): Promise<void> {
  const { server, membership } = at
  membership.isLeaving = true
  const connection = membership.isLost ? await reconnect(server) : membership.connection
  if (connection === null) return
  try {
    await connection.query('select pg_advisory_unlock_all()')
    // Our own lost connection may still hold its share.
    const waitMs = membership.isLost ? embeddedLockReleaseMs : 0
    const isLast = await takeLock(connection, usersLock, waitMs)
    if (isLast && !(await server.stop()))
      at.notice(`PostgreSQL did not stop in time; the next start adopts it (${server.folder})`)
  } catch {
    // The server went away in this moment: someone else stopped it, or it fell. Nothing is ours.
  } finally {
    await connection.end().catch(() => undefined)
  }
}

async function reconnect(server: Server): Promise<pg.Client | null> {
  const port = await server.runningPort()
  if (port === null) return null
  const connection = connectionTo({ port, password: server.password, isServing: false })
  return connection.connect().then(
    () => connection,
    () => null,
  )
}

function startFailed(server: Server, detail: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError('START_FAILED', {
    message: `The embedded PostgreSQL in ${server.folder} did not start`,
    remedy:
      'Mend what its log says (server.log there). If cluster/postmaster.pid names a process that ' +
      'is not this server (a copied folder, a restarted container), delete that file.',
    detail,
  })
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return async () => (running ??= work())
}
