/**
 * What a person's own account answers: entries, what is known of them, where they are logged in,
 * which apps are linked. Nothing but TypeBox is imported here: pages take their types from it.
 */
import { Type, type Static } from '@sinclair/typebox'
import { list, nullable, oneOf, timestamp } from './values.js'
import { widgetSessionSchema, widgetTransactionSchema } from './widget.js'

const appSchema = Type.Object({ clientId: Type.String(), name: Type.String() })

export const entriesPageSchema = Type.Object({
  entries: Type.Array(widgetTransactionSchema),
  otherAppEntries: Type.Array(Type.String()),
  apps: list(appSchema),
  nextCursor: Type.Optional(Type.String({ description: 'There is more: hand it in as `cursor`' })),
})

export type EntriesPage = Readonly<Static<typeof entriesPageSchema>>

/** A session that the person made, or goes on with. */
export const personSessionSchema = Type.Object({
  ...widgetSessionSchema.properties,
  lifeMs: Type.Integer({ description: 'How long it lives from now on', examples: [300_000] }),
})

export type PersonSession = Readonly<Static<typeof personSessionSchema>>

const openSessionSchema = Type.Object({
  loginId: Type.String(),
  appName: Type.String(),
  madeBy: oneOf('backend', 'login'),
  beganAt: nullable(timestamp()),
  device: nullable(Type.String({ examples: ['Firefox · Linux'] })),
  isThis: Type.Boolean(),
})

const linkedAppSchema = Type.Object({
  ...appSchema.properties,
  isLinked: Type.Boolean(),
  since: timestamp(),
  isThis: Type.Boolean({ description: 'On whose page the person is' }),
})

export const accountSchema = Type.Object({
  email: nullable(Type.String()),
  isEmailConfirmed: Type.Boolean(),
  newEmail: nullable(Type.String({ examples: ['ada@new.example'] })),
  sendsMail: Type.Boolean(),
  firstName: nullable(Type.String()),
  lastName: nullable(Type.String()),
  createdAt: timestamp(),
  sessions: list(openSessionSchema),
  apps: list(linkedAppSchema),
})

export type Account = Readonly<Static<typeof accountSchema>>

export const emailChangeSchema = Type.Object({
  state: oneOf('changed', 'mailed'),
})

export type EmailChange = Readonly<Static<typeof emailChangeSchema>>

export const provenEmailSchema = Type.Object({ state: oneOf('confirmed', 'changed') })

export type ProvenEmail = Readonly<Static<typeof provenEmailSchema>>

export const closedSchema = Type.Object({ erasedAt: timestamp() })

export type Closed = Readonly<Static<typeof closedSchema>>

export const returnedToCardsSchema = Type.Object({
  sent: Type.Number({ description: 'The card processor has it; a bank takes some days' }),
  waiting: Type.Number({ description: 'Taken from the wallet, tried again until it is sent' }),
  refused: Type.Number({ description: 'It cannot go back to a card: it is in the wallet again' }),
  balance: Type.Number(),
})

export type ReturnedToCards = Readonly<Static<typeof returnedToCardsSchema>>
