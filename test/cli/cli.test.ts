// The command line on a PostgreSQL of DATABASE_URL: results, --json, and clear refusals.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createUser } from '../../src/identity/users.js'
import { systemRandom } from '../../src/platform/random.js'
import { seal } from '../../src/platform/sealing.js'
import { runCommand, startCommand } from '../support/command-line.js'
import { freshDatabase } from '../support/database.js'
import { EventStoreStandIn } from '../support/eventstoredb/stand-in.js'
import { credit, debit, entryOf } from '../support/given.js'
import { TestDatabaseLedger } from '../support/ledger.js'

t.test('help names every command; a wrong one is usage, exit code 2', async (t) => {
  const help = await runCommand(t, ['--help'], {})
  t.equal(help.code, 0)
  const [, commands = ''] = help.stdout.split('Commands:')
  t.same(
    [...commands.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name),
    [
      ...['serve', 'project', 'demo', 'migrate', 'rebuild', 'upgrade', 'wallets'],
      ...['client-apps', 'users'],
      ...['admin', 'seed', 'sandbox', 'audit', 'verify-bundle', 'help'],
    ],
  )
  const wrong = await runCommand(t, ['rebuild', '--fast'], {})
  t.equal(wrong.code, 2)
  t.match(wrong.stderr, 'unknown option')
})

t.test('every fault of the configuration is said at once, one line each', async (t) => {
  const environment = { PORT: 'abc', CURRENCY: 'xyz', DATABASE_URL: 'mysql://u:hush@host/db' }
  const { code, stderr } = await runCommand(t, ['serve'], environment)
  t.equal(code, 1)
  const lines = stderr.trim().split('\n')
  t.equal(lines.length, 3)
  t.match(stderr, /PORT must be/)
  t.match(stderr, /CURRENCY must be/)
  t.match(stderr, /DATABASE_URL must be/)
  t.notMatch(stderr, 'hush')
})

t.test('migrate makes the tables once and may be repeated', async (t) => {
  const { url } = await freshDatabase(t)
  const first = await runCommand(t, ['migrate', '--json'], { DATABASE_URL: url })
  const { applied } = JSON.parse(first.stdout) as { applied: string[] }
  t.equal(applied[0], '0001-settings')
  t.same(applied, [...applied].sort(), 'in the order of their numbers')
  const second = await runCommand(t, ['migrate'], { DATABASE_URL: url })
  t.equal(second.code, 0)
  t.equal(second.stdout, 'The tables are up to date.\n')
})

t.test(
  'wallets show prints balance and entries with their texts, for people and as JSON',
  async (t) => {
    const ledger = await TestDatabaseLedger.open(t)
    const { walletId: of, sealingKey: key } = await createUser(ledger.pool, systemRandom)
    if (key === undefined) throw new Error('no key')
    const entryId = entryOf('C-1', { of })
    const description = seal('Welcome \u001b[31m', { key, entryId }, systemRandom)
    await ledger.send(of, { ...credit(1050, 'C-1', { of }), description })
    await ledger.send(of, debit(9900, 'O-1', { of }))
    const environment = { DATABASE_URL: ledger.url }
    const json = await runCommand(t, ['wallets', 'show', of, '--json'], environment)
    t.match(JSON.parse(json.stdout), {
      walletId: of,
      balance: 10.5,
      currency: 'usd',
      isActive: true,
      entries: [
        { event: 'DebitDeclined', outcome: 'declined', code: 'INSUFFICIENT_BALANCE', amount: 99 },
        { event: 'WalletCredited', balanceAfter: 10.5, description: 'Welcome \u001b[31m' },
      ],
    })
    const text = await runCommand(t, ['wallets', 'show', of], environment)
    t.match(text.stdout, 'Balance 10.50 USD, active, revision 2')
    t.match(text.stdout, 'Welcome ·[31m')
  },
)

