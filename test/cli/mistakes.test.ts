// What people get when the surroundings are not as the command needs them: sentences, no stacks.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { DivergenceError } from '../../src/audit/verifying/divergence.js'
import { explain } from '../../src/cli/explained-errors.js'
import { throwListenError } from '../../src/platform/connection-faults.js'
import { EmbeddedPostgresError } from '../../src/platform/embedded-postgres-error.js'
import { runCommand, startCommand } from '../support/command-line.js'
import { freshDatabase } from '../support/database.js'
import { credit } from '../support/given.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'
import { query } from './json-commands.js'

for (const command of ['serve', 'project'])
  t.test(`${command} waits for its database with one line, and a signal ends that`, async (t) => {
    const absent = await absentDatabase(t)
    const waiting = startCommand(t, [command], { DATABASE_URL: absent.url })
    await absent.isAskedTimes(3)
    waiting.child.kill('SIGTERM')
    const { code, stdout, stderr } = await waiting.ended()
    t.equal(code, 0)
    t.equal(stdout.split('waiting for the database').length - 1, 1, 'told once')
    t.notMatch(stdout + stderr, /stack|^ {4}at /m)
  })

t.test('a signal during the first start stops the new PostgreSQL again', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wallet-mistakes-'))
  t.teardown(() => rm(dataDir, { recursive: true, force: true }))
  // As root PostgreSQL runs as another user, who must be able to enter.
  await chmod(dataDir, 0o755)
  const service = startCommand(t, ['serve', '--json'], { DATA_DIR: dataDir })
  while (!existsSync(join(dataDir, 'postgres'))) await pause(5)
  service.child.kill('SIGTERM')
  const { code, stdout } = await service.ended()
  t.equal(code, 0)
  t.notMatch(stdout, 'origin', 'it never served')
  t.notOk(existsSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid')))
})

t.test('the login of the first admin is not lost with a start that fails', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wallet-mistakes-'))
  t.teardown(() => rm(dataDir, { recursive: true, force: true }))
  await chmod(dataDir, 0o755)
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const PORT = String((taken.address() as AddressInfo).port)
  const failed = await runCommand(t, ['serve'], { DATA_DIR: dataDir, PORT })
  t.equal(failed.code, 1)
  t.notMatch(failed.stdout, 'log in as')
  taken.close()
  const service = startCommand(t, ['serve'], { DATA_DIR: dataDir })
  await service.says(/Ctrl-C ends it/)
  // As when the terminal is closed.
  service.child.kill('SIGHUP')
  const { code, stdout } = await service.ended()
  t.equal(code, 0)
  t.match(stdout, /log in as admin@wallet\.example with \S{10,}/)
  t.notOk(existsSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid')), 'PostgreSQL too')
})

t.test('a DATABASE_URL that the server refuses is named, with what is wrong', async (t) => {
  const { url } = await freshDatabase(t)
  const stranger = Object.assign(new URL(url), { password: 'wrong' })
  const nowhere = Object.assign(new URL(url), { pathname: '/nowhere' })
  const cases = [
    [stranger, /^Password authentication failed .*\n.* password in DATABASE_URL\.\n$/],
    [nowhere, /^Database "nowhere" does not exist\.\n.* in DATABASE_URL\.\n$/],
  ] as const
  for (const [{ href }, sentences] of cases) {
    const { code, stderr } = await runCommand(t, ['serve'], { DATABASE_URL: href })
    t.equal(code, 1)
    t.match(stderr, sentences)
  }
})

t.test('a HOST that is no address of this machine is named', async (t) => {
  const { url } = await freshDatabase(t)
  for (const HOST of ['192.0.2.1', 'no.such.host.invalid']) {
    const { code, stderr } = await runCommand(t, ['serve'], { DATABASE_URL: url, HOST })
    t.equal(code, 1)
    t.match(stderr, `HOST is ${HOST}, which is no address of this machine.\nSet HOST to an address`)
    t.equal(stderr.split('\n').length, 3, 'two lines')
  }
})

t.test('a port that this user may not have is no port that is taken', (t) => {
  const cause = Object.assign(new Error('listen EACCES: permission denied 0.0.0.0:80'), {
    code: 'EACCES',
    syscall: 'listen',
    address: '0.0.0.0',
    port: 80,
  })
  t.equal(
    sentencesOf(() => throwListenError(cause)),
    'This user may not have the port 80.\nChoose another PORT, such as 3000.',
  )
  t.end()
})

