// audit export, trial-balance and settlement as an accountant runs them.
import { once } from 'node:events'
import t from 'tap'
import { runCommand, startCommand } from '../support/command-line.js'
import { newDatabase, query, refused, runJson } from './json-commands.js'

interface Balance {
  readonly accounts: readonly { account: string; debit: number; credit: number }[]
  readonly debit: number
  readonly credit: number
}

t.test('the books of a small ledger, in every format', async (t) => {
  const environment = await newDatabase(t)
  const make = ['client-apps', 'create', '--name', 'Shop']
  const { clientId } = await runJson<{ clientId: string }>(t, make, environment)
  const seed = ['seed', '--wallets', '3', '--balance', '12.50', '--link', clientId]
  await runJson(t, seed, environment)
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(t, ['audit', ...args], environment)
    t.equal(code, 0, `${args.slice(0, 3).join(' ')}: ${stderr}`)
    return stdout
  }
  const journal = await run('export', '--format', 'hledger')
  t.match(journal, /^ {4}wallet:[0-9a-f-]{36} {2}-12\.50 USD\n {4}bonus {2}12\.50 USD$/m)
  t.equal((await run('export', '--format', 'ndjson')).trim().split('\n').length, 3)
  t.equal(
    (await run('export', '--format', 'csv', '--to', '2001-01-01')).trim().split('\n').length,
    1,
  )

  const table = await run('trial-balance')
  t.match(table, /^bonus +37\.50 *$/m)
  t.match(table, /^wallet +37\.50$/m)
  t.match(table, /^Sum, USD, position 6 +37\.50 +37\.50$/m)
  const balance = await runJson<Balance>(t, ['audit', 'trial-balance', '--wallets'], environment)
  t.match(balance, { debit: 37.5, credit: 37.5, currency: 'usd', at: null, position: '6' })
  t.equal(balance.accounts.length, 4)
  const early = ['trial-balance', '--at', '2001-01-01', '--format', 'csv']
  t.equal(await run(...early), 'account,debit,credit,currency\n')

  const period = ['settlement', '--from', '2001-01-01', '--to', '2101-01-01']
  t.match(await run(...period), 'No client app debited or credited in this period.')
  t.equal(await run(...period, '--json'), '[]\n')
  t.match(await run(...period, '--client-app', clientId), 'No client app debited or credited')
})

t.test('an export that nobody reads to its end stops without a fault', async (t) => {
  const environment = await newDatabase(t)
  const make = ['client-apps', 'create', '--name', 'Shop']
  const { clientId } = await runJson<{ clientId: string }>(t, make, environment)
  await runJson(t, ['seed', '--wallets', '3000', '--balance', '1', '--link', clientId], environment)
  const args = ['audit', 'export', '--format', 'csv']
  const { child, ended } = startCommand(t, args, environment)
  await once(child.stdout, 'data')
  // As `| head` does: it has seen enough.
  child.stdout.destroy()
  t.match(await ended(), { code: 0, stdout: /^time,entryId,/, stderr: '' })
})

t.test('what cannot be answered is refused in words', async (t) => {
  const environment = await newDatabase(t)
  const february = ['--from', '2026-02-01', '--to', '2026-03-01']
  const cases = [
    [['audit', 'export', '--format', 'xls'], /'xls' is no format.\nGive hledger/],
    [['audit', 'trial-balance', '--format', 'xls'], /'xls' is no format.\nGive table/],
    [['audit', 'trial-balance', '--at', 'noon'], /--at is 'noon'/],
    [
      ['audit', 'settlement', '--from', '2026-02-01', '--to', '2026-01-01'],
      /--from is not before --to/,
    ],
    [['audit', 'settlement', ...february, '--client-app', 'app_x'], /no client app 'app_x'/],
    [['audit', 'trial-balance', '--at', '2026-02-30'], /--at is '2026-02-30', a day that does not/],
  ] as const
  for (const [args, sentences] of cases) await refused(t, args, environment, sentences)
  const make = ['client-apps', 'create', '--name', 'Shop']
  const { clientId } = await runJson<{ clientId: string }>(t, make, environment)
  await runJson(t, ['seed', '--wallets', '1', '--balance', '1', '--link', clientId], environment)
  await query(environment, 'update read.checkpoint set position = 0')
  const behind = /The read models are at position 0, but the log has 2.\nStart the service/
  await refused(t, ['audit', 'trial-balance'], environment, behind)
})