t.test('wallets show tells what is wrong with what was asked', async (t) => {
  const { url } = await freshDatabase(t)
  await runCommand(t, ['migrate'], { DATABASE_URL: url })
  const environment = { DATABASE_URL: url }
  const cases = [
    [['wallets', 'show', 'x'], "'x' is no wallet that this service knows."],
    [['wallets', 'show', randomUUID(), '--limit', '0'], '--limit is 0.'],
    [['wallets', 'show', randomUUID()], 'is no wallet that this service knows.'],
  ] as const
  for (const [args, sentence] of cases) {
    const { code, stdout, stderr } = await runCommand(t, args, environment)
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, sentence)
  }
})

t.test('rebuild works while the service runs and puts the rows right', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const { walletId: of } = await createUser(ledger.pool, systemRandom)
  for (let index = 0; index < 5; index += 1)
    await ledger.send(of, credit(100, `C-${index}`, { of }))
  const environment = { DATABASE_URL: ledger.url }
  const service = startCommand(t, ['serve', '--json'], environment)
  await service.says(/"origin"/)
  await untilProjected(ledger)
  await ledger.pool.query('update read.wallets set balance_minor = 7')
  const rebuilt = await runCommand(t, ['rebuild', '--json'], environment)
  t.same(JSON.parse(rebuilt.stdout), { events: 6 })
  const { rows } = await ledger.pool.query('select balance_minor from read.wallets')
  t.same(rows, [{ balance_minor: 500 }])
})

t.test('project runs the projections alone, until it is told to end', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const { walletId: of } = await createUser(ledger.pool, systemRandom)
  await ledger.send(of, credit(100, 'C-1', { of }))
  const project = startCommand(t, ['project', '--json'], { DATABASE_URL: ledger.url })
  await project.says(/projecting/)
  await untilProjected(ledger)
  project.child.kill('SIGINT')
  t.equal((await project.ended()).code, 0)
})

t.test('another currency than at the first start is refused', async (t) => {
  const { url } = await freshDatabase(t)
  await runCommand(t, ['migrate'], { DATABASE_URL: url })
  const { code, stderr } = await runCommand(t, ['serve'], { DATABASE_URL: url, CURRENCY: 'eur' })
  t.equal(code, 1)
  t.match(stderr, /^This database was started with currency usd and cannot change to eur\.\n/)
})

t.test('a port that is taken is said in two lines', async (t) => {
  const { url } = await freshDatabase(t)
  const blocker = createServer().listen(0, '127.0.0.1')
  t.teardown(() => blocker.close())
  await new Promise((resolve) => blocker.once('listening', resolve))
  const port = String((blocker.address() as AddressInfo).port)
  const { code, stderr } = await runCommand(t, ['serve'], { DATABASE_URL: url, PORT: port })
  t.equal(code, 1)
  t.match(stderr, new RegExp(`^The port ${port} of the service is taken\\.\n.*another PORT\\.\n$`))
})

t.test('another event store is refused by service and projector, in one clear line', async (t) => {
  const { url } = await freshDatabase(t)
  const server = await EventStoreStandIn.start()
  t.teardown(() => server.stop())
  const environment = { DATABASE_URL: url, EVENTSTORE_URL: server.connectionString }
  const service = startCommand(t, ['serve', '--json'], environment)
  await service.says(/"origin"/)
  service.child.kill('SIGINT')
  t.equal((await service.ended()).code, 0)
  server.faults.wipe()
  for (const command of ['serve', 'project']) {
    const { code, stderr } = await runCommand(t, [command], environment)
    t.equal(code, 1)
    t.match(stderr, 'The event store is another one than the read models were made from.')
  }
})

async function untilProjected(ledger: TestDatabaseLedger): Promise<void> {
  const last = await ledger.store.lastEvent()
  for (;;) {
    const { rows } = await ledger.pool.query<{ position: string }>(
      'select position from read.checkpoint',
    )
    if (BigInt(rows[0]?.position ?? 0) >= (last?.position ?? 0n)) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}
