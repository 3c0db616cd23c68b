/**
 * Decides where the embedded PostgreSQL lives and as whom it runs, and finds its binaries.
 * Promises: the data of an earlier start is always found again; as root another user runs the
 * server, in a folder which that user can enter; missing links between the libraries are made.
 * Never: moves or deletes data, or makes anything for a command that only looks.
 */
import { createHash } from 'node:crypto'
import {
  access,
  chmod,
  constants,
  cp,
  lchown,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'

import { embeddedCommandMs } from '../limits.js'
import { type Account, runCommand } from './embedded-postgres-command.js'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import { exists, makeFolders } from './folders.js'
import { NoServiceError } from './settings.js'

export interface Place {
  /** Holds `postgres/` (data) and, where they had to be copied, the binaries. */
  readonly home: string
  /** `null`: the user of this process. */
  readonly account: Account | null
  /** The folder with bin/, lib/ and share/. */
  readonly native: string
}

/** Names the folder that was chosen instead, so that a later start looks nowhere else. */
const pointerFile = 'postgres-is-in'

export async function findPlace(options: {
  readonly dataDir: string
  readonly mustExist?: boolean
  readonly notice: (line: string) => void
}): Promise<Place> {
  const dataDir =
    options.mustExist === true
      ? await folderWithData(options.dataDir)
      : await existingFolder(options.dataDir)
  const { home, account } =
    process.getuid?.() === 0
      ? await homeAsRoot(dataDir)
      : { home: await homeAsOurselves(dataDir), account: null }
  if (home !== dataDir) {
    options.notice(
      `PostgreSQL keeps the data of ${dataDir} in ${home}, ` +
        `a folder that its user ${account?.name ?? 'postgres'} can enter`,
    )
  }
  return { home, account, native: await usableBinaries({ home, account }) }
}

/** Gives a folder and all that is in it to the user that PostgreSQL runs as. */
export async function giveTo(account: Account | null, folder: string): Promise<void> {
  if (account === null) return
  for (const name of ['', ...(await readdir(folder, { recursive: true }))])
    await lchown(path.join(folder, name), account.uid, account.gid)
}

async function existingFolder(folder: string): Promise<string> {
  try {
    await makeFolders(folder)
    return await realpath(folder)
  } catch (cause) {
    throw notWritable(folder, cause)
  }
}

async function folderWithData(folder: string): Promise<string> {
  const dataDir = await realpath(folder).catch(() => undefined)
  if (dataDir === undefined || (await earlierHome(dataDir)) === null) throw new NoServiceError()
  return dataDir
}

async function homeAsOurselves(dataDir: string): Promise<string> {
  const data = path.join(dataDir, 'postgres')
  const elsewhere = await pointedHome(dataDir)
  if (elsewhere !== null && !(await exists(data))) {
    throw new EmbeddedPostgresError('NOT_WRITABLE', {
      message: `The data of ${dataDir} was made by root and is in ${elsewhere}`,
      remedy: 'Start the service as root again, or choose another DATA_DIR.',
    })
  }
  try {
    await access((await exists(data)) ? data : dataDir, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw notWritable(dataDir, cause)
  }
  return dataDir
}

async function homeAsRoot(dataDir: string): Promise<{ home: string; account: Account }> {
  const earlier = await earlierHome(dataDir)
  if (earlier !== null) {
    const account = await ownerOf(path.join(earlier, 'postgres'))
    if (await canEnter(account, path.join(earlier, 'postgres'))) return { home: earlier, account }
    throw new EmbeddedPostgresError('NOT_WRITABLE', {
      message: `PostgreSQL runs as ${account.name}, who cannot enter its data in ${earlier}`,
      remedy: `Let that user enter every folder above it (chmod o+x), or choose another DATA_DIR.`,
    })
  }
  const account = await accountForRoot()
  if (await canEnter(account, dataDir)) return { home: dataDir, account }
  const home = reachableHome(dataDir)
  try {
    await makeFolders(home)
    await chmod(home, 0o755)
    await writeFile(path.join(dataDir, pointerFile), `${home}\n`)
  } catch (cause) {
    throw notWritable(home, cause)
  }
  return { home, account }
}

async function earlierHome(dataDir: string): Promise<string | null> {
  const pointed = await pointedHome(dataDir)
  for (const home of [dataDir, pointed, reachableHome(dataDir)]) {
    if (home !== null && (await exists(path.join(home, 'postgres')))) return home
  }
  return null
}

async function pointedHome(dataDir: string): Promise<string | null> {
  const text = await readFile(path.join(dataDir, pointerFile), 'utf8').catch(() => '')
  return text.trim() === '' ? null : text.trim()
}

function reachableHome(dataDir: string): string {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12)
  return `/var/lib/wallet-service-${hash}`
}

/** Whoever owns the data runs the server; data that root owns (a restored backup) is given away. */
async function ownerOf(data: string): Promise<Account> {
  const { uid, gid } = await stat(data)
  if (uid !== 0) return { name: await nameOf(uid), uid, gid }
  const account = await accountForRoot()
  await giveTo(account, data)
  return account
}

async function nameOf(uid: number): Promise<string> {
  const args = ['-un', String(uid)]
  const found = await runCommand('id', { args, account: null, timeoutMs: embeddedCommandMs })
  return found.isOk ? found.output : `user ${uid}`
}

async function accountForRoot(): Promise<Account> {
  const ownName = 'wallet-postgres'
  for (const name of ['postgres', '_postgres', ownName]) {
    const found = await accountNamed(name)
    if (found !== null) return found
  }
  const args = ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', ownName]
  await runCommand('useradd', { args, account: null, timeoutMs: embeddedCommandMs })
  const account = (await accountNamed(ownName)) ?? (await accountNamed('nobody'))
  if (account !== null) return account
  throw new EmbeddedPostgresError('START_FAILED', {
    message: 'PostgreSQL must not run as root, and no other user could be found or made',
    remedy: 'Create a user named postgres, or start the service as an ordinary user.',
  })
}

async function accountNamed(name: string): Promise<Account | null> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map((which) =>
      runCommand('id', { args: [which, name], account: null, timeoutMs: embeddedCommandMs }),
    ),
  )
  if (!uid?.isOk || !gid?.isOk) return null
  const account = { name, uid: Number(uid.output), gid: Number(gid.output) }
  return account.uid > 0 ? account : null
}

