// audit verify and audit statement as an auditor runs them, on a PostgreSQL of DATABASE_URL.
import pg from 'pg'
import t from 'tap'
import { runCommand } from '../support/command-line.js'
import { newDatabase, refused, runJson } from './json-commands.js'

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

  const client = new pg.Client({ connectionString: environment.DATABASE_URL })
  await client.connect()
  await client.query('update read.journal_totals set postings = 7')
  await client.end()
  const forged = await runCommand(t, ['audit', 'verify'], environment)
  t.equal(forged.code, 1)
  t.match(forged.stdout, /^DIFFERS \(journal-total\)\nthe journal's total of account /)
  const one = await runCommand(t, ['audit', 'verify', '--wallet', serviceUserId], environment)
  t.equal(one.code, 0, 'that wallet itself agrees')
})

t.test('verify that cannot look says so with exit code 2', async (t) => {
  const answer = await runCommand(t, ['audit', 'verify'], { DATABASE_URL: 'nowhere' })
  t.equal(answer.code, 2)
  t.match(answer.stderr, /^DATABASE_URL must be/)
})

t.test('an unknown wallet, a strange time and an unknown format are refused', async (t) => {
  const environment = await newDatabase(t)
  const cases = [
    [['audit', 'statement', 'usr_nobody'], /'usr_nobody' is no wallet/],
    [['audit', 'statement', 'x', '--from', 'yesterday'], /--from is 'yesterday'.\nGive an ISO/],
    [['audit', 'statement', 'x', '--format', 'pdf'], /'pdf' is no format.\nGive table/],
    [['audit', 'statement', 'x', '--at', '3', '--to', '2026-01-01'], /--at stands alone/],
  ] as const
  for (const [args, sentences] of cases) await refused(t, args, environment, sentences)
})
