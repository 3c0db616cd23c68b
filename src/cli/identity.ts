/**
 * What the commands about client apps, people and admins have in common: the opened identity parts,
 * the admin log, and refusals as sentences. Promises: every act that changes something stands in
 * the admin log as the command line's, also when it was refused; everything opened is closed.
 * Never: prints or logs a secret by itself.
 */
import { openIdentity } from '../compose/identity.js'
import type { Identity } from '../compose/parts.js'
import { publicOrigin } from '../config.js'
import type { Config } from '../config.js'
import type { AdminActDetails } from '../identity/admin-log.js'
import type { ClientAppDetails } from '../identity/client-apps.js'
import { InvalidFieldError } from '../identity/invalid-field-error.js'
import type { Pool } from '../platform/postgres.js'
import { originSetting, readSetting } from '../platform/settings.js'
import { withDatabase } from './opened-database.js'
import type { DatabaseOptions } from './opened-database.js'
import { CommandError } from './terminal.js'

export interface IdentityWork {
  readonly identity: Identity
  readonly config: Config
  readonly pool: Pool
}

/** Opens what the work needs, on the data of the running service or of the stopped one. */
export function withIdentity<T>(
  work: (parts: IdentityWork) => Promise<T>,
  options: DatabaseOptions = { mayMake: true },
): Promise<T> {
  return withDatabase(async ({ config, log, database }) => {
    const identity = openIdentity(database, config, { log })
    try {
      return await work({ identity, config, pool: database.pool })
    } finally {
      await identity.close()
    }
  }, options)
}

/** PUBLIC_URL, else where the service of this database said that it answers; if it ever ran. */
export async function serviceOrigin(
  { publicUrl }: Config,
  pool: Pool,
): Promise<string | undefined> {
  return publicUrl.kind === 'given' ? publicUrl.origin : readSetting(pool, originSetting)
}

/** The same, or where it would answer by what is set here. */
export async function likelyOrigin(config: Config, pool: Pool): Promise<string> {
  const known = await serviceOrigin(config, pool)
  return known ?? publicOrigin(config.publicUrl, config.listen.port)
}

export interface CommandLineAct {
  readonly action: string
  readonly subject: string | null
  readonly details?: AdminActDetails
}

/** Runs an act between its order and its outcome in the admin log. */
export async function recorded<T>(
  { adminLog }: Identity,
  { details = {}, ...act }: CommandLineAct,
  work: () => Promise<T>,
  subjectOf?: (result: T) => string,
): Promise<T> {
  // Nobody has logged in here: whoever may run this command may do everything anyway.
  const order = { adminId: null, ...act, details: { ...details, by: 'command line' } }
  const orderId = await adminLog.order(order)
  try {
    const result = await work()
    const subject = subjectOf && { subject: subjectOf(result) }
    await adminLog.finish(orderId, order, { outcome: 'done', ...subject })
    return result
  } catch (error) {
    if (isRefusal(error)) await adminLog.finish(orderId, order, { outcome: 'refused' })
    throw asCommandError(error, details)
  }
}

export async function findClientApp(
  { clientApps }: Identity,
  clientId: string,
): Promise<ClientAppDetails> {
  const clientApp = await clientApps.find(clientId)
  if (clientApp !== undefined) return clientApp
  throw new CommandError(
    `There is no client app '${printable(clientId)}'.`,
    'See them all: npm run -s wallet -- client-apps list',
  )
}

/** For commander's repeatable options. */
export function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value]
}

/** Names are free text of others: no escape sequence reaches the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '·')
}

/** The field of a refusal → the option that it came from. */
const optionOf: Readonly<Record<string, string>> = {
  name: '--name',
  allowedOrigins: '--origin',
  allowedIframeParents: '--iframe-parent',
  scopes: '--scope',
  brandName: '--brand-name',
  accentColor: '--accent-color',
  email: '--email',
  password: '--password',
  firstName: '--first-name',
  lastName: '--last-name',
  url: '--url',
  types: '--type',
  lowBalanceThresholds: '--below',
}

function isRefusal(error: unknown): boolean {
  return error instanceof CommandError || error instanceof InvalidFieldError
}

function asCommandError(error: unknown, given: AdminActDetails): unknown {
  if (!(error instanceof InvalidFieldError)) return error
  // A fault in a list names the place too, such as allowedOrigins[2].
  const [, field = '', index] = /^(.*?)(?:\[(\d+)\])?$/.exec(error.field) ?? []
  const option = optionOf[field]
  if (option === undefined)
    return new CommandError(`Nothing was changed: ${error.message}.`, 'Nothing was written.')
  const list = given[field]
  const isOneOfMany = index !== undefined && Array.isArray(list) && list.length > 1
  const named = isOneOfMany ? `${option} number ${Number(index) + 1}` : option
  return new CommandError(
    `Nothing was changed: ${named} ${error.problem}.`,
    `Give another ${option}.`,
  )
}
