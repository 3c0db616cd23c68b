/**
 * The configuration: the only reader of process.env, one schema, every fault reported at once with
 * the variable's name and what is allowed. Promises: a Config is complete and plausible; what is
 * wrong is said before anything starts. Never: shows a value that may hold a password.
 * Empty variables count as not set, unknown ones are ignored.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Type, type Static, type TLiteral, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import {
  balanceMaxMinor,
  currencies,
  findCurrency,
  parseAmount,
  toMajor,
  type Currency,
} from './domain/money.js'
import { checkpointsConfig, type CheckpointsConfig } from './audit/proofs/checkpoints-config.js'
import { paymentsConfig, type PaymentsConfig } from './top-ups/payments-config.js'
import { logLevels, type LogLevel } from './platform/log.js'
import { isSecure, listeningOrigin, originOf } from './platform/origins.js'
import { identityOf, identityVariables, type ServiceIdentity } from './platform/service-identity.js'
import { webhooksConfig, type WebhooksConfig } from './webhooks/webhooks-config.js'

export interface Config {
  readonly environment: Environment
  readonly listen: { readonly host: string; readonly port: number }
  readonly publicUrl: PublicUrl
  readonly database: DatabaseConfig
  readonly eventStore: EventStoreConfig
  readonly logLevel: LogLevel
  readonly currency: Currency
  readonly amountMaxMinor: number
  readonly projections: 'inline' | 'off'
  /** Proxies in front of us whose X-Forwarded-For is believed: throttling counts by address. */
  readonly proxies: number
  /** Made at the first start, when there is no admin yet. */
  readonly firstAdmin: { readonly email: string; readonly password: string } | undefined
  /** Undefined: nothing is mailed; an admin or the command line makes reset links. */
  readonly mail: { readonly smtpUrl: string; readonly from: string } | undefined
  /** Undefined: /metrics is there in development only. */
  readonly metricsToken: string | undefined
  /** The pace of the checks of a running service; 0: none. */
  readonly auditEventsPerSecond: number
  readonly checkpoints: CheckpointsConfig
  readonly payments: PaymentsConfig
  /** Who runs the service, for people. */
  readonly service: ServiceIdentity
  readonly webhooks: WebhooksConfig
}

export type Environment = 'development' | 'production' | 'test'

/** `listening`: nobody named one, so it follows from the port that the service really got. */
export type PublicUrl =
  | { readonly kind: 'given'; readonly origin: string }
  | { readonly kind: 'listening'; readonly host: string }

export type DatabaseConfig =
  | { readonly kind: 'embedded'; readonly dataDir: string; readonly poolMax: number }
  | { readonly kind: 'url'; readonly url: string; readonly poolMax: number }

/** `database`: the streams live in the same PostgreSQL as everything else. */
export type EventStoreConfig =
  | { readonly kind: 'database' }
  | { readonly kind: 'eventstoredb'; readonly url: string }

/** The message has one line a fault, ready to be shown to the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

/**
 * Every variable with its default. `allowed` completes the sentence "NAME must be …"; a `secret` is
 * never shown. What only two variables together can tell is checked below.
 */
