/**
 * What an operator may write into the environment, what follows from it, and what is said when it
 * is wrong: everything at once, by name, and never with a password in it.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { unnamedService } from '../src/platform/service-identity.js'
import { ConfigError, environmentSchema, loadConfig, publicOrigin } from '../src/config.js'
import { childModule, evalArgs } from './support/child-program.js'

const run = promisify(execFile)
const root = new URL('..', import.meta.url)
const oneKeyId = '0123456789abcdef'.repeat(4)
const otherKeyId = 'f'.repeat(64)

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

t.test('an empty environment gives the embedded default on 127.0.0.1:3000', async (t) => {
  t.same(loadConfig({}), {
    environment: 'development',
    listen: { host: '127.0.0.1', port: 3000 },
    publicUrl: { kind: 'listening', host: '127.0.0.1' },
    database: { kind: 'embedded', dataDir: './data', poolMax: 10 },
    eventStore: { kind: 'database' },
    logLevel: 'warn',
    currency: { code: 'usd', decimals: 2, processorExponent: 2 },
    amountMaxMinor: 100_000_000,
    projections: 'inline',
    proxies: 0,
    firstAdmin: undefined,
    mail: undefined,
    service: unnamedService,
    payments: {
      kind: 'sandbox',
      publishableKey: 'pk_test_sandbox',
      testMode: true,
      minimumMinor: 100,
      maximumMinor: 100_000,
      dayMaximumMinor: 250_000,
      stripe: undefined,
    },
    webhooks: { allowPrivate: false, key: undefined, keyFile: 'data/webhook-key' },
    metricsToken: undefined,
    auditEventsPerSecond: 1_000,
    checkpoints: {
      everyMinutes: 60,
      signingKeyFile: 'data/checkpoint-key.pem',
      trustedKeys: [],
      witnesses: ['data/checkpoint-key.pem.witness'],
    },
  })
})

t.test('every variable is taken over', async (t) => {
  const config = loadConfig({
    NODE_ENV: 'production',
    HOST: '0.0.0.0',
    PORT: '8080',
    PUBLIC_URL: 'https://Wallet.example:443/',
    DATA_DIR: '/var/lib/wallet',
    DATABASE_URL: 'postgresql://wallet:p%40ss@db.example:5432/wallet?sslmode=require',
    DATABASE_POOL_MAX: '40',
    EVENTSTORE_URL: 'esdb://a:b@node1:2113,node2:2113,node3:2113?tls=true&tlsCAFile=/run/ca.crt',
    CURRENCY: 'eur',
    AMOUNT_MAX: '250.5',
    SERVICE_NAME: 'Acme Pay',
    SERVICE_LOGO: './logo.svg',
    SUPPORT_ADDRESS: 'help@acme.example',
    TERMS_URL: 'https://acme.example/terms',
    PRIVACY_URL: 'https://acme.example/privacy',
    STRIPE_SECRET_KEY: 'sk_live_1',
    STRIPE_PUBLISHABLE_KEY: 'pk_live_2',
    STRIPE_WEBHOOK_SECRET: 'whsec_3',
    STRIPE_API_BASE: 'https://Stripe.example/',
    TOPUP_MIN: '5',
    TOPUP_MAX: '50.5',
    TOPUP_DAY_MAX: '100',
    PROJECTIONS: 'off',
    PROXIES: '2',
    SMTP_URL: 'smtp://mail.example:587',
    MAIL_FROM: 'wallet@example.com',
    ADMIN_EMAIL: 'root@example.com',
    ADMIN_PASSWORD: 'correct horse',
    METRICS_TOKEN: 'sixteen-or-more-characters',
    WEBHOOKS_ALLOW_PRIVATE: 'true',
    WEBHOOKS_KEY: 'ab'.repeat(32),
    AUDIT_EVENTS_PER_SECOND: '0',
    CHECKPOINT_EVERY_MINUTES: '5',
    SIGNING_KEY_FILE: '/run/secrets/checkpoint-key.pem',
    CHECKPOINT_WITNESS: 'https://wallet:pass@witness.example/of-wallets?x=1',
    AUDIT_TRUSTED_KEYS: `${oneKeyId}, ${otherKeyId}`,
    SOMETHING_ELSE: 'ignored',
  })
  t.same(config, {
    environment: 'production',
    listen: { host: '0.0.0.0', port: 8080 },
    publicUrl: { kind: 'given', origin: 'https://wallet.example' },
    database: {
      kind: 'url',
      url: 'postgresql://wallet:p%40ss@db.example:5432/wallet?sslmode=require',
      poolMax: 40,
    },
    eventStore: {
      kind: 'eventstoredb',
      url: 'esdb://a:b@node1:2113,node2:2113,node3:2113?tls=true&tlsCAFile=/run/ca.crt',
    },
    logLevel: 'info',
    currency: { code: 'eur', decimals: 2, processorExponent: 2 },
    amountMaxMinor: 25_050,
    projections: 'off',
    proxies: 2,
    firstAdmin: { email: 'root@example.com', password: 'correct horse' },
    mail: { smtpUrl: 'smtp://mail.example:587', from: 'wallet@example.com' },
    service: {
      name: 'Acme Pay',
      logoFile: './logo.svg',
      support: 'help@acme.example',
      termsUrl: 'https://acme.example/terms',
      privacyUrl: 'https://acme.example/privacy',
    },
    payments: {
      kind: 'stripe',
      publishableKey: 'pk_live_2',
      testMode: false,
      minimumMinor: 500,
      maximumMinor: 5_050,
      dayMaximumMinor: 10_000,
      stripe: {
        secretKey: 'sk_live_1',
        webhookSecret: 'whsec_3',
        apiBase: 'https://stripe.example',
      },
    },
    webhooks: {
      allowPrivate: true,
      key: 'ab'.repeat(32),
      keyFile: '/var/lib/wallet/webhook-key',
    },
    metricsToken: 'sixteen-or-more-characters',
    auditEventsPerSecond: 0,
    checkpoints: {
      everyMinutes: 5,
      signingKeyFile: '/run/secrets/checkpoint-key.pem',
      trustedKeys: [oneKeyId, otherKeyId],
      witnesses: [
        '/run/secrets/checkpoint-key.pem.witness',
        'https://wallet:pass@witness.example/of-wallets?x=1',
      ],
    },
  })
})

t.test('an empty variable counts as not set', async (t) => {
  const names = Object.keys(environmentSchema.properties)
  t.same(loadConfig(Object.fromEntries(names.map((name) => [name, '']))), loadConfig({}))
})

t.test('every fault is reported at once, one line each, with what is allowed', async (t) => {
  const environment = {
    NODE_ENV: 'prod',
    HOST: 'not a host',
    PORT: 'abc',
    PUBLIC_URL: 'ftp://wallet.example',
    DATABASE_URL: 'mysql://root:hunter2@db/wallet',
    DATABASE_POOL_MAX: '1',
    EVENTSTORE_URL: 'http://admin:hunter2@node1:2113',
    LOG_LEVEL: 'loud',
    CURRENCY: 'xyz',
    AMOUNT_MAX: '1e3',
    PROJECTIONS: 'on',
  }
  const faults = faultsOf(environment)
  t.same(
    faults.map((fault) => fault.split(' ')[0]),
    Object.keys(environment),
  )
  t.ok(faults.includes("PORT must be a whole number from 0 to 65535, but is 'abc'"))
  t.ok(faults.includes("NODE_ENV must be one of development, production, test, but is 'prod'"))
  t.notMatch(faults.join('\n'), /hunter2/, 'a password is never shown')
  t.throws(() => loadConfig(environment), { name: 'ConfigError', message: faults.join('\n') })
})

t.test('faults that need two variables are found beside the others', async (t) => {
  t.same(faultsOf({ PORT: '70000', CURRENCY: 'jpy', AMOUNT_MAX: '10.5' }), [
    "PORT must be a whole number from 0 to 65535, but is '70000'",
    'AMOUNT_MAX must be above 0 and at most 999999999999999, with at most 0 decimals in jpy, ' +
      "but is '10.5'",
  ])
})

t.test('numbers are strict', async (t) => {
  for (const port of ['-1', '1.5', '0x10', '1e3', ' 80', '80 ', '٣', '65536', '99999999999'])
    t.match(faultsOf({ PORT: port }), [/^PORT must be/], `port ${JSON.stringify(port)}`)
  t.equal(loadConfig({ PORT: '0' }).listen.port, 0)
  t.equal(loadConfig({ PORT: '65535' }).listen.port, 65_535)
})

t.test('trusted keys are whole key ids, and a mistake names the variable', async (t) => {
  for (const keys of [
    'abc',
    oneKeyId.toUpperCase(),
    `${oneKeyId}0`,
    `${oneKeyId},`,
    `,${oneKeyId}`,
    `${oneKeyId} ${otherKeyId}`,
    `${oneKeyId},abc`,
    Array.from({ length: 101 }, () => oneKeyId).join(),
  ])
    t.match(faultsOf({ AUDIT_TRUSTED_KEYS: keys }), [
      /^AUDIT_TRUSTED_KEYS must be 1 to 100 ids of signing keys, each 64 digits .*, but is '/,
    ])
  t.same(loadConfig({ AUDIT_TRUSTED_KEYS: oneKeyId }).checkpoints.trustedKeys, [oneKeyId])
})

t.test('the largest amount fits the currency', async (t) => {
  for (const amount of [
    '0',
    '0.00',
    '-5',
    '1.001',
    '10000000000000',
    'NaN',
    '1,000',
    ''.padEnd(16, '9'),
  ])
    t.match(faultsOf({ AMOUNT_MAX: amount }), [/^AMOUNT_MAX must be/], `amount ${amount}`)
  t.equal(loadConfig({ AMOUNT_MAX: '0.01' }).amountMaxMinor, 1)
  t.equal(loadConfig({ AMOUNT_MAX: '9999999999999.99' }).amountMaxMinor, 999_999_999_999_999)
  t.equal(loadConfig({ CURRENCY: 'jpy' }).amountMaxMinor, 1_000_000, 'the default fits yen too')
})

t.test(
  'the public address is an origin, and https in production except on localhost',
  async (t) => {
    const publicUrl = (environment: Record<string, string>): string =>
      publicOrigin(loadConfig(environment).publicUrl, 4000)
    t.equal(publicUrl({}), 'http://127.0.0.1:4000', 'the port that the service really got')
    t.equal(publicUrl({ HOST: '::1', PORT: '0' }), 'http://[::1]:4000')
    t.equal(publicUrl({ HOST: '0.0.0.0', NODE_ENV: 'production' }), 'http://localhost:4000')
    t.equal(publicUrl({ PUBLIC_URL: 'http://localhost:9' }), 'http://localhost:9')

    for (const address of [
      'https://wallet.example/path',
      'https://wallet.example?query',
      'https://wallet.example#part',
      'https://',
      'wallet.example',
    ])
      t.match(faultsOf({ PUBLIC_URL: address }), [/^PUBLIC_URL must be an http/], address)
    t.same(faultsOf({ PUBLIC_URL: 'https://user:hunter2@wallet.example' }), [
      'PUBLIC_URL must be an http or https origin without a path (its value is not shown)',
    ])

    const production = { NODE_ENV: 'production' }
    t.match(faultsOf({ ...production, PUBLIC_URL: 'http://wallet.example' }), [/must be https/])
    t.match(faultsOf({ ...production, HOST: '10.0.0.5' }), [/^PUBLIC_URL must be set/])
    t.same(faultsOf({ ...production, PUBLIC_URL: 'http://localhost:3000' }), [])
    t.same(faultsOf({ ...production, PUBLIC_URL: 'https://wallet.example' }), [])
  },
)

t.test('addresses of stores: what the client libraries understand, and nothing else', async (t) => {
  for (const url of [
    'esdb://localhost:2113?tls=false',
    'esdb+discover://ledger:s%40crt@cluster.example:2113',
    'kurrentdb://node1:2113,node2:2113',
    'kurrentdb+discover://cluster.example',
  ])
    t.same(loadConfig({ EVENTSTORE_URL: url }).eventStore, { kind: 'eventstoredb', url })
  for (const url of [
    'esdb://',
    'esdb:localhost',
    'esdb://a b:2113',
    'http://a:2113',
    'esdb://a,,b',
  ])
    t.match(faultsOf({ EVENTSTORE_URL: url }), [/^EVENTSTORE_URL must be an esdb/], url)
  for (const url of ['postgres://[::1', 'db.example', 'postgres//x'])
    t.match(faultsOf({ DATABASE_URL: url }), [/^DATABASE_URL must be/], url)
})

t.test('a second witness is a file or a safe address', async (t) => {
  for (const place of [
    './witness',
    '/mnt/other/witness',
    'https://w.example',
    'http://localhost:1/',
  ])
    t.same(faultsOf({ CHECKPOINT_WITNESS: place }), [], place)
  for (const place of ['http://w.example/x', 'ftp://w.example', 'https://', 'https://w:99999/x'])
    t.match(faultsOf({ CHECKPOINT_WITNESS: place }), [/^CHECKPOINT_WITNESS must be .*/], place)
})

