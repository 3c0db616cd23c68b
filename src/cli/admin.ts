/**
 * `admin create`, `set-password` and `lock`: the accounts of the admin area. A password comes from
 * --password, else it is asked for without echo on a terminal, else it is drawn at random and
 * printed once. Setting one, and locking, ends every session of the account.
 * Never: prints a password that somebody chose.
 */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import type { Identity } from '../compose/parts.js'
import { AdminExistsError } from '../identity/admins.js'
import type { Admin, AdminRole } from '../identity/admins.js'
import { systemRandom } from '../platform/random.js'
import { printable, recorded, withIdentity } from './identity.js'
import { CommandError, print, printJson } from './terminal.js'

export function registerAdmin(program: Command): void {
  const admin = program.command('admin').description('accounts of the admin area')
  admin
    .command('create')
    .description('make an account for the admin area')
    .requiredOption('--email <email>', 'to log in with')
    .option('--password <password>', 'left out: asked for on a terminal, else made and printed')
    .option('--role <role>', 'admin, or auditor, who may only look', 'admin')
    .option('--json', 'print the result as JSON')
    .action(create)
  admin
    .command('set-password')
    .description('give an account another password and end its sessions')
    .requiredOption('--email <email>', 'whose')
    .option('--password <password>', 'left out: asked for on a terminal, else made and printed')
    .option('--json', 'print the result as JSON')
    .action(setPassword)
  admin
    .command('lock')
    .description('let nobody into an account until its password is set again')
    .requiredOption('--email <email>', 'whose')
    .option('--json', 'print the result as JSON')
    .action(lock)
}

interface CreateOptions {
  readonly email: string
  readonly password?: string
  readonly role: string
  readonly json?: true
}

async function create({ email, role: given, json, ...options }: CreateOptions): Promise<void> {
  const role = roleOf(given)
  const { password, isGenerated } = await choosePassword(options.password)
  await withIdentity(async ({ identity }) => {
    const act = { action: 'admin.create', subject: null, details: { role } }
    const admin = await recorded(
      identity,
      act,
      () => identity.admins.create({ email, password, role }).catch(asCommandError),
      ({ adminId }) => adminId,
    )
    if (json) printJson(isGenerated ? { ...admin, password } : admin)
    else if (isGenerated)
      print(`  email     ${admin.email}\n  password  ${password}\n\nIt is shown only now.`)
    else print(`${admin.email} may log in as ${admin.role}.`)
  })
}

interface AccountOptions {
  readonly email: string
  readonly json?: true
}

async function setPassword(
  options: AccountOptions & { readonly password?: string },
): Promise<void> {
  const { password, isGenerated } = await choosePassword(options.password)
  const admin = await change('admin.set-password', options, ({ admins }) =>
    admins.setPassword(options.email, password),
  )
  if (options.json) printJson(isGenerated ? { ...admin, password } : admin)
  else if (isGenerated)
    print(`  email     ${admin.email}\n  password  ${password}\n\nIt is shown only now.`)
  else print(`${admin.email} has another password.`)
}

async function lock(options: AccountOptions): Promise<void> {
  const admin = await change('admin.lock', options, ({ admins }) => admins.lock(options.email))
  if (options.json) printJson(admin)
  else print(`Nobody may log in as ${admin.email} until its password is set again.`)
}

async function change(
  action: string,
  { email }: AccountOptions,
  work: (identity: Identity) => Promise<Admin | undefined>,
): Promise<Admin> {
  return withIdentity(({ identity }) =>
    recorded(
      identity,
      { action, subject: null },
      async () => (await work(identity)) ?? nobody(email),
      ({ adminId }) => adminId,
    ),
  )
}

function nobody(email: string): never {
  throw new CommandError(
    `There is no admin with the email '${printable(email)}'.`,
    'Give the --email of an account, or make one: npm run -s wallet -- admin create',
  )
}

function roleOf(text: string): AdminRole {
  if (text === 'admin' || text === 'auditor') return text
  throw new CommandError(
    `'${printable(text)}' is no role.`,
    'The roles are admin, and auditor, who may only look.',
  )
}

function asCommandError(error: unknown): never {
  if (!(error instanceof AdminExistsError)) throw error
  throw new CommandError('There is an admin with this email already.', 'Choose another --email.')
}

/** 144 random bits: longer than anybody guesses, short enough to be typed off a screen. */
const generatedBytes = 18

async function choosePassword(
  given: string | undefined,
): Promise<{ password: string; isGenerated: boolean }> {
  if (given !== undefined) return { password: given, isGenerated: false }
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    const password = systemRandom.bytes(generatedBytes).toString('base64url')
    return { password, isGenerated: true }
  }
  const [password, again] = await askUnseen(['Password: ', 'The same again: '])
  if (password === undefined || password !== again)
    throw new CommandError('The two passwords differ. Nothing was written.', 'Try again.')
  return { password, isGenerated: false }
}

/** What is typed is shown nowhere; the questions go to stderr, because stdout is the result's. */
async function askUnseen(questions: readonly string[]): Promise<string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  // Before the first question: from here on the terminal itself does not show what is typed either.
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  // Without its own handling Ctrl-C would leave the question open for ever.
  const cancelled = new AbortController()
  lines.on('SIGINT', () => cancelled.abort())
  const answers: string[] = []
  try {
    for (const question of questions) {
      process.stderr.write(question)
      answers.push(await lines.question('', { signal: cancelled.signal }))
      process.stderr.write('\n')
    }
    return answers
  } catch {
    process.stderr.write('\n')
    throw new CommandError('Cancelled. Nothing was written.', 'Start again when you like.')
  } finally {
    lines.close()
  }
}