t.test('a file that cannot be read or written is named, with the reason', async (t) => {
  const folder = t.testdir({ file: '', folder: {} })
  const missing = join(folder, 'none', 'x.json')
  const temporary = `${missing}.00000000-0000-4000-8000-000000000000`
  const cases = [
    [
      async () => open(missing, 'w'),
      `${missing}: there is no such file, or its folder is missing.`,
    ],
    [
      async () => open(temporary, 'w'),
      `${missing}: there is no such file, or its folder is missing.`,
    ],
    [
      async () => open(join(folder, 'file', 'x')),
      'x: a part of this path is a file, not a folder.',
    ],
    [async () => open(folder, 'w'), `${folder}: that is a folder, not a file.`],
    [
      async () => rename(join(folder, 'file'), join(folder, 'folder')),
      `${folder}/folder: that is a folder, not a file.`,
    ],
  ] as const
  for (const [work, sentence] of cases) {
    const error: unknown = await work().then(
      () => undefined,
      (fault: unknown) => fault,
    )
    t.match(explain(error)?.join('\n'), sentence)
  }
  const forbidden = Object.assign(new Error('EACCES: permission denied'), {
    code: 'EACCES',
    syscall: 'open',
    path: '/etc/x.json',
  })
  t.match(explain(forbidden), ['/etc/x.json: this user may not read or write there.'])
})

t.test('a fault of the embedded PostgreSQL is told as a sentence, with a way out', (t) => {
  const text = { message: 'The service already runs (process 7)', remedy: 'Stop that one first.' }
  const error = new EmbeddedPostgresError('SECOND_INSTANCE', text)
  t.same(explain(error), ['The service already runs (process 7).', 'Stop that one first.'])
  t.end()
})

t.test('what differs is told as a sentence', (t) => {
  const problem = 'its hash is another one'
  const error = new DivergenceError({ kind: 'event', place: 'wallet 1, revision 7', problem })
  t.same(explain(error), ['wallet 1, revision 7: its hash is another one.'])
  t.end()
})

t.test('a database without a wallet service is told, and stays empty', async (t) => {
  const { url } = await freshDatabase(t)
  const environment = { DATABASE_URL: url, CURRENCY: 'jpy' }
  const cases = [
    [['audit', 'verify'], 2],
    [['audit', 'keys', 'list'], 1],
    [['wallets', 'show', newWalletId()], 1],
    [['client-apps', 'list'], 1],
  ] as const
  for (const [args, exitCode] of cases) {
    const { code, stdout, stderr } = await runCommand(t, args, environment)
    t.equal(code, exitCode)
    t.equal(stdout, '')
    t.match(stderr, /^This database holds no wallet service\.\nCheck DATABASE_URL or DATA_DIR\./)
  }
  const schemas = "select nspname from pg_namespace where nspname in ('service', 'ledger', 'read')"
  t.same(await query(environment, schemas), [])
  const made = await runCommand(t, ['client-apps', 'create', '--name', 'Shop'], environment)
  t.equal(made.code, 0, 'a command that writes may be the first')
  const early = await runCommand(t, ['audit', 'verify'], environment)
  t.equal(early.code, 2)
  t.match(early.stderr, /^Relation "read.checkpoint" does not exist\.\nRun: .* migrate/)
})

t.test('a reader of the output who has seen enough ends the command without a word', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const of = newWalletId()
  await ledger.send(of, credit(100, 'C-1', { of }))
  const statement = startCommand(t, ['audit', 'statement', of], { DATABASE_URL: ledger.url })
  statement.child.stdout.destroy()
  const { code, stderr } = await statement.ended()
  t.equal(code, 0)
  t.equal(stderr, '')
})

/** Closes every connection at once, as a server does whose PostgreSQL is not there yet. */
async function absentDatabase(t: Test) {
  let asked = 0
  let look = (): void => undefined
  const server = createServer((socket) => {
    asked += 1
    socket.destroy()
    look()
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const isAskedTimes = (count: number): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (asked >= count) resolve()
      }
      look()
    })
  return { url: `postgres://u:p@127.0.0.1:${port}/x`, isAskedTimes }
}

function sentencesOf(work: () => unknown): string | undefined {
  try {
    work()
  } catch (error) {
    return explain(error)?.join('\n')
  }
  return undefined
}

t.test('a command that does not exist is named, and starts nothing', async (t) => {
  for (const args of [['nonsense'], ['walets', 'show']]) {
    const { code, stderr } = await runCommand(t, args, {})
    t.equal(code, 2)
    t.match(stderr, `unknown command '${args[0]}'`)
  }
  const { code, stderr } = await runCommand(t, [], {})
  t.equal(code, 2)
  t.match(stderr, /^Usage: wallet/)
})
