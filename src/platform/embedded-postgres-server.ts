/**
 * One PostgreSQL data folder and the server on it: made once by initdb, started and stopped with
 * pg_ctl, found again through postmaster.pid.
 * Promises: the folder appears whole or not at all; the server listens on 127.0.0.1 only and asks
 * for a password that is kept in a file of mode 0600.
 * Never: deletes postmaster.pid, or signals a process that is not PostgreSQL.
 */
import { randomBytes } from 'node:crypto'
import {
  mkdtemp,
  open,
  readFile,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import {
  embeddedAbandonedMs,
  embeddedCommandMs,
  embeddedLogBytesMax,
  embeddedPollMs,
  embeddedStartMs,
  embeddedStopMs,
} from '../limits.js'
import { runCommand } from './embedded-postgres-command.js'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import { giveTo, type Place } from './embedded-postgres-place.js'
import { exists } from './folders.js'

export const superuser = 'wallet'

export interface Server {
  readonly folder: string
  readonly password: string
  /** The port of the running server; null when none runs. */
  runningPort(): Promise<number | null>
  /** Null when it started, else the reason why not. */
  start(): Promise<string | null>
  stop(): Promise<boolean>
}

/** A small machine of 1 to 2 GB still has room for Node beside this. */
const settings = {
  listen_addresses: '127.0.0.1',
  // A socket's path may be at most 107 bytes long: a deep data folder would not start.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The service logs its own errors; a failed statement here would only repeat people's data.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  fsync: 'on',
  synchronous_commit: 'on',
}

/** For tests only: a power cut would lose the data, and hundreds of databases come and go. */
const nonDurable = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_wal_size: '128MB',
}

/** Each test connects anew, and to prove a password 4,096 times over took a third of that. */
const nonDurableMaking = ['--no-sync', '--no-data-checksums', '--set=scram_iterations=1']

export async function prepareServer(place: Place, isDurable: boolean): Promise<Server> {
  const folder = path.join(place.home, 'postgres')
  if (!(await exists(folder))) await makeFolder({ place, folder, isDurable })
  const password = await readFile(path.join(folder, 'password'), 'utf8').catch((cause: unknown) => {
    throw new EmbeddedPostgresError('NOT_WRITABLE', {
      message: `The data in ${folder} belongs to another user or is incomplete`,
      remedy: 'Start the service as the user who owns that folder, or choose another DATA_DIR.',
      cause,
    })
  })
  return {
    folder,
    password: password.trim(),
    runningPort: async () => (await runningServer({ place, folder }))?.port ?? null,
    start: async () => start({ place, folder, isDurable }),
    stop: async () => stop({ place, folder }),
  }
}

interface ServerFolder {
  readonly place: Place
  readonly folder: string
}

function clusterIn(folder: string): string {
  return path.join(folder, 'cluster')
}

async function control(at: ServerFolder, args: readonly string[], timeoutMs: number) {
  return runCommand(path.join(at.place.native, 'bin', 'pg_ctl'), {
    args: ['-D', clusterIn(at.folder), ...args],
    account: at.place.account,
    timeoutMs,
  })
}

async function runningServer(at: ServerFolder): Promise<{ pid: number; port: number } | null> {
  const file = path.join(clusterIn(at.folder), 'postmaster.pid')
  const [pid, data, , port] = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  if (data === undefined || port === undefined || !/^\d+$/.test(port.trim())) return null
  // In a copied folder the file names the server of the original, which is not ours to use or stop.
  if (path.resolve(data) !== clusterIn(at.folder)) return null
  if (!(await control(at, ['status'], embeddedCommandMs)).isOk) return null
  // After a restart of the machine or the container the number may belong to anybody.
  return (await isPostgres(Number(pid))) ? { pid: Number(pid), port: Number(port) } : null
}

async function isPostgres(pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const program = await readlink(`/proc/${pid}/exe`).catch(() => 'postgres')
    return path.basename(program).startsWith('postgres')
  }
  if (process.platform === 'win32') return true
  const args = ['-p', String(pid), '-o', 'comm=']
  const found = await runCommand('ps', { args, account: null, timeoutMs: embeddedCommandMs })
  return found.output.includes('postgres')
}