t.test('half of a pair of variables is a fault that names both', async (t) => {
  for (const [one, other] of [
    ['ADMIN_EMAIL', 'ADMIN_PASSWORD'],
    ['SMTP_URL', 'MAIL_FROM'],
  ] as const) {
    const value = one === 'SMTP_URL' ? 'smtp://mail.example' : 'root@example.com'
    t.throws(() => loadConfig({ [one]: value }), {
      message: `${one} and ${other} must be set both or not at all`,
    })
  }
})

const stripeKeys = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_2',
  STRIPE_WEBHOOK_SECRET: 'whsec_3',
}

t.test('who takes payments: Stripe with its keys, else the sandbox, never in production', (t) => {
  const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://wallet.example' }
  const kindOf = (environment: Record<string, string>) => {
    const { kind, publishableKey, testMode } = loadConfig(environment).payments
    return [kind, publishableKey, testMode]
  }
  t.same(kindOf({}), ['sandbox', 'pk_test_sandbox', true])
  t.same(kindOf({ NODE_ENV: 'test' }), ['sandbox', 'pk_test_sandbox', true])
  t.same(kindOf(production), ['off', null, false])
  t.same(kindOf({ ...production, PAYMENTS: 'sandbox' }), ['sandbox', 'pk_test_sandbox', true])
  t.same(kindOf(stripeKeys), ['stripe', 'pk_test_2', true])
  t.same(kindOf({ ...production, ...stripeKeys }), ['stripe', 'pk_test_2', true])
  t.same(kindOf({ ...stripeKeys, PAYMENTS: 'off' }), ['off', null, false])
  t.same(kindOf({ ...stripeKeys, PAYMENTS: 'sandbox' }), ['sandbox', 'pk_test_sandbox', true])
  t.end()
})

