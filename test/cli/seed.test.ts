// seed: users with a balance whose events, chain and rows are those of any other wallet.
import t from 'tap'
import { walletIdOf } from '../../src/domain/ids.js'
import { runCommand, startCommand } from '../support/command-line.js'
import { TestDatabaseLedger } from '../support/ledger.js'
import type { DatabaseEnvironment } from './json-commands.js'
import { newDatabase, query, refused, runJson } from './json-commands.js'

interface Seeded {
  readonly serviceUserIds: readonly string[]
}

const app = ['client-apps', 'create', '--name', 'Load']

/** More than one chunk would take too long here; 25 wallets are one chunk. */
function seedArgs(clientId: string, { wallets = '25', balance = '10.50' } = {}): string[] {
  return ['seed', '--wallets', wallets, '--balance', balance, '--link', clientId]
}

async function walletIds(environment: DatabaseEnvironment) {
  const sql = 'select wallet_id from identity.users order by 1'
  const rows = await query<{ wallet_id: string }>(environment, sql)
  return rows.map((row) => walletIdOf(row.wallet_id))
}

t.test('every seeded user is linked and holds the balance, in stream and rows', async (t) => {
  const environment = await newDatabase(t)
  const { clientId } = await runJson<{ clientId: string }>(t, app, environment)
  const { serviceUserIds } = await runJson<Seeded>(t, seedArgs(clientId), environment)
  t.equal(new Set(serviceUserIds).size, 25)
  const links = `select service_user_id from identity.links where client_id = '${clientId}'`
  const linked = await query<{ service_user_id: string }>(environment, links)
  t.same(new Set(linked.map((row) => row.service_user_id)), new Set(serviceUserIds))
  const rows = 'select revision::int, balance_minor::int from read.wallets'
  t.same(
    await query(environment, rows),
    serviceUserIds.map(() => ({ revision: 1, balance_minor: 1050 })),
  )
  const ledger = await TestDatabaseLedger.join(t, environment.DATABASE_URL)
  for (const walletId of await walletIds(environment)) {
    const { entries, ...wallet } = await ledger.reader.read(walletId, { limit: 10 })
    t.match(wallet, { balanceMinor: 1050, isActive: true, revision: 1 })
    const bonus = { type: 'BonusGranted', issuer: 'service', referenceType: 'BONUS' }
    t.match(entries, [{ ...bonus, referenceId: `seed-${walletId}`, amountMinor: 1050 }])
  }
})

t.test('seed works beside a running service, and for people prints an id a line', async (t) => {
  const environment = await newDatabase(t)
  const service = startCommand(t, ['serve', '--json'], environment)
  await service.says(/"origin"/)
  const { clientId } = await runJson<{ clientId: string }>(t, app, environment)
  const { code, stdout, stderr } = await runCommand(t, seedArgs(clientId), environment)
  t.equal(code, 0, stderr)
  t.match(stdout, /^(usr_[0-9a-f-]{36}\n){25}$/)
  t.match(stderr, /Made 25 users with 10\.50 USD each in [\d.]+ s, [\d,]+ a second/)
  const rows = 'select count(*)::int as count from read.wallets where balance_minor = 1050'
  t.same(await query(environment, rows), [{ count: 25 }])
})

t.test('a balance of 0 needs no event', async (t) => {
  const environment = await newDatabase(t)
  const { clientId } = await runJson<{ clientId: string }>(t, app, environment)
  await runJson(t, seedArgs(clientId, { balance: '0' }), environment)
  t.same(await query(environment, 'select count(*)::int as count from ledger.events'), [
    { count: 0 },
  ])
})

t.test('seed is refused in production, for an unknown app and for odd numbers', async (t) => {
  const environment = await newDatabase(t)
  const { clientId } = await runJson<{ clientId: string }>(t, app, environment)
  const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://wallet.example' }
  const live = { ...environment, ...production }
  await refused(t, seedArgs(clientId), live, /refused in production: it gives money away/)
  const cases = [
    [seedArgs('app_x'), /There is no client app 'app_x'/],
    [seedArgs(clientId, { wallets: '0' }), /--wallets is '0'.\nGive a whole number from 1/],
    [seedArgs(clientId, { wallets: '1e3' }), /--wallets is '1e3'/],
    [seedArgs(clientId, { balance: '1.005' }), /--balance is '1.005'.\nGive an amount from 0/],
    [seedArgs(clientId, { balance: '-1' }), /--balance is '-1'/],
    [seedArgs(clientId, { balance: '1000000.01' }), /--balance is '1000000.01'/],
  ] as const
  for (const [args, sentences] of cases) await refused(t, args, environment, sentences)
  t.same(await walletIds(environment), [])
})
