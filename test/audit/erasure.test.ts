/**
 * After `users erase` every proof still holds, and what the person wrote or was called is nowhere:
 * not in statements and exports, not in the read models, not in any table, and so in no backup
 * that is made afterwards. All through the commands that people run.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { entryIdOf } from '../../src/domain/ids.js'
import type { WalletId } from '../../src/domain/ids.js'
import { reference } from '../../src/domain/reference.js'
import type { WalletCommand } from '../../src/domain/wallet.js'
import { sealingKeyOf } from '../../src/identity/users.js'
import { systemRandom } from '../../src/platform/random.js'
import { seal } from '../../src/platform/sealing.js'
import { newDatabase, runJson } from '../cli/json-commands.js'
import { runCommand, type Environment } from '../support/command-line.js'
import { TestDatabaseLedger } from '../support/ledger.js'

const texts = ['Roses for Wilhelmina, card enclosed', 'Second "text"\nwith a line: Übergröße']
const person = { email: 'Wilhelmina.Quux@example.org', first: 'Wilhelmina', last: 'Quuxfeld' }
const needles = [
  ...texts,
  ...texts.map((text) => JSON.stringify(text).slice(1, -1)),
  ...[person.email, person.email.toLowerCase(), person.first, person.last],
]

t.test('an erased person is in no answer, file or table, and every proof holds', async (t) => {
  const folder = t.testdir({})
  const environment = { ...(await newDatabase(t)), DATA_DIR: folder }
  const user = await makePerson(t, environment)
  const { walletId, serviceUserId, key } = user
  const before = await look(environment)
  t.ok(finds(before, person.email) && finds(before, person.last), 'the look finds what is there')
  t.ok(before.includes(key.toString('hex')), 'the key too')
  const run = (...args: string[]) => runCommand(t, args, environment)
  const statement = ['audit', 'statement', walletId, '--format', 'json']
  t.match((await run(...statement)).stdout, 'Roses for Wilhelmina')
  await runJson(t, ['audit', 'checkpoint'], environment)
  const kept = join(folder, 'before.json')
  await runJson(t, ['audit', 'bundle', walletId, '--out', kept], environment)

  await runJson(t, ['users', 'erase', serviceUserId, '--yes', serviceUserId], environment)

  t.match(await runJson(t, ['audit', 'verify'], environment), { events: 5, wallets: 1 })
  const told = JSON.parse((await run(...statement)).stdout) as { description: string | null }[]
  t.same(
    told.map(({ description }) => description),
    [null, 'erased', 'erased', 'erased', null],
    'the statement says so',
  )
  await exports(t, environment)
  await proofs(t, environment, { walletId, kept, folder })

  await runJson(t, ['rebuild'], environment)
  const after = await look(environment)
  t.ok(after.includes(walletId), 'the wallet itself is still there')
  t.notOk(after.includes(key.toString('hex')), 'the key is destroyed')
  for (const needle of needles) t.notOk(finds(after, needle), 'nothing of the person is in a table')
})

async function makePerson(t: Test, environment: Environment & { readonly DATABASE_URL: string }) {
  const app = ['client-apps', 'create', '--name', 'Shop']
  const { clientId } = await runJson<{ clientId: string }>(t, app, environment)
  const { email, first, last } = person
  const names = ['--first-name', first, '--last-name', last]
  const create = ['users', 'create', '--email', email, ...names, '--link', clientId]
  const user = await runJson<{ serviceUserId: string; walletId: WalletId }>(t, create, environment)
  await runJson(t, ['users', 'reset-password', email], environment)
  // The commands leave the read models to the service; this makes them.
  await runJson(t, ['migrate'], environment)
  const ledger = await TestDatabaseLedger.join(t, environment.DATABASE_URL)
  const { walletId } = user
  const key = await sealingKeyOf(ledger.pool, walletId)
  if (key === undefined) throw new Error('a new person has a key')
  const [one = '', two = ''] = texts
  for (const [index, [type, amountMinor, text]] of (
    [
      ['Credit', 5_000, one],
      ['Debit', 1_250, two],
      ['Debit', 99_999, one],
    ] as const
  ).entries()) {
    const named = reference('ORDER', `O-${index}`)
    const issuer = `client-app:${clientId}` as const
    const entryId = entryIdOf({ issuer, walletId, reference: named })
    const description = seal(text, { key, entryId }, systemRandom)
    const command = { type, issuer, entryId, reference: named, amountMinor, description }
    await ledger.send(walletId, command satisfies WalletCommand)
  }
  const silent = reference('BONUS', 'form-1')
  const entryId = entryIdOf({ issuer: 'service', walletId, reference: silent })
  const bonus = { type: 'GrantBonus', issuer: 'service', entryId, reference: silent } as const
  await ledger.send(walletId, { ...bonus, amountMinor: 700 })
  await ledger.project()
  return { ...user, key }
}

async function exports(t: Test, environment: Environment): Promise<void> {
  for (const format of ['hledger', 'beancount', 'csv', 'ndjson']) {
    const args = ['audit', 'export', '--format', format, '--descriptions']
    const { code, stdout, stderr } = await runCommand(t, args, environment)
    t.equal(code, 0, `${format}: ${stderr}`)
    t.match(stdout, 'erased', `${format} says that there was a text`)
    for (const needle of needles) t.notOk(finds(stdout, needle), `${format} does not hold it`)
    t.notMatch(stdout, /v1\.[A-Za-z0-9_-]{30}/, 'nor the sealed form')
  }
}

async function proofs(
  t: Test,
  environment: Environment,
  of: { walletId: string; kept: string; folder: string },
): Promise<void> {
  const run = (...args: string[]) => runCommand(t, args, environment)
  const old = await run('verify-bundle', of.kept)
  t.equal(old.code, 0, `a bundle from before still holds: ${old.stdout}${old.stderr}`)
  const file = join(of.folder, 'after.json')
  const made = await run('audit', 'bundle', of.walletId, '--out', file)
  t.equal(made.code, 0, made.stderr)
  const fresh = await run('verify-bundle', file)
  t.equal(fresh.code, 0, `and so does one from after: ${fresh.stdout}${fresh.stderr}`)
  for (const path of [of.kept, file])
    for (const needle of needles)
      t.notOk(finds(readFileSync(path, 'utf8'), needle), 'no bundle ever held the text')
}

/** Every row of every table as text, as a dump would hold it; bytes as hexadecimal digits. */
async function look({ DATABASE_URL }: { readonly DATABASE_URL: string }): Promise<string> {
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const parts: string[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`)
      parts.push(...rows.map(({ text }) => text))
    }
    return parts.join('\n')
  } finally {
    await client.end()
  }
}

/** As it is, or as bytes in one of the ways that bytes are written. */
function finds(haystack: string, needle: string): boolean {
  const bytes = Buffer.from(needle)
  const forms = [needle, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)]
  return forms.some((form) => haystack.includes(form))
}