export const environmentSchema = Type.Object({
  NODE_ENV: choice(['development', 'production', 'test'], { default: 'development' }),
  HOST: Type.String({
    pattern: '^[A-Za-z0-9._:-]{1,253}$',
    default: '127.0.0.1',
    allowed: 'a host name or an IP address',
  }),
  PORT: wholeNumber({ minimum: 0, maximum: 65_535, default: 3_000 }),
  PUBLIC_URL: Type.Optional(
    Type.String({ pattern: '^https?://', allowed: 'an http or https origin without a path' }),
  ),
  DATA_DIR: Type.String({ pattern: '^[^\\u0000]+$', default: './data', allowed: 'a folder' }),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      allowed: 'a postgres:// or postgresql:// address',
      secret: true,
    }),
  ),
  DATABASE_POOL_MAX: wholeNumber({ minimum: 2, maximum: 100, default: 10 }),
  EVENTSTORE_URL: Type.Optional(
    Type.String({
      // Several hosts with commas are no URL in the sense of the platform's parser.
      pattern:
        '^(esdb|kurrentdb)(\\+discover)?://([^\\s@/?#]+@)?' +
        '[^\\s@/?#,]+(,[^\\s@/?#,]+)*/?(\\?[^\\s#]*)?$',
      allowed: 'an esdb://, esdb+discover://, kurrentdb:// or kurrentdb+discover:// address',
      secret: true,
    }),
  ),
  LOG_LEVEL: Type.Optional(choice(logLevels, {})),
  CURRENCY: choice([...currencies.keys()], { default: 'usd' }),
  AMOUNT_MAX: amount('1000000.00'),
  PAYMENTS: Type.Optional(choice(['stripe', 'sandbox', 'off'], {})),
  STRIPE_SECRET_KEY: stripeKey('(sk|rk)', "Stripe's secret key, such as sk_live_…"),
  STRIPE_PUBLISHABLE_KEY: stripeKey('pk', "Stripe's publishable key, such as pk_live_…"),
  STRIPE_WEBHOOK_SECRET: stripeKey('whsec', "the webhook's signing secret, such as whsec_…"),
  STRIPE_API_BASE: Type.Optional(
    Type.String({ pattern: '^https?://', allowed: 'an http or https origin without a path' }),
  ),
  TOPUP_MIN: amount('1.00'),
  TOPUP_MAX: amount('1000.00'),
  TOPUP_DAY_MAX: amount('2500.00'),
  PROJECTIONS: choice(['inline', 'off'], { default: 'inline' }),
  PROXIES: wholeNumber({ minimum: 0, maximum: 5, default: 0 }),
  SMTP_URL: Type.Optional(
    Type.String({ pattern: '^smtps?://', allowed: 'an smtp:// or smtps:// address', secret: true }),
  ),
  MAIL_FROM: Type.Optional(
    Type.String({ pattern: '^[^@\\s]+@[^@\\s]+$', maxLength: 254, allowed: 'an email address' }),
  ),
  ...identityVariables,
  ADMIN_EMAIL: Type.Optional(
    Type.String({ pattern: '^[^@\\s]+@[^@\\s]+$', maxLength: 254, allowed: 'an email address' }),
  ),
  ADMIN_PASSWORD: Type.Optional(
    Type.String({ minLength: 10, maxLength: 200, allowed: '10 to 200 characters', secret: true }),
  ),
  METRICS_TOKEN: Type.Optional(
    Type.String({ minLength: 16, maxLength: 200, allowed: '16 to 200 characters', secret: true }),
  ),
  WEBHOOKS_ALLOW_PRIVATE: Type.String({
    pattern: '^(true|false|1|0|on|off|yes|no)$',
    default: 'false',
    allowed: 'true or false',
  }),
  WEBHOOKS_KEY: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{64}$', allowed: '64 digits from 0 to f', secret: true }),
  ),
  AUDIT_EVENTS_PER_SECOND: wholeNumber({ minimum: 0, maximum: 1_000_000, default: 1_000 }),
  CHECKPOINT_EVERY_MINUTES: wholeNumber({ minimum: 0, maximum: 10_080, default: 60 }),
  SIGNING_KEY_FILE: Type.Optional(Type.String({ pattern: '^[^\\u0000]+$', allowed: 'a file' })),
  CHECKPOINT_WITNESS: Type.Optional(
    Type.String({
      // Over plain http to anywhere else, anybody on the way could answer.
      pattern: '^(https://\\S+|http://(localhost|127\\.0\\.0\\.1)[:/]\\S*|(?!\\w+://)[^\\0]+)$',
      allowed: 'a file, or an https address (http on localhost)',
      secret: true,
    }),
  ),
  AUDIT_TRUSTED_KEYS: Type.Optional(
    Type.String({
      pattern: '^ *[0-9a-f]{64} *(, *[0-9a-f]{64} *){0,99}$',
      allowed: '1 to 100 ids of signing keys, each 64 digits from 0 to f, with commas between',
    }),
  ),
})

