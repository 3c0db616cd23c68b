// admin create on a PostgreSQL of DATABASE_URL, and what it does without a terminal.
import t from 'tap'
import { Admins } from '../../src/identity/admins.js'
import { systemClock } from '../../src/platform/clock.js'
import { createPool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { runCommand } from '../support/command-line.js'
import { cheapPasswords } from '../support/passwords.js'
import type { DatabaseEnvironment } from './json-commands.js'
import { newDatabase, refused, runJson } from './json-commands.js'

const create = ['admin', 'create', '--email', 'Root@Example.com']
const chosen = ['--password', 'correct horse battery']

async function logIn(environment: DatabaseEnvironment, account: Record<'password', string>) {
  const url = environment.DATABASE_URL
  const pool = createPool({ url, max: 1, applicationName: 'test', onIdleError: () => undefined })
  try {
    const admins = new Admins({
      pool,
      clock: systemClock,
      random: systemRandom,
      passwords: cheapPasswords,
    })
    return (await admins.login({ email: 'root@example.com', ...account }))?.admin
  } finally {
    await pool.end()
  }
}

t.test('an admin with a chosen password may log in, and the password is not printed', async (t) => {
  const environment = await newDatabase(t)
  const made = await runJson<object>(t, [...create, ...chosen, '--role', 'auditor'], environment)
  t.match(made, { email: 'root@example.com', role: 'auditor' })
  t.notMatch(JSON.stringify(made), 'correct horse')
  t.match(await logIn(environment, { password: 'correct horse battery' }), { role: 'auditor' })
})

t.test('without a password and a terminal one is made and printed once', async (t) => {
  const environment = await newDatabase(t)
  const made = await runCommand(t, create, environment)
  t.equal(made.code, 0, made.stderr)
  const [, password = ''] =
    /password {2}([\w-]{24})\n\nIt is shown only now/.exec(made.stdout) ?? []
  t.match(await logIn(environment, { password }), { role: 'admin' })
  t.equal(await logIn(environment, { password: `${password}x` }), undefined)
  t.notMatch(made.stderr, password, 'and nowhere else')
})

t.test('a taken email, an unknown role and a weak password are refused', async (t) => {
  const environment = await newDatabase(t)
  await runJson(t, [...create, ...chosen], environment)
  const cases = [
    [[...create, ...chosen], /There is an admin with this email already.\nChoose another/],
    [[...create, '--role', 'owner'], /'owner' is no role.\nThe roles are/],
    [['admin', 'create', '--email', 'a@b.example', '--password', 'x'], /\nGive another --password/],
    [
      ['admin', 'create', '--email', 'nobody'],
      /: --email must be an email address such as .*\nGive/,
    ],
    [
      ['users', 'create', '--email', 'nobody'],
      /: --email must be an email address such as .*\nGive/,
    ],
  ] as const
  for (const [args, sentences] of cases) await refused(t, args, environment, sentences)
})

t.test('a new password ends the old one, and a locked account lets nobody in', async (t) => {
  const environment = await newDatabase(t)
  const account = ['--email', 'root@example.com']
  await runJson(t, [...create, ...chosen], environment)
  const other = ['--password', 'another horse battery']
  const changed = await runJson<object>(
    t,
    ['admin', 'set-password', ...account, ...other],
    environment,
  )
  t.match(changed, { email: 'root@example.com', role: 'admin' })
  t.equal(await logIn(environment, { password: 'correct horse battery' }), undefined)
  t.match(await logIn(environment, { password: 'another horse battery' }), { role: 'admin' })

  await runJson(t, ['admin', 'lock', ...account], environment)
  t.equal(await logIn(environment, { password: 'another horse battery' }), undefined)
  const unknown = ['admin', 'lock', '--email', 'nobody@example.com']
  await refused(t, unknown, environment, /There is no admin with the email/)
})
