/**
 * What the admin API answers (docs/reference/admin-api.md).
 * Nothing but TypeBox is imported here: the admin pages take their types from it.
 */
import { Type, type Static } from '@sinclair/typebox'
import { heldSums, list, money, nullable, oneOf, timestamp } from './values.js'

const currencySchema = Type.Object({ code: Type.String(), decimals: Type.Integer() })

const adminSchema = Type.Object({
  adminId: Type.String(),
  email: Type.String(),
  role: oneOf('admin', 'auditor'),
})

export const loggedInSchema = Type.Object({ admin: adminSchema, csrfToken: Type.String() })

export type LoggedIn = Readonly<Static<typeof loggedInSchema>>

export const meSchema = Type.Object({
  ...loggedInSchema.properties,
  currency: currencySchema,
  environment: oneOf('development', 'production', 'test'),
})

export type Me = Readonly<Static<typeof meSchema>>

export type Admin = Me['admin']

const tallySchema = Type.Object({ count: Type.Integer(), amount: money() })

const movements = {
  debits: tallySchema,
  credits: tallySchema,
  topUps: tallySchema,
  reversals: tallySchema,
  reinstatements: tallySchema,
  bonuses: tallySchema,
  declines: tallySchema,
}

const movementsSchema = Type.Object(movements)

export type Movements = Readonly<Static<typeof movementsSchema>>

const daySchema = Type.Object({
  day: Type.String({ description: 'YYYY-MM-DD, in UTC' }),
  ...movements,
  heldBalance: money(),
})

export type Day = Readonly<Static<typeof daySchema>>

const owedSchema = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  amount: money(),
})

export type Owed = Readonly<Static<typeof owedSchema>>

const divergenceSchema = Type.Object({
  kind: Type.String(),
  place: Type.String(),
  problem: Type.String(),
})

const integritySchema = Type.Object({
  startedAt: timestamp(),
  endedAt: timestamp(),
  events: Type.Integer(),
  wallets: Type.Integer(),
  position: Type.String(),
  // Null: everything agreed.
  divergence: nullable(divergenceSchema),
})

/** Null wherever it is not known. */
const lostEventSchema = Type.Object({
  lostId: Type.Integer(),
  walletId: Type.String(),
  revision: Type.Integer(),
  entryId: nullable(Type.String()),
  type: nullable(Type.String()),
  time: nullable(timestamp()),
  referenceType: nullable(Type.String()),
  referenceId: nullable(Type.String()),
  amount: nullable(money()),
  noticedAt: timestamp(),
})

export type LostEvent = Readonly<Static<typeof lostEventSchema>>

/** What the event store has lost after it was acknowledged, and nobody has seen yet. */
export const lostEventsSchema = Type.Object({
  unseen: Type.Integer(),
  events: list(lostEventSchema),
})

export type LostEvents = Readonly<Static<typeof lostEventsSchema>>

export const overviewSchema = Type.Object({
  currency: currencySchema,
  heldBalance: money(),
  today: movementsSchema,
  days: list(daySchema),
  projectionLagMs: Type.Number(),
  owed: list(owedSchema),
  wallets: Type.Object({ count: Type.Integer(), inactive: Type.Integer() }),
  // Null until the first check of the whole ledger has ended.
  integrity: nullable(integritySchema),
  lostEvents: lostEventsSchema,
})

export type Overview = Readonly<Static<typeof overviewSchema>>

const scopeSchema = oneOf('wallet:read', 'wallet:write')

const clientSecretSchema = Type.Object({
  secretId: Type.String(),
  createdAt: timestamp(),
  lastUsedAt: nullable(timestamp()),
})

export type ClientSecret = Readonly<Static<typeof clientSecretSchema>>

const clientAppSchema = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  allowedOrigins: list(Type.String()),
  allowedIframeParents: list(Type.String()),
  scopes: list(scopeSchema),
  isActive: Type.Boolean(),
  createdAt: timestamp(),
  brandName: nullable(Type.String()),
  accentColor: nullable(Type.String({ examples: ['#0a7d55'] })),
  secrets: list(clientSecretSchema),
})

export type ClientApp = Readonly<Static<typeof clientAppSchema>>

export type Scope = ClientApp['scopes'][number]

/** What an admin may choose of it. */
export type ClientAppInput = Omit<ClientApp, 'clientId' | 'isActive' | 'createdAt' | 'secrets'>

export const clientAppsSchema = Type.Object({ clientApps: list(clientAppSchema) })

export type ClientApps = Readonly<Static<typeof clientAppsSchema>>

export const oneClientAppSchema = Type.Object({ clientApp: clientAppSchema })

export type OneClientApp = Readonly<Static<typeof oneClientAppSchema>>