/** Pure over its argument. Throws ConfigError. */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const values = readVariables(environment, faults)
  const money = checkMoney(values, faults)
  checkAddresses(values, faults)
  const publicUrl = checkPublicUrl(values, faults)
  checkPairs(values, faults)
  const payments = checkPayments(values, money?.currency, faults)
  // Nothing below runs with a hole: a variable without a value has left a fault.
  if (faults.length > 0 || !isComplete(values)) throw new ConfigError(faults)
  if (money === undefined || publicUrl === undefined || payments === undefined)
    throw new ConfigError(faults)

  const poolMax = values.DATABASE_POOL_MAX
  return {
    environment: values.NODE_ENV,
    listen: { host: values.HOST, port: values.PORT },
    publicUrl,
    database:
      values.DATABASE_URL === undefined
        ? { kind: 'embedded', dataDir: values.DATA_DIR, poolMax }
        : { kind: 'url', url: values.DATABASE_URL, poolMax },
    eventStore:
      values.EVENTSTORE_URL === undefined
        ? { kind: 'database' }
        : { kind: 'eventstoredb', url: values.EVENTSTORE_URL },
    logLevel: values.LOG_LEVEL ?? (values.NODE_ENV === 'production' ? 'info' : 'warn'),
    ...money,
    projections: values.PROJECTIONS,
    proxies: values.PROXIES,
    firstAdmin: firstAdminOf(values),
    mail: mailOf(values),
    payments,
    service: identityOf(values),
    webhooks: webhooksConfig(values),
    metricsToken: values.METRICS_TOKEN,
    auditEventsPerSecond: values.AUDIT_EVENTS_PER_SECOND,
    checkpoints: checkpointsConfig(values),
  }
}

/** Reads the process's environment and the file `.env` of the working folder; the former wins. */
export function readConfig(): Config {
  loadEnvironmentFile(resolve('.env'))
  return loadConfig(process.env)
}

/**
 * For the demo: the embedded default in a folder of its own below DATA_DIR, with test cards only,
 * whatever deployment the environment describes: nothing of that is touched, no real money moves.
 */
export function readDemoConfig(): Config & { readonly folder: string } {
  loadEnvironmentFile(resolve('.env'))
  const elsewhere = ['DATABASE_URL', 'EVENTSTORE_URL', 'PUBLIC_URL', 'PROJECTIONS', 'NODE_ENV']
  const keys = ['SIGNING_KEY_FILE', 'CHECKPOINT_WITNESS', 'AUDIT_TRUSTED_KEYS', 'WEBHOOKS_KEY']
  const cleared = Object.fromEntries([...elsewhere, ...keys].map((name) => [name, undefined]))
  const folder = resolve(process.env['DATA_DIR'] || './data', 'demo')
  const set = { DATA_DIR: folder, PAYMENTS: 'sandbox', WEBHOOKS_ALLOW_PRIVATE: 'true' }
  return { ...loadConfig({ ...process.env, ...cleared, ...set }), folder }
}

/** Where people and client apps reach the service, once it listens on `port`. */
export function publicOrigin(publicUrl: PublicUrl, port: number): string {
  return publicUrl.kind === 'given' ? publicUrl.origin : listeningOrigin(publicUrl.host, port)
}

type Variables = Static<typeof environmentSchema>

function choice<const Name extends string>(names: readonly Name[], options: { default?: Name }) {
  const literals = names.map((name): TLiteral<Name> => Type.Literal(name))
  return Type.Union(literals, { ...options, allowed: `one of ${names.join(', ')}` })
}

function wholeNumber(bounds: { minimum: number; maximum: number; default: number }) {
  const allowed = `a whole number from ${bounds.minimum} to ${bounds.maximum}`
  return Type.Integer({ ...bounds, allowed })
}

function amount(standard: string) {
  const pattern = '^[0-9]{1,15}(\\.[0-9]{1,4})?$'
  return Type.String({ pattern, default: standard, allowed: `an amount such as ${standard}` })
}

/** Never shown, the publishable one neither: somebody may have put another key there. */
function stripeKey(prefix: string, allowed: string) {
  const pattern = `^${prefix}_[A-Za-z0-9+/=_-]{1,250}$`
  return Type.Optional(Type.String({ pattern, allowed, secret: true }))
}

function readVariables(
  environment: Readonly<Record<string, string | undefined>>,
  faults: string[],
): Partial<Variables> {
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries<TSchema>(environmentSchema.properties)) {
    const given = environment[name]
    if (given === undefined || given === '') {
      if (schema.default !== undefined) values[name] = schema.default
      continue
    }
    const value = schema['type'] === 'integer' && /^[0-9]{1,9}$/.test(given) ? Number(given) : given
    if (Value.Check(schema, value)) values[name] = value
    else faults.push(`${name} must be ${String(schema['allowed'])}${butIs(given, schema)}`)
  }
  return values
}

function butIs(given: string, schema: TSchema): string {
  // An address in the wrong variable may hold a password too.
  if (schema['secret'] === true || given.includes('@')) return ' (its value is not shown)'
  const shown = given.length > 60 ? `${given.slice(0, 60)}…` : given
  return `, but is '${shown.replaceAll(/\p{Cc}/gu, '?')}'`
}

