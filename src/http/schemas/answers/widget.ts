/**
 * What the widget's own calls answer: sign-up, login, sessions, the wallet and the doctor's facts.
 * Nothing but TypeBox is imported here: pages take their types from it.
 */
import { Type, type Static } from '@sinclair/typebox'
import { heldSums, money, nullable, oneOf, timestamp } from './values.js'
import { pendingTopUpSchema, transactionRecordSchema } from './wallets.js'

export const widgetSessionSchema = Type.Object({
  sessionToken: Type.String({ description: 'ws_ and a UUID' }),
  expiresAt: timestamp(),
})

/** After sign-up and login: a session, and the proof that a client backend may redeem once. */
export const welcomeSchema = Type.Object({
  serviceUserId: Type.String(),
  ...widgetSessionSchema.properties,
  linkProof: Type.String(),
  isReopened: Type.Optional(
    Type.Literal(true, { description: 'The account had been closed, and is open again' }),
  ),
  language: nullable(Type.String({ description: 'What this person has chosen', examples: ['de'] })),
})

export type Welcome = Readonly<Static<typeof welcomeSchema>>

export const renewedSessionSchema = Type.Object({ expiresAt: timestamp() })

/** Done, and there is nothing to tell. */
export const doneSchema = Type.Unsafe<Done>(Type.Object({}))

export type Done = Readonly<Record<string, never>>

/** A sentence for the person at the page. */
export const messageSchema = Type.Object({ message: Type.String() })

export const resetAccountAnswerSchema = Type.Object({
  email: Type.String({ description: 'Of the account whose password the link changes' }),
})

export const widgetTransactionSchema = Type.Object({
  ...transactionRecordSchema.properties,
  appName: nullable(Type.String({ description: 'Of the client app that booked it' })),
})

export type WidgetTransaction = Readonly<Static<typeof widgetTransactionSchema>>

export const widgetWalletSchema = Type.Object({
  balance: money(),
  ...heldSums,
  transactions: Type.Array(widgetTransactionSchema),
  otherAppEntries: Type.Array(Type.String(), {
    description: 'The ids of those that another client app than this session’s booked',
  }),
  pendingTopUps: Type.Array(pendingTopUpSchema),
  isActive: Type.Boolean(),
  inactiveReason: nullable(Type.String()),
  user: Type.Object({ firstName: Type.String(), lastName: Type.String() }),
  expiresAt: timestamp(),
  currency: Type.String({ examples: ['usd'] }),
  revision: Type.Integer(),
})

export type WidgetWallet = Readonly<Static<typeof widgetWalletSchema>>

export const doctorFactsSchema = Type.Object({
  app: oneOf('active', 'inactive', 'unknown'),
  originAllowed: Type.Boolean({ description: 'Whether this origin may embed the widget' }),
  originProblem: nullable(
    Type.String({
      description: 'A sentence for people: why it can never be allowed as it stands',
    }),
  ),
  openerAllowed: Type.Boolean({
    description:
      'Whether a page of this origin may open the top-up in a window and call from a browser',
  }),
  session: oneOf('none', 'live', 'ended', 'unknown'),
  // Null where there is nothing to compare.
  sessionMatchesApp: nullable(Type.Boolean()),
  // Without a clientId: how the widget's pages find the app all the same, if they do.
  foundBy: Type.Optional(oneOf('session', 'origin')),
  originInstead: Type.Optional(
    Type.String({ description: 'Where only the spelling of the origin is wrong: the right one' }),
  ),
  publicOrigin: Type.Optional(
    Type.String({
      description: "The origin that an iframe's src may lead to beside the one that was asked",
    }),
  ),
})

export type DoctorFacts = Readonly<Static<typeof doctorFactsSchema>>