export const madeSecretSchema = Type.Object({
  clientApp: clientAppSchema,
  clientSecret: Type.String({ description: 'Shown here and never again' }),
})

export type MadeSecret = Readonly<Static<typeof madeSecretSchema>>

const person = {
  walletId: Type.String(),
  serviceUserId: Type.String(),
  email: nullable(Type.String()),
  firstName: nullable(Type.String()),
  lastName: nullable(Type.String()),
}

const foundWalletSchema = Type.Object({
  ...person,
  balance: money(),
  ...heldSums,
  isActive: Type.Boolean(),
})

export type FoundWallet = Readonly<Static<typeof foundWalletSchema>>

export const foundWalletsSchema = Type.Object({ wallets: list(foundWalletSchema) })

export type FoundWallets = Readonly<Static<typeof foundWalletsSchema>>

const entrySchema = Type.Object({
  id: Type.String(),
  event: Type.String(),
  // Null for a decline and a hold, which move nothing.
  type: nullable(oneOf('credit', 'debit')),
  outcome: oneOf('applied', 'declined'),
  code: nullable(Type.String()),
  amount: money(),
  balanceAfter: money(),
  referenceType: Type.String(),
  referenceId: Type.String(),
  issuer: Type.String(),
  description: nullable(Type.String()),
  createdAt: timestamp(),
  appName: nullable(Type.String()),
})

export type Entry = Readonly<Static<typeof entrySchema>>

const nextCursor = Type.Optional(
  Type.String({ description: 'There is more: hand it in as `cursor`' }),
)

export const walletStatementSchema = Type.Object({
  ...foundWalletSchema.properties,
  erased: Type.Boolean(),
  statusReason: nullable(Type.String()),
  revision: Type.Integer(),
  entries: list(entrySchema),
  nextCursor,
  links: list(Type.Object({ clientId: Type.String(), name: Type.String() })),
})

export type WalletStatement = Readonly<Static<typeof walletStatementSchema>>

export const walletStatusSchema = Type.Object({
  isActive: Type.Boolean(),
  statusReason: Type.String(),
})

export type WalletStatus = Readonly<Static<typeof walletStatusSchema>>

export const bonusSchema = Type.Object({
  balance: money(),
  ...heldSums,
  amount: money(),
  replayed: Type.Boolean({ description: 'It was granted before, and not again' }),
})

export type Bonus = Readonly<Static<typeof bonusSchema>>

export const resetLinkSchema = Type.Object({ resetUrl: Type.String(), expiresAt: timestamp() })

export type ResetLink = Readonly<Static<typeof resetLinkSchema>>

/** An event of a wallet's stream, with the step of the fold that it is. */
const explainedEventSchema = Type.Object({
  revision: Type.Integer(),
  eventId: Type.String(),
  hash: Type.String(),
  time: timestamp(),
  event: Type.String(),
  outcome: oneOf('applied', 'declined', 'recorded'),
  code: nullable(Type.String()),
  entryId: nullable(Type.String()),
  issuer: nullable(Type.String()),
  referenceType: nullable(Type.String()),
  referenceId: nullable(Type.String()),
  rule: Type.String(),
  description: nullable(Type.String()),
  appName: nullable(Type.String()),
  amount: nullable(money()),
  balanceBefore: money(),
  balanceAfter: money(),
})

export type ExplainedEvent = Readonly<Static<typeof explainedEventSchema>>

export const eventsPageSchema = Type.Object({
  walletId: Type.String(),
  events: list(explainedEventSchema),
  divergence: nullable(divergenceSchema),
  nextCursor,
})

export type EventsPage = Readonly<Static<typeof eventsPageSchema>>

const logEntrySchema = Type.Object({
  at: timestamp(),
  adminId: nullable(Type.String()),
  adminEmail: nullable(Type.String()),
  action: Type.String(),
  subject: nullable(Type.String()),
  details: Type.Record(Type.String(), Type.Unknown()),
  outcome: oneOf('done', 'refused', 'unknown'),
})

export type LogEntry = Readonly<Static<typeof logEntrySchema>>

export const logPageSchema = Type.Object({ entries: list(logEntrySchema), nextCursor })

const refusedLoginSchema = Type.Object({
  area: oneOf('admin', 'widget'),
  account: nullable(Type.String()),
  adminEmail: nullable(Type.String()),
  address: nullable(Type.String()),
  tries: Type.Integer(),
  hour: timestamp(),
  lastAt: timestamp(),
})

export type RefusedLogin = Readonly<Static<typeof refusedLoginSchema>>

export const refusedLoginsPageSchema = Type.Object({ logins: list(refusedLoginSchema), nextCursor })

export type RefusedLoginsPage = Readonly<Static<typeof refusedLoginsPageSchema>>

export type LogPage = Readonly<Static<typeof logPageSchema>>
