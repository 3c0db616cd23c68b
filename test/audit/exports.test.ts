/**
 * The journal for accountants: our own checks of every format, and the real hledger and Beancount
 * on the same files where they are installed (Debian: hledger, beancount).
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { decimalText } from '../../src/audit/books/decimal-text.js'
import { beancountAccount, hledgerAccount } from '../../src/audit/books/export-accounts.js'
import {
  beancountFormat,
  hledgerFormat,
  ndjsonFormat,
} from '../../src/audit/books/export-formats.js'
import { settle } from '../../src/audit/books/settlement.js'
import { trialBalance } from '../../src/audit/books/trial-balance.js'
import type { TrialBalanceOptions, TrialLine } from '../../src/audit/books/trial-balance.js'
import { findCurrency } from '../../src/domain/money.js'
import type { Currency } from '../../src/domain/money.js'
import { csvFormat } from '../../src/cli/journal-csv.js'
import { hostileTexts, JournalSample, usd } from './journal-sample.js'

const jpy = findCurrency('jpy') as Currency

interface JsonEntry {
  readonly entryId: string
  readonly time: string
  readonly type: string
  readonly referenceId: string
  readonly description?: string | null
  readonly postings: readonly { account: string; debit?: number; credit?: number }[]
}

t.test('the exports of a ledger with every kind of entry', async (t) => {
  const sample = await JournalSample.open(t)
  const expected = await sample.balances()
  await lines(t, sample, expected)
  await texts(t, sample)
  await ranges(t, sample)
  await hledger(t, sample, expected)
  await beancount(t, sample, expected)
  await trialBalances(t, sample, expected)
  await settlements(t, sample)
})

async function lines(t: Test, sample: JournalSample, expected: Map<string, number>): Promise<void> {
  const entries = jsonLines(await sample.export(ndjsonFormat))
  const kinds = new Set(entries.map(({ type }) => type))
  const booked = ['BonusGranted', 'HoldCaptured', 'TopUpReinstated', 'TopUpReversed']
  const applied = [...booked, 'WalletCredited', 'WalletDebited', 'WalletToppedUp']
  t.same([...kinds].sort(), applied, 'every kind of entry, no decline, and no hold')
  const sums = new Map<string, number>()
  for (const { postings } of entries) {
    const minors = postings.map(({ debit = 0, credit = 0 }) => Math.round((credit - debit) * 100))
    if (minors.reduce((sum, minor) => sum + minor, 0) !== 0) t.fail('an entry sums to zero')
    postings.forEach(({ account }, index) =>
      sums.set(account, (sums.get(account) ?? 0) + (minors[index] ?? 0)),
    )
  }
  t.same(sums, expected, 'lines of JSON sum to what the streams say')
  t.ok([...expected.keys()].includes('reversal') && expected.size >= 10, 'every kind of account')
  const times = entries.map(({ time }) => time)
  t.same(times, times.toSorted(), 'in the order of time')
  t.equal(new Set(entries.map(({ entryId }) => entryId)).size, entries.length)

  const csv = (await sample.export(csvFormat)).split('\n')
  t.match(csv[0], /^time,entryId,type,account,debit,credit,currency,/)
  const debits = csv.filter((line) => /^\d{4}-.*,[^,]+:?[^,]*,\d+\.\d\d,,usd,/.test(line))
  t.equal(debits.length, entries.length, 'one debit an entry in CSV')
}

async function texts(t: Test, sample: JournalSample): Promise<void> {
  const opened = jsonLines(await sample.export(ndjsonFormat, { descriptions: true }))
  const found = opened.flatMap(({ description }) => description ?? [])
  t.same(found, hostileTexts, 'texts are opened when asked for, unchanged')
  const closed = jsonLines(await sample.export(ndjsonFormat))
  t.notOk(
    closed.some((entry) => 'description' in entry),
    'and left out when not',
  )
  for (const format of [hledgerFormat, beancountFormat]) {
    const file = await sample.export(format, { descriptions: true })
    const controls = file.match(/[^\P{C}\n]|[\u2028\u2029]/u)
    t.equal(controls, null, 'no control character reaches a file of accounts')
    t.notMatch(file, /^ *wallet:forged|^2001/m, 'a text never becomes a line of its own')
  }
}

async function ranges(t: Test, sample: JournalSample): Promise<void> {
  const all = jsonLines(await sample.export(ndjsonFormat))
  const middle = all[Math.floor(all.length / 2)]?.time ?? ''
  const before = jsonLines(await sample.export(ndjsonFormat, { range: { to: middle } }))
  const after = jsonLines(await sample.export(ndjsonFormat, { range: { from: middle } }))
  t.same([...before, ...after], all, 'two periods that meet leave nothing out')
  t.ok(before.length > 0 && after.length > 0)
  const nothing = await sample.export(ndjsonFormat, { range: { to: '2001-01-01T00:00:00.000Z' } })
  t.equal(nothing, '')
}

async function hledger(
  t: Test,
  sample: JournalSample,
  expected: Map<string, number>,
): Promise<void> {
  const file = await sample.export(hledgerFormat, { descriptions: true })
  t.match(file, /^account wallet {2}; type: L$/m)
  if (isMissing(t, 'hledger')) return
  const args = ['-f', '-', '--strict', 'balance', '--flat', '-E', '-N', '-O', 'csv']
  const { status, stdout, stderr } = run('hledger', args, file)
  t.equal(status, 0, `hledger accepts it, strictly: ${stderr}`)
  const rows = stdout.trim().split('\n').slice(1)
  const balances = Object.fromEntries(
    rows.map((row) => {
      const [, account = '', amount = ''] = /^"([^"]+)","([^"]*)"$/.exec(row) ?? []
      return [account, amount.replace(' USD', '')]
    }),
  )
  const ours = [...expected].map(([account, minor]) => [
    hledgerAccount(account),
    minor === 0 ? '0' : decimalText(-minor, usd),
  ])
  t.same(balances, Object.fromEntries(ours), 'every balance of hledger is ours')
  const yen = await sample.export(hledgerFormat, { currency: jpy })
  t.match(yen, /^commodity 1000\. JPY$/m)
  const whole = run('hledger', ['-f', '-', '--strict', 'balance', 'processor', '-N'], yen)
  const processor = -(expected.get('processor') ?? 0)
  t.equal(whole.stdout.trim(), `${processor} JPY  processor`, 'also without decimals')
  const assets = run('hledger', ['-f', '-', 'balance', 'type:A', '--flat', '-N'], file)
  t.match(assets.stdout, /processor/, 'it knows what kind an account is')
  const tagged = run('hledger', ['-f', '-', 'print', 'tag:description=漢字'], file)
  t.match(tagged.stdout, /reference-id: 6 漢字/, 'entries are found by their tags')
}

async function beancount(
  t: Test,
  sample: JournalSample,
  expected: Map<string, number>,
): Promise<void> {
  const file = await sample.export(beancountFormat, { descriptions: true })
  const opened = [...file.matchAll(/^1970-01-01 open (\S+) USD$/gm)].map(([, name]) => name)
  t.same(opened.toSorted(), [...expected.keys()].map(beancountAccount).sort(), 'all are opened')
  for (const name of opened) t.match(name, /^[A-Z][a-z]+(:[A-Z0-9][A-Za-z0-9-]*)+$/)
  if (isMissing(t, 'bean-check')) return
  const path = join(t.testdir({}), 'journal.beancount')
  writeFileSync(path, file)
  const check = run('bean-check', [path])
  t.equal(check.status, 0, `bean-check accepts it: ${check.stdout}${check.stderr}`)
  const query = 'select account, sum(position) group by account'
  const { stdout } = run('bean-query', ['-q', '-f', 'csv', path, query])
  const balances = new Map(
    stdout
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((row) => {
        const [account = '', amount = ''] = row.split(',')
        return [account.trim(), amount.trim() === '' ? '0.00' : amount.replace('USD', '').trim()]
      }),
  )
  const ours = [...expected].map(([account, minor]): [string, string] => [
    beancountAccount(account),
    decimalText(-minor, usd),
  ])
  t.same(balances, new Map(ours), 'every balance of Beancount is ours')
}

async function trialBalances(
  t: Test,
  sample: JournalSample,
  expected: Map<string, number>,
): Promise<void> {
  const client = await sample.ledger.connect()
  const ask = async (options: TrialBalanceOptions) => {
    const found: TrialLine[] = []
    const totals = await trialBalance(client, options, async (lines) => void found.push(...lines))
    const sums = found.map(({ account, debitMinor = 0n, creditMinor = 0n }): [string, number] => [
      account,
      Number(creditMinor - debitMinor),
    ])
    return { totals, sums: new Map(sums) }
  }
  const each = await ask({ wallets: true })
  t.same(each.sums, expected, 'a line a wallet: every account as the streams say')
  t.equal(each.totals.debitMinor, each.totals.creditMinor)
  const summed = await ask({})
  const held = [...expected].filter(([account]) => account.startsWith('wallet:'))
  const heldMinor = held.reduce((sum, [, minor]) => sum + minor, 0)
  t.equal(summed.sums.get('wallet'), heldMinor, 'all wallets in one line')
  const early = await ask({ at: '2001-01-01T00:00:00.000Z', wallets: true })
  t.same(early.sums, new Map())

  const all = jsonLines(await sample.export(ndjsonFormat))
  const at = all[20]?.time ?? ''
  const until = all.filter(({ time }) => time <= at).flatMap(({ postings }) => postings)
  const processor = until
    .filter(({ account }) => account === 'processor')
    .reduce((sum, { debit = 0, credit = 0 }) => sum + Math.round((credit - debit) * 100), 0)
  const then = await ask({ at, wallets: true })
  t.equal(then.sums.get('processor'), processor, 'at a time, that moment is still in it')
  t.equal(then.totals.debitMinor, then.totals.creditMinor, 'and wallets of then balance it')

  const forge = 'update read.transactions set balance_minor = balance_minor + 1'
  await sample.ledger.pool.query(forge)
  await t.rejects(
    ask({ wallets: true }),
    { name: 'DivergenceError' },
    'columns that differ are no answer',
  )
  await sample.ledger.pool.query('update read.transactions set balance_minor = balance_minor - 1')
  await client.end()
}

async function settlements(t: Test, sample: JournalSample): Promise<void> {
  const client = await sample.ledger.connect()
  const expected = await sample.balances()
  const all = await settle(client, {})
  const owed = new Map(
    all.map((line) => [`client-app:${line.clientId}`, Number(line.netOwedMinor)]),
  )
  const apps = [...expected].filter(([account]) => account.startsWith('client-app:'))
  t.same(owed, new Map(apps), 'all of time: each client app is owed its balance')
  const entries = jsonLines(await sample.export(ndjsonFormat))
  const middle = entries[Math.floor(entries.length / 2)]?.time ?? ''
  const [first, second] = [
    await settle(client, { to: middle }),
    await settle(client, { from: middle }),
  ]
  for (const line of all) {
    const parts = [...first, ...second].filter(({ clientId }) => clientId === line.clientId)
    const sum = parts.reduce((total, part) => total + part.netOwedMinor, 0n)
    t.equal(sum, line.netOwedMinor, 'two periods that meet add up')
  }
  const [one] = await settle(client, {}, 'shop')
  t.same(
    [one],
    all.filter(({ clientId }) => clientId === 'shop'),
  )
  t.ok((one?.refundsMinor ?? 0n) <= (one?.creditsMinor ?? 0n))
  t.same(await settle(client, {}, 'nobody'), [])
  await client.end()
}

t.test('amounts are exact with the decimals of the currency', async (t) => {
  t.equal(decimalText(5, usd), '0.05')
  t.equal(decimalText(-120, usd), '-1.20')
  t.equal(decimalText(0, usd), '0.00')
  t.equal(decimalText(-500, jpy), '-500')
  t.equal(decimalText(123456789012345678901234567890n, usd), '1234567890123456789012345678.90')
})

t.test('no two accounts get one name, whatever a client app is called', async (t) => {
  const ids = ['a b', 'a-b', 'a:b', 'a_b', 'a;b', 'A-b', 'app_x', 'app-x', 'é', '']
  for (const name of [hledgerAccount, beancountAccount]) {
    const names = ids.map((id) => name(`client-app:${id}`))
    t.equal(new Set(names).size, ids.length, names.join(' '))
  }
})

function jsonLines(text: string): JsonEntry[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JsonEntry)
}

function isMissing(t: Test, tool: string): boolean {
  const isThere = spawnSync(tool, ['--version']).status === 0
  if (!isThere) t.comment(`skipped: ${tool} is not installed (Debian: hledger, beancount)`)
  return !isThere
}

function run(tool: string, args: readonly string[], input = '') {
  // Their messages and sorting follow the language of the machine.
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  return spawnSync(tool, args, { input, env, encoding: 'utf8', maxBuffer: 2 ** 28 })
}
