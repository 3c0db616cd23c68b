// users on a PostgreSQL of DATABASE_URL: accounts, one-time links, erasure, and clear refusals.
import t from 'tap'
import type { Test } from 'tap'
import type { DatabaseEnvironment } from './json-commands.js'
import { newDatabase, query, refused, runJson } from './json-commands.js'
import { runCommand, startCommand } from '../support/command-line.js'

interface MadeUser {
  readonly serviceUserId: string
  readonly walletId: string
}

const person = ['--email', 'Ann@Example.com', '--first-name', 'Ann', '--last-name', 'Lee']
const password = ['--password', 'correct horse battery']
const create = ['users', 'create', ...person, ...password]

async function newApp(t: Test, environment: DatabaseEnvironment): Promise<string> {
  const args = ['client-apps', 'create', '--name', 'Shop']
  return (await runJson<{ clientId: string }>(t, args, environment)).clientId
}

t.test('a new account has ids, a link, and its password nowhere in plain', async (t) => {
  const environment = await newDatabase(t)
  const clientId = await newApp(t, environment)
  const user = await runJson<MadeUser>(t, [...create, '--link', clientId], environment)
  t.match(user.serviceUserId, /^usr_[0-9a-f-]{36}$/)
  t.match(user.walletId, /^[0-9a-f-]{36}$/)
  const links = 'select client_id, service_user_id from identity.links'
  t.same(await query(environment, links), [
    { client_id: clientId, service_user_id: user.serviceUserId },
  ])
  const rows = JSON.stringify(await query(environment, 'select * from identity.users'))
  t.match(rows, 'Ann')
  t.notMatch(rows, 'correct horse battery')
})

t.test('an unlinked client app knows the person no more, and only that one', async (t) => {
  const environment = await newDatabase(t)
  const [one, other] = [await newApp(t, environment), await newApp(t, environment)]
  const user = await runJson<MadeUser>(t, [...create, '--link', one], environment)
  await query(
    environment,
    'insert into identity.links (client_id, service_user_id, created_at) ' +
      `select '${other}', service_user_id, created_at from identity.links`,
  )
  const unlink = ['users', 'unlink', user.serviceUserId]
  await runJson(t, [...unlink, one], environment)
  const links = await query(environment, 'select client_id from identity.links')
  t.same(links, [{ client_id: other }])
  await refused(t, [...unlink, 'app_nobody'], environment, /There is no client app 'app_nobody'/)
})

t.test('for people the two ids stand in two lines; email and link may be left out', async (t) => {
  const environment = await newDatabase(t)
  const made = await runCommand(t, ['users', 'create'], environment)
  t.equal(made.code, 0, made.stderr)
  t.match(made.stdout, /^ {2}serviceUserId {2}usr_\S+\n {2}walletId {7}\S+\n$/)
})

t.test('a taken email, a short password and an unknown app make nobody', async (t) => {
  const environment = await newDatabase(t)
  await runJson(t, create, environment)
  const others = ['users', 'create', '--email', 'bob@example.com']
  const cases = [
    [create, /There is an account with this email already.\nChoose another --email/],
    [[...others, '--password', 'short'], /password must be at least .*\nGive another --password/],
    [['users', 'create', '--email', 'bob'], /email must be an email.*\nGive another --email/],
    [['users', 'create', '--password', 'x'], /password without an email.*\nGive --email too/],
    [[...others, '--link', 'app_x'], /There is no client app 'app_x'/],
  ] as const
  for (const [args, sentences] of cases) await refused(t, args, environment, sentences)
  t.same(await query(environment, 'select count(*)::int as count from identity.users'), [
    { count: 1 },
  ])
})

t.test('a one-time link is made for an id and for an email, and kept only as a hash', async (t) => {
  const environment = { ...(await newDatabase(t)), PUBLIC_URL: 'https://wallet.example' }
  const { serviceUserId } = await runJson<MadeUser>(t, create, environment)
  for (const who of [serviceUserId, 'ann@example.com']) {
    const reset = await runJson<{ serviceUserId: string; link: string }>(
      t,
      ['users', 'reset-password', who],
      environment,
    )
    t.equal(reset.serviceUserId, serviceUserId)
    const [, token = ''] =
      /^https:\/\/wallet\.example\/widget\/reset#([\w-]{40,})$/.exec(reset.link) ?? []
    t.ok(token, 'the link leads to the page that asks for a new password')
    const rows = await query(environment, 'select * from identity.password_resets')
    t.ok(rows.length > 0)
    t.notMatch(JSON.stringify(rows), token)
  }
  const nobody = ['users', 'reset-password', 'nobody@example.com']
  await refused(t, nobody, environment, /There is no user 'nobody@example.com'.\nGive a/)
})

t.test('the link leads to where the service of this database answers', async (t) => {
  const environment = await newDatabase(t)
  await runJson(t, create, environment)
  const service = startCommand(t, ['serve', '--json'], environment)
  const [, origin = ''] = await service.says(/"origin":"([^"]+)"/)
  const args = ['users', 'reset-password', 'ann@example.com']
  const reset = await runCommand(t, args, environment)
  t.ok(reset.stdout.startsWith(`${origin}/widget/reset#`), 'not to the PORT of the command')
  t.equal(reset.stderr, '', 'there is nothing to warn of')
})

t.test('an account without an email gets no link', async (t) => {
  const environment = await newDatabase(t)
  const { serviceUserId } = await runJson<MadeUser>(t, ['users', 'create'], environment)
  const reset = ['users', 'reset-password', serviceUserId]
  await refused(t, reset, environment, /has no email to log in with/)
})

t.test(
  'an erasure wants the id twice, says what goes and what stays, and happens once',
  async (t) => {
    const environment = await newDatabase(t)
    const { serviceUserId, walletId } = await runJson<MadeUser>(t, create, environment)
    const erase = ['users', 'erase', serviceUserId]
    await refused(t, erase, environment, /destroys, for ever, .*The wallet, .* stay.*\nIf that is/)
    await refused(t, [...erase, '--yes', walletId], environment, /Nothing was erased/)
    await refused(t, ['users', 'erase', 'ann@example.com'], environment, /takes the id/)
    t.match(JSON.stringify(await query(environment, 'select * from identity.users')), 'Ann')

    const erased = await runJson(t, [...erase, '--yes', serviceUserId], environment)
    t.same(erased, { serviceUserId, walletId, erased: true })
    const rows = await query(environment, 'select * from identity.users')
    t.match(rows, [{ service_user_id: serviceUserId, wallet_id: walletId, sealing_key: null }])
    t.notMatch(JSON.stringify(rows), /ann|lee/i)
    await refused(t, [...erase, '--yes', serviceUserId], environment, /erased already/)
  },
)
