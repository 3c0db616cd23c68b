// audit verify and audit statement as an auditor runs them, on a PostgreSQL of DATABASE_URL.
import t from 'tap'
import { runCommand } from '../support/command-line.js'
import { service } from '../support/given.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'
import { newDatabase, query, refused, runJson } from './json-commands.js'

t.test('verify says that all agrees, or what differs, by sentence and exit code', async (t) => {
  const environment = await newDatabase(t)
  const app = await runJson<{ clientId: string }>(
    t,
    ['client-apps', 'create', '--name', 'Shop'],
    environment,
  )
  const seed = ['seed', '--wallets', '3', '--balance', '12.50', '--link', app.clientId]
  const seeded = await runJson<{ serviceUserIds: string[] }>(t, seed, environment)
  const [serviceUserId = ''] = seeded.serviceUserIds
  await runJson(t, ['rebuild'], environment)

  const honest = await runJson(t, ['audit', 'verify'], environment)
  t.match(honest, { events: 6, wallets: 3, position: '6' })
  const statement = await runCommand(t, ['audit', 'statement', serviceUserId], environment)
  t.match(statement.stdout, /WalletOpened .*\n.*BonusGranted +\+12.50 USD +12.50 USD +applied/)
  const csv = ['audit', 'statement', serviceUserId, '--format', 'csv']
  const lines = (await runCommand(t, csv, environment)).stdout.trim().split('\n')
  t.match(lines[0], /^revision,time,event,outcome,code,change,amount,balance,currency,/)
  t.equal(lines.length, 3)
  const at = ['audit', 'statement', serviceUserId, '--at', '0', '--format', 'json']
  t.match(JSON.parse((await runCommand(t, at, environment)).stdout), { balance: 0, revision: 0 })

  const before = ['audit', 'statement', serviceUserId, '--at', '2020-01-01']
  t.equal(
    (await runCommand(t, before, environment)).stdout,
    '0.00 USD before its first event\n',
    'a state before the first event has no revision',
  )
  const beyond = ['audit', 'statement', serviceUserId, '--at', '999']
  await refused(t, beyond, environment, /--at is 999, which .*\nIts last revision is 1\./)

  await query(environment, 'update read.journal_totals set postings = 7')
  const forged = await runCommand(t, ['audit', 'verify'], environment)
  t.equal(forged.code, 1)
  t.match(forged.stdout, /^DIFFERS \(journal-total\)\nthe journal's total of account /)
  const one = await runCommand(t, ['audit', 'verify', '--wallet', serviceUserId], environment)
  t.equal(one.code, 0, 'that wallet itself agrees')
})

t.test('verify says how many events the read models have not reached', async (t) => {
  const environment = await newDatabase(t)
  const app = await runJson<{ clientId: string }>(
    t,
    ['client-apps', 'create', '--name', 'Shop'],
    environment,
  )
  const seed = ['seed', '--wallets', '1', '--balance', '12.50', '--link', app.clientId]
  await runJson(t, seed, environment)
  await runJson(t, ['rebuild'], environment)
  await query(environment, 'truncate read.wallets, read.transactions, read.journal_totals')
  await query(environment, 'update read.checkpoint set position = 0, event_id = null')
  const { code, stdout } = await runCommand(t, ['audit', 'verify'], environment)
  t.equal(code, 0)
  const lag = 'as far as they are: 2 events are not in the read models yet.\n'
  t.equal(stdout, `All agrees: 2 events of 1 wallet, and the read models with them, ${lag}`)
  const report = await runJson(t, ['audit', 'verify'], environment)
  t.match(report, { events: 2, wallets: 1, position: '2', unprojectedEvents: 2 })
})

t.test('a top-up without an intent: who can be asked decides what verify says', async (t) => {
  const environment = await newDatabase(t)
  await runJson(t, ['migrate'], environment)
  const ledger = await TestDatabaseLedger.join(t, environment.DATABASE_URL)
  const of = newWalletId()
  await ledger.send(of, service('TopUp', 500, 'pi_nobody', of))
  await ledger.project()
  const verify = ['audit', 'verify']
  const unable = await runCommand(t, verify, { ...environment, PAYMENTS: 'off' })
  t.equal(unable.code, 2)
  t.match(unable.stdout, /^All agrees: 2 events of 1 wallet/)
  t.match(unable.stderr, /^Not checked: 1 top-up that no intent vouches for, as the card proc/m)
  const asked = await runCommand(t, verify, { ...environment, PAYMENTS: 'sandbox' })
  t.equal(asked.code, 1)
  t.match(asked.stdout, /^DIFFERS \(top-up\)\nwallet .* the processor knows no such payment\n/)
})

t.test('verify that cannot look says so with exit code 2', async (t) => {
  const answer = await runCommand(t, ['audit', 'verify'], { DATABASE_URL: 'nowhere' })
  t.equal(answer.code, 2)
  t.match(answer.stderr, /^DATABASE_URL must be/)
})

t.test('an unknown wallet, a strange time and an unknown format are refused', async (t) => {
  const environment = await newDatabase(t)
  const nobody = '11111111-2222-4333-8444-555555555555'
  const cases = [
    [['audit', 'statement', 'usr_nobody'], /'usr_nobody' is no wallet/],
    [['audit', 'statement', nobody], /'11111111-.*' is no wallet that this service knows/],
    [
      ['audit', 'statement', 'x', '--at', '2026-02-30'],
      /--at is '2026-02-30', a day that does not/,
    ],
    [['audit', 'statement', 'x', '--from', '2026-02-29T00:00:00Z'], /--from is .* does not exist/],
    [['audit', 'bundle', 'x', '--to', '2026-04-31'], /--to is '2026-04-31', a day that does not/],
    [
      ['audit', 'statement', 'x', '--from', '2026-02-02', '--to', '2026-02-01'],
      /--from is not before --to/,
    ],
    [
      ['audit', 'bundle', 'x', '--from', '2026-02-02', '--to', '2026-02-01'],
      /--from is not before --to/,
    ],
    [['audit', 'statement', 'x', '--from', 'yesterday'], /--from is 'yesterday'.\nGive an ISO/],
    [['audit', 'statement', 'x', '--at', 'yesterday'], /Give an ISO.*, a day, or a revision, such/],
    [['audit', 'statement', 'x', '--format', 'pdf'], /'pdf' is no format.\nGive table/],
    [['audit', 'statement', 'x', '--at', '3', '--to', '2026-01-01'], /--at stands alone/],
  ] as const
  for (const [args, sentences] of cases) await refused(t, args, environment, sentences)
  const verify = await runCommand(t, ['audit', 'verify', '--wallet', nobody], environment)
  t.match(verify, { code: 2, stdout: '', stderr: /is no wallet that this service knows/ })
})

t.test('a person whose wallet is not open yet has a statement without events', async (t) => {
  const environment = await newDatabase(t)
  const make = ['users', 'create', '--email', 'ada@example.org', '--password', 'a long password']
  const names = ['--first-name', 'Ada', '--last-name', 'L']
  const user = await runJson<{ serviceUserId: string }>(t, [...make, ...names], environment)
  const { stdout } = await runCommand(t, ['audit', 'statement', user.serviceUserId], environment)
  t.equal(stdout, 'No events.\n')
  const shown = await runCommand(t, ['wallets', 'show', user.serviceUserId], environment)
  t.match(shown.stdout, '\nBalance 0.00 USD, active, no events yet\n')
  const first = ['audit', 'statement', user.serviceUserId, '--at', '0']
  await refused(t, first, environment, /--at is 0, which .*\nIt has no events/)
})