async function start(at: ServerFolder & { readonly isDurable: boolean }): Promise<string | null> {
  const log = path.join(at.folder, 'server.log')
  await keepLogSmall(log)
  const chosen = { ...settings, ...(at.isDurable ? {} : nonDurable), port: await freePort() }
  const options = Object.entries(chosen).map(([name, value]) => `-c ${name}=${value}`)
  const seconds = String(embeddedStartMs / 1_000)
  const args = ['start', '-w', '-s', '-t', seconds, '-l', log, '-o', options.join(' ')]
  const started = await control(at, args, embeddedStartMs + embeddedCommandMs)
  if (started.isOk) return null
  return [started.output, await tailOf(log)].filter((text) => text !== '').join('\n')
}

/**
 * Waits for this very process and not, as `pg_ctl -w` would, for the folder: a newcomer may start
 * the next server as soon as this one has given the folder up.
 */
async function stop(at: ServerFolder): Promise<boolean> {
  const server = await runningServer(at)
  if (server === null) return true
  await control(at, ['stop', '-m', 'fast', '-W', '-s'], embeddedCommandMs)
  const deadline = Date.now() + embeddedStopMs
  while (await isPresent(server.pid)) {
    if (Date.now() > deadline) return false
    await pause(embeddedPollMs)
  }
  return true
}

async function isPresent(pid: number): Promise<boolean> {
  // Where nobody collects the dead (process 1 of a container) they stay in the list as zombies.
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  if (/^\d+ \(.*\) Z/.test(state)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: unknown }).code !== 'ESRCH'
  }
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}

async function keepLogSmall(log: string): Promise<void> {
  const size = await stat(log).then(
    (file) => file.size,
    () => 0,
  )
  if (size > embeddedLogBytesMax) await rename(log, `${log}.old`)
}

async function tailOf(log: string): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-8).join('\n')
}

/**
 * initdb works in a folder beside the real one, which then gets its name in one step: of two first
 * starts one wins, and a start that is cut off leaves nothing half made.
 */
async function makeFolder(at: ServerFolder & { readonly isDurable: boolean }): Promise<void> {
  const { place, folder } = at
  await removeAbandoned(folder)
  const fresh = await mkdtemp(`${folder}.new-`).catch((cause: unknown) => {
    throw new EmbeddedPostgresError('NOT_WRITABLE', {
      message: `The folder ${path.dirname(folder)} is not writable`,
      remedy: 'Make it writable for this user, or set DATA_DIR to another folder.',
      cause,
    })
  })
  try {
    await writeFile(path.join(fresh, 'password'), randomBytes(24).toString('hex'), { mode: 0o600 })
    await giveTo(place.account, fresh)
    await initialise({ ...at, folder: fresh })
    await syncToDisk(path.join(fresh, 'password'))
    await rename(fresh, folder)
    await syncToDisk(path.dirname(folder))
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    // A second process that starts at the same time may have been quicker.
    if (!(await exists(folder))) throw error
  }
}

async function initialise(at: ServerFolder & { readonly isDurable: boolean }): Promise<void> {
  const made = await runCommand(path.join(at.place.native, 'bin', 'initdb'), {
    args: [
      `--pgdata=${clusterIn(at.folder)}`,
      `--username=${superuser}`,
      `--pwfile=${path.join(at.folder, 'password')}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Byte order, the same on every machine: no index breaks when the system's library changes.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      ...(at.isDurable ? [] : nonDurableMaking),
    ],
    account: at.place.account,
    timeoutMs: embeddedStartMs,
  })
  if (made.isOk) return
  throw new EmbeddedPostgresError('START_FAILED', {
    message: 'The embedded PostgreSQL could not make its data folder',
    remedy: 'Free some disk space, or set DATA_DIR to another folder.',
    detail: made.output,
  })
}

/** What a first start left behind that was cut off in the middle. */
async function removeAbandoned(folder: string): Promise<void> {
  const parent = path.dirname(folder)
  for (const name of await readdir(parent)) {
    if (!name.startsWith(`${path.basename(folder)}.new-`)) continue
    const abandoned = path.join(parent, name)
    const ageMs =
      Date.now() - (await stat(abandoned).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs
    if (ageMs > embeddedAbandonedMs) await rm(abandoned, { recursive: true, force: true })
  }
}

async function syncToDisk(file: string): Promise<void> {
  // Windows cannot open a folder.
  if (process.platform === 'win32') return
  const handle = await open(file, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
