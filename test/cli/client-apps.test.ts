// client-apps on a PostgreSQL of DATABASE_URL: what is printed, what is kept, what is refused.
import t from 'tap'
import type { ClientAppDetails } from '../../src/identity/client-apps.js'
import { runCommand } from '../support/command-line.js'
import { newDatabase, query, refused, runJson } from './json-commands.js'

interface MadeApp extends ClientAppDetails {
  readonly clientSecret: string
}

t.test('a new client app has its origins, parents and scopes, and a secret', async (t) => {
  const environment = await newDatabase(t)
  const origins = ['--origin', 'https://shop.example', '--origin', 'http://localhost:8080']
  const parents = ['--iframe-parent', 'https://shop.example']
  const scope = ['--scope', 'wallet:read']
  const brand = ['--brand-name', 'The Shop', '--accent-color', '#1a7f5a']
  const lists = [...origins, ...parents, ...scope]
  const create = ['client-apps', 'create', '--name', 'Shop', ...lists, ...brand]
  const app = await runJson<MadeApp>(t, create, environment)
  t.match(app.clientId, /^app_[0-9a-f-]{36}$/)
  t.match(app.clientSecret, /^sk_[\w-]{43}$/)
  t.match(app, {
    name: 'Shop',
    allowedOrigins: ['https://shop.example', 'http://localhost:8080'],
    allowedIframeParents: ['https://shop.example'],
    scopes: ['wallet:read'],
    brandName: 'The Shop',
    accentColor: '#1a7f5a',
    isActive: true,
    secrets: [{ lastUsedAt: null }],
  })
  const listed = await runJson<ClientAppDetails[]>(t, ['client-apps', 'list'], environment)
  const { clientSecret, ...details } = app
  t.same(listed, [details], 'the list shows everything but the secret')
  t.ok(clientSecret)
})

t.test('people see both scopes and the secret in plain lines, and the secret once', async (t) => {
  const environment = await newDatabase(t)
  const create = ['client-apps', 'create', '--name', 'Shop\u001b[31m']
  const made = await runCommand(t, create, environment)
  t.equal(made.code, 0, made.stderr)
  t.match(made.stdout, /clientSecret {4}sk_[\w-]{43}\n/)
  t.match(made.stdout, /secret id {7}\S+, made /, 'its id is not taken for the secret itself')
  t.match(made.stdout, 'wallet:read, wallet:write')
  t.notMatch(made.stdout, '\u001b', 'a name cannot control the terminal')
  const list = await runCommand(t, ['client-apps', 'list'], environment)
  t.match(list.stdout, /clientId +app_/)
  t.notMatch(list.stdout, 'sk_')
})

t.test('with --env, lines that a shell and node --env-file read', async (t) => {
  const environment = { ...(await newDatabase(t)), PUBLIC_URL: 'http://localhost:3123' }
  const app = await runCommand(t, ['client-apps', 'create', '--name', 'A', '--env'], environment)
  const [address, clientId, secret, end, ...more] = app.stdout.split('\n')
  t.equal(address, 'WALLET_URL=http://localhost:3123')
  t.match(clientId, /^WALLET_CLIENT_ID=app_[0-9a-f-]{36}$/)
  t.match(secret, /^WALLET_CLIENT_SECRET=sk_[\w-]{43}$/)
  t.same([end, more], ['', []])
  const user = await runCommand(t, ['users', 'create', '--env'], environment)
  t.match(user.stdout, /^WALLET_USER_ID=usr_[0-9a-f-]{36}\n$/)
  const both = ['client-apps', 'create', '--name', 'A', '--env', '--json']
  const refusal = await runCommand(t, both, environment)
  t.match(refusal, { stdout: '', stderr: /--env.* cannot be used with .*--json/ })
  t.not(refusal.code, 0)
})

t.test('a rotation keeps the old secret until it is revoked; a third one is refused', async (t) => {
  const environment = await newDatabase(t)
  const app = await runJson<MadeApp>(t, ['client-apps', 'create', '--name', 'A'], environment)
  const { clientId } = app
  const rotate = ['client-apps', 'rotate', clientId]
  const rotated = await runJson<MadeApp>(t, rotate, environment)
  t.not(rotated.clientSecret, app.clientSecret)
  t.equal(rotated.secrets.length, 2)
  await refused(t, rotate, environment, /has 2 live secrets already: .*\nRevoke one first:/)
  const [old] = app.secrets
  const revoke = ['client-apps', 'revoke', clientId, old?.secretId ?? '']
  const revoked = await runJson<ClientAppDetails>(t, revoke, environment)
  t.same(revoked.secrets, rotated.secrets.slice(1), 'the new one is left')
  await refused(t, revoke, environment, /has no live secret .*\nIts live secrets: /)
})

t.test('an app is switched off and on again, and the admin log says so', async (t) => {
  const environment = await newDatabase(t)
  const create = ['client-apps', 'create', '--name', 'A']
  const { clientId, clientSecret } = await runJson<MadeApp>(t, create, environment)
  const off = ['client-apps', 'deactivate', clientId]
  t.equal((await runJson<ClientAppDetails>(t, off, environment)).isActive, false)
  const on = await runCommand(t, ['client-apps', 'activate', clientId], environment)
  t.equal(on.stdout, `${clientId} is active.\n`)
  await refused(t, ['client-apps', 'create', '--name', ''], environment, /name/)
  const rows = await query(
    environment,
    'select o.action, o.details, f.subject, f.outcome from identity.admin_log o ' +
      'join identity.admin_log f on f.order_id = o.log_id order by o.log_id',
  )
  const details = { by: 'command line' }
  t.match(rows, [
    { action: 'client-app.create', subject: clientId, outcome: 'done', details },
    { action: 'client-app.deactivate', outcome: 'done', details },
    { action: 'client-app.activate', outcome: 'done', details },
    { action: 'client-app.create', outcome: 'refused', details },
  ])
  t.notMatch(JSON.stringify(rows), clientSecret)
})

t.test('what is wrong is said with the option that mends it, and changes nothing', async (t) => {
  const environment = await newDatabase(t)
  const nobody = 'app_00000000-0000-4000-8000-000000000000'
  const origins = ['create', '--name', 'A', '--origin']
  const cases = [
    [['create', '--name', ''], /: --name must not be empty.\nGive another --name./],
    [[...origins, 'https://a.example/x'], /: --origin must be an exact origin.*\n.*--origin\.$/],
    [[...origins, 'https://a.example', '--origin', 'x'], /: --origin number 2 must be an exact/],
    [['create', '--name', 'A', '--iframe-parent', '*'], /: --iframe-parent must be .*\n.*-parent/],
    [['create', '--name', 'A', '--scope', 'all'], /'all' is no scope.\nThe scopes are/],
    [['create', '--name', 'A', '--accent-color', 'red'], /a colour.*\n.*--accent-color/],
    [['rotate', nobody], /There is no client app 'app_0.*\nSee them all/],
    [['revoke', nobody, 'x'], /There is no client app/],
    [['activate', 'x'], /There is no client app 'x'/],
  ] as const
  for (const [args, sentences] of cases)
    await refused(t, ['client-apps', ...args], environment, sentences)
  t.same(await query(environment, 'select * from identity.client_apps'), [])

  const process = await runCommand(t, ['client-apps', 'rotate', nobody, '--json'], environment)
  t.match(process, { code: 1, stdout: '', stderr: /^There is no client app.*\nSee.*\n$/ })
  const usage = await runCommand(t, ['client-apps', 'create'], environment)
  t.equal(usage.code, 2, 'a missing name is wrong usage')
})
