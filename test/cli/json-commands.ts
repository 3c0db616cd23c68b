/**
 * What the tests of commands have in common: a database of the test's own as environment, commands
 * whose result is JSON, refusals as the sentences that a person reads, and a look at the rows.
 * Both run in this process, because starting one for each takes longer than all they do; that main
 * knows every command, that a refusal means exit code 1 and an empty stdout, and what people read
 * without --json is shown by processes, in cli.test.ts and once a file.
 */
import { Command } from 'commander'
import pg from 'pg'
import type { Test } from 'tap'
import { registerAdmin } from '../../src/cli/admin.js'
import { registerAudit } from '../../src/cli/audit.js'
import { registerClientApps } from '../../src/cli/client-apps.js'
import { registerReadModels } from '../../src/cli/read-models.js'
import { registerSandbox } from '../../src/cli/sandbox.js'
import { registerSeed } from '../../src/cli/seed.js'
import { explain } from '../../src/cli/explained-errors.js'
import { registerUsers } from '../../src/cli/users.js'
import { registerWallets } from '../../src/cli/wallets.js'
import { registerWebhooks } from '../../src/cli/webhooks.js'
import { dataFolderOf, migratedDatabase } from '../support/database.js'

export type DatabaseEnvironment = Readonly<Record<'DATABASE_URL', string>>

/** With our tables, as the first start leaves it: most commands refuse a database without them. */
export async function newDatabase(t: Test): Promise<DatabaseEnvironment> {
  return { DATABASE_URL: (await migratedDatabase(t)).url }
}

/** The result of a command that works; stdout holds nothing else. */
export async function runJson<T>(
  t: Test,
  args: readonly string[],
  environment: DatabaseEnvironment,
): Promise<T> {
  const stdout = t.capture(process.stdout, 'write', () => true)
  const stderr = t.capture(process.stderr, 'write', () => true)
  let error: unknown
  try {
    await runHere([...args, '--json'], environment)
  } catch (thrown) {
    error = thrown
  } finally {
    stdout.restore()
    stderr.restore()
  }
  const { exitCode = 0 } = process
  process.exitCode = undefined
  t.same({ error, exitCode }, { error: undefined, exitCode: 0 }, `${nameOf(args)} works`)
  const written = stdout
    .args()
    .map(([text]) => String(text))
    .join('')
  return JSON.parse(written) as T
}

/** Refused with sentences and not by a fault of ours, which would have a stack. */
export async function refused(
  t: Test,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  sentences: RegExp,
): Promise<void> {
  try {
    await runHere(args, environment)
    t.fail(`${nameOf(args)} is refused`)
  } catch (error) {
    const lines = explain(error)
    t.ok(lines, `${nameOf(args)} is refused with a sentence`, { found: error })
    t.match(lines?.join('\n'), sentences)
  }
}

/** Ids and passwords stay out of what the run prints. */
function nameOf(args: readonly string[]): string {
  return args.slice(0, 2).join(' ')
}

async function runHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const program = new Command('wallet').exitOverride()
  registerAdmin(program)
  registerAudit(program)
  registerClientApps(program)
  registerReadModels(program)
  registerSandbox(program)
  registerSeed(program)
  registerUsers(program)
  registerWallets(program)
  registerWebhooks(program)
  const before = { ...process.env }
  const DATA_DIR = dataFolderOf(environment['DATABASE_URL'] ?? '')
  Object.assign(process.env, { DATA_DIR, ...environment })
  try {
    await program.parseAsync(args, { from: 'user' })
  } finally {
    // Name by name: process.env itself is more than the object it looks like.
    for (const key of Object.keys(environment)) Reflect.deleteProperty(process.env, key)
    Object.assign(process.env, before)
  }
}

export async function query<Row extends pg.QueryResultRow>(
  { DATABASE_URL }: DatabaseEnvironment,
  sql: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
