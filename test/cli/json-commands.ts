/**
 * What the tests of commands have in common: a database of the test's own as environment, commands
 * as processes whose result is JSON, refusals as the sentences that a person reads, and a look at
 * the rows. Refusals run in this process, because starting a process for each takes seconds; that
 * a refusal means exit code 1 and an empty stdout is shown once a file by a process.
 */
import { Command } from 'commander'
import pg from 'pg'
import type { Test } from 'tap'
import { registerAdmin } from '../../src/cli/admin.js'
import { registerAudit } from '../../src/cli/audit.js'
import { registerClientApps } from '../../src/cli/client-apps.js'
import { registerSandbox } from '../../src/cli/sandbox.js'
import { registerSeed } from '../../src/cli/seed.js'
import { explain } from '../../src/cli/terminal.js'
import { registerUsers } from '../../src/cli/users.js'
import { registerWallets } from '../../src/cli/wallets.js'
import { runCommand } from '../support/command-line.js'
import { migratedDatabase } from '../support/database.js'

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
  const { code, stdout, stderr } = await runCommand(t, [...args, '--json'], environment)
  t.equal(code, 0, `${args.slice(0, 2).join(' ')} works: ${stderr}`)
  return JSON.parse(stdout) as T
}

/** Refused with sentences and not by a fault of ours, which would have a stack. */
export async function refused(
  t: Test,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  sentences: RegExp,
): Promise<void> {
  const program = new Command('wallet').exitOverride()
  registerAdmin(program)
  registerAudit(program)
  registerClientApps(program)
  registerSandbox(program)
  registerSeed(program)
  registerUsers(program)
  registerWallets(program)
  // Ids and passwords stay out of what the run prints.
  const name = args.slice(0, 2).join(' ')
  const before = { ...process.env }
  Object.assign(process.env, environment)
  try {
    await program.parseAsync(args, { from: 'user' })
    t.fail(`${name} is refused`)
  } catch (error) {
    const lines = explain(error)
    t.ok(lines, `${name} is refused with a sentence`, { found: error })
    t.match(lines?.join('\n'), sentences)
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