function isComplete(values: Partial<Variables>): values is Variables {
  return Value.Check(environmentSchema, values)
}

function checkMoney(
  { CURRENCY, AMOUNT_MAX }: Partial<Variables>,
  faults: string[],
): { currency: Currency; amountMaxMinor: number } | undefined {
  const currency = CURRENCY === undefined ? undefined : findCurrency(CURRENCY)
  if (currency === undefined || AMOUNT_MAX === undefined) return undefined

  const amount = parseAmount(Number(AMOUNT_MAX), { currency, maxMinor: balanceMaxMinor })
  if ('minor' in amount) return { currency, amountMaxMinor: amount.minor }
  faults.push(
    `AMOUNT_MAX must be above 0 and at most ${toMajor(balanceMaxMinor, currency)}, with at most ` +
      `${currency.decimals} decimals in ${currency.code}, but is '${AMOUNT_MAX}'`,
  )
  return undefined
}

function checkPayments(
  values: Partial<Variables>,
  currency: Currency | undefined,
  faults: string[],
): PaymentsConfig | undefined {
  const { STRIPE_API_BASE: base } = values
  const apiBase = base === undefined ? undefined : originOf(base)
  if (base !== undefined && (apiBase === undefined || !isSecure(apiBase)))
    faults.push('STRIPE_API_BASE must be an https origin without a path (http on localhost)')
  if (currency === undefined) return undefined
  return paymentsConfig({ values, currency, apiBase }, faults)
}

function checkAddresses(values: Partial<Variables>, faults: string[]): void {
  for (const name of ['DATABASE_URL', 'CHECKPOINT_WITNESS'] as const)
    if (values[name]?.includes('://') === true && !URL.canParse(values[name]))
      faults.push(`${name} must be an address that can be parsed (its value is not shown)`)
}

function checkPairs(values: Partial<Variables>, faults: string[]): void {
  const pairs = [
    ['ADMIN_EMAIL', 'ADMIN_PASSWORD'],
    ['SMTP_URL', 'MAIL_FROM'],
  ] as const
  for (const [one, other] of pairs)
    if ((values[one] === undefined) !== (values[other] === undefined))
      faults.push(`${one} and ${other} must be set both or not at all`)
}

function mailOf({ SMTP_URL, MAIL_FROM }: Variables): Config['mail'] {
  if (SMTP_URL === undefined || MAIL_FROM === undefined) return undefined
  return { smtpUrl: SMTP_URL, from: MAIL_FROM }
}

function firstAdminOf({ ADMIN_EMAIL, ADMIN_PASSWORD }: Variables): Config['firstAdmin'] {
  if (ADMIN_EMAIL === undefined || ADMIN_PASSWORD === undefined) return undefined
  return { email: ADMIN_EMAIL, password: ADMIN_PASSWORD }
}

function checkPublicUrl(
  { PUBLIC_URL, HOST, PORT, NODE_ENV }: Partial<Variables>,
  faults: string[],
): PublicUrl | undefined {
  if (PUBLIC_URL !== undefined) {
    const origin = originOf(PUBLIC_URL)
    if (origin === undefined) {
      const shown = butIs(PUBLIC_URL, environmentSchema.properties.PUBLIC_URL)
      faults.push(`PUBLIC_URL must be an http or https origin without a path${shown}`)
      return undefined
    }
    if (NODE_ENV === 'production' && !isSecure(origin))
      faults.push(`PUBLIC_URL must be https in production (http only on localhost)`)
    return { kind: 'given', origin }
  }
  if (HOST === undefined || PORT === undefined) return undefined
  const origin = originOf(listeningOrigin(HOST, PORT))
  if (origin === undefined) {
    faults.push(`HOST must be a host name or an IP address, but is '${HOST}'`)
    return undefined
  }
  if (NODE_ENV === 'production' && !isSecure(origin))
    faults.push(`PUBLIC_URL must be set in production: the https origin that people see`)
  return { kind: 'listening', host: HOST }
}

function loadEnvironmentFile(file: string): void {
  if (!existsSync(file)) return
  const { loadEnvFile } = process as { loadEnvFile?: (path: string) => void }
  if (loadEnvFile === undefined)
    throw new ConfigError([
      `${file} needs Node 20.12 or later to be read; this is ${process.version}`,
    ])
  try {
    loadEnvFile(file)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError([`${file} cannot be read: ${reason}`])
  }
}