async function canEnter(account: Account, folder: string): Promise<boolean> {
  const args = ['-c', 'cd -- "$1"', 'sh', folder]
  return (await runCommand('/bin/sh', { args, account, timeoutMs: embeddedCommandMs })).isOk
}

function notWritable(folder: string, cause: unknown): EmbeddedPostgresError {
  const { code = '', message } = cause as NodeJS.ErrnoException
  const reason = folderReasons[code] ?? message
  return new EmbeddedPostgresError('NOT_WRITABLE', {
    message: `The data folder ${folder} cannot be used: ${reason}`,
    remedy: 'Make it writable for this user, or set DATA_DIR to another folder.',
    cause,
  })
}

const folderReasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EEXIST: 'it is a file, not a folder',
  ENOENT: 'no folder can be made there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EPERM: 'this user may not write there',
  EROFS: 'nothing can be written there (read-only)',
}

async function usableBinaries(place: Omit<Place, 'native'>): Promise<string> {
  const { root, version } = await binaryPackage()
  const packaged = path.join(root, 'native')
  if ((await linkLibraries(root)) && (await runs(packaged, place.account)).isOk) return packaged

  const copy = path.join(place.home, `postgres-binaries-${version}`)
  if (!(await exists(copy))) await copyBinaries({ root, copy, account: place.account })
  const native = path.join(copy, 'native')
  const tried = await runs(native, place.account)
  if (tried.isOk) return native
  throw new EmbeddedPostgresError('BINARIES_MISSING', {
    message: 'The PostgreSQL inside npm does not run on this machine',
    remedy: 'Set DATABASE_URL to a PostgreSQL server (15 or later) instead.',
    detail: tried.output,
  })
}

async function binaryPackage(): Promise<{ root: string; version: string }> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const root = path.resolve(path.dirname(createRequire(wrapper).resolve(name)), '..')
    const description: unknown = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'))
    return { root, version: (description as { version: string }).version }
  } catch (cause) {
    throw new EmbeddedPostgresError('BINARIES_MISSING', {
      message: `There is no PostgreSQL inside npm for this machine (${name} is not installed)`,
      remedy: 'Run npm ci again, or set DATABASE_URL to a PostgreSQL server (15 or later).',
      cause,
    })
  }
}

/**
 * npm packages hold no symbolic links: the package's install script makes them, and npm may have
 * skipped that script. False when a link is missing and cannot be made (a read-only folder).
 */
async function linkLibraries(root: string): Promise<boolean> {
  const list = await readFile(path.join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(root, target)
    if (await exists(link)) continue
    try {
      await symlink(path.relative(path.dirname(link), path.join(root, source)), link)
    } catch {
      // Another process may have made it in this moment.
      if (!(await exists(link))) return false
    }
  }
  return true
}

async function runs(native: string, account: Account | null) {
  const args = ['--version']
  const timeoutMs = embeddedCommandMs
  return runCommand(path.join(native, 'bin', 'postgres'), { args, account, timeoutMs })
}

async function copyBinaries(options: {
  readonly root: string
  readonly copy: string
  readonly account: Account | null
}): Promise<void> {
  const { root, copy, account } = options
  const fresh = await mkdtemp(`${copy}.new-`)
  try {
    const isNeeded = (file: string): boolean => !file.endsWith('.a')
    const copying = { recursive: true, verbatimSymlinks: true, filter: isNeeded }
    await cp(path.join(root, 'native'), path.join(fresh, 'native'), copying)
    await linkLibraries(fresh)
    await giveTo(account, fresh)
    await chmod(fresh, 0o755)
    await rename(fresh, copy)
  } catch (cause) {
    await rm(fresh, { recursive: true, force: true })
    // A second process that starts at the same time may have been quicker.
    if (!(await exists(copy))) throw notWritable(path.dirname(copy), cause)
  }
}