t.test('keys of Stripe come together, of one mode, and are never shown', async (t) => {
  const { STRIPE_SECRET_KEY } = stripeKeys
  t.same(faultsOf({ STRIPE_SECRET_KEY }), [
    'STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET must be set all or none',
  ])
  t.match(faultsOf({ PAYMENTS: 'stripe' }), [/^PAYMENTS is stripe, which needs/])
  t.match(faultsOf({ ...stripeKeys, STRIPE_SECRET_KEY: 'sk_live_1' }), [/must be of the same mode/])
  const swapped = { ...stripeKeys, STRIPE_PUBLISHABLE_KEY: 'sk_test_hunter2' }
  t.notMatch(faultsOf(swapped).join(' '), /hunter2/)
  t.match(faultsOf(swapped)[0], /^STRIPE_PUBLISHABLE_KEY must be/)
  for (const base of ['http://stripe.example', 'https://stripe.example/v1', 'https://'])
    t.match(faultsOf({ STRIPE_API_BASE: base }), [/^STRIPE_API_BASE must be/], base)
  t.same(faultsOf({ ...stripeKeys, STRIPE_API_BASE: 'http://localhost:12111' }), [])
})

t.test('the limits of top-ups fit the currency and each other', async (t) => {
  for (const [name, value] of [
    ['TOPUP_MIN', '0'],
    ['TOPUP_MIN', '1.001'],
    ['TOPUP_MAX', '1000000'],
    ['TOPUP_DAY_MAX', 'much'],
  ] as const)
    t.match(faultsOf({ [name]: value }), [new RegExp(`^${name} must be`)], `${name} ${value}`)
  t.match(faultsOf({ TOPUP_MIN: '2000' }), [/must not become smaller/])
  t.match(faultsOf({ TOPUP_DAY_MAX: '500' }), [/must not become smaller/])
  t.match(faultsOf({ CURRENCY: 'jpy', TOPUP_MIN: '1.5' }), [/^TOPUP_MIN must be .* in jpy/])
  t.equal(loadConfig({ CURRENCY: 'jpy' }).payments.maximumMinor, 1_000)
})

t.test('.env.example names exactly the variables of the schema, with their defaults', async (t) => {
  const lines = readFileSync(new URL('.env.example', root), 'utf8').split('\n')
  const listed = lines.flatMap((line) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value]]
  })
  const schema = Object.entries(environmentSchema.properties).map(([name, property]) => {
    const fallback = property.default as string | number | undefined
    return [name, String(fallback ?? '')]
  })
  t.same(listed, schema)
  t.ok(
    lines.every((line) => line === '' || line.startsWith('# ') || /^[A-Z_]+=/.test(line)),
    'everything else is a comment',
  )
})

t.test('a file .env in the working folder is read, and the real environment wins', async (t) => {
  const folder = t.testdir({ '.env': 'PORT=4444\nHOST=localhost\nLOG_LEVEL=debug\n' })
  const program = `import { readConfig } from '${childModule(new URL('src/config.ts', root)).href}'
    const { listen, logLevel } = readConfig()
    console.log(JSON.stringify({ listen, logLevel }))`
  const { stdout } = await run(process.execPath, evalArgs(program), {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '5555' },
    timeout: 60_000,
  })
  t.same(JSON.parse(stdout), { listen: { host: 'localhost', port: 5555 }, logLevel: 'debug' })
})
