/**
 * What is answered about a top-up: the intent, what came of it, and what the sandbox says of its
 * test cards. Nothing but TypeBox is imported here: pages take their types from it.
 */
import { Type, type Static } from '@sinclair/typebox'
import { heldSums, money, nullable, oneOf } from './values.js'

export const intentSchema = Type.Object({
  paymentIntentId: Type.String(),
  paymentSecret: Type.String({ description: 'For the processor, in the browser' }),
  publishableKey: nullable(Type.String()),
  amount: money(),
  currency: Type.String({ examples: ['usd'] }),
})

export type Intent = Readonly<Static<typeof intentSchema>>

export const topUpSchema = Type.Object({
  paymentIntentId: Type.String(),
  status: oneOf('requires_payment', 'processing', 'booked', 'failed'),
  amount: money(),
  balance: money(),
  ...heldSums,
  failure: Type.Optional(Type.String({ description: 'Why the card was not charged' })),
})

export type TopUpAnswer = Readonly<Static<typeof topUpSchema>>

export const receivedSchema = Type.Object({ received: Type.Literal(true) })

export const testCardsSchema = Type.Object({
  cards: Type.Array(
    Type.Object({ number: Type.String(), label: Type.String(), description: Type.String() }),
  ),
})

export type TestCards = Readonly<Static<typeof testCardsSchema>>

export const paySchema = Type.Union([
  Type.Object({ status: oneOf('succeeded', 'requires_action', 'processing') }),
  Type.Object({
    status: Type.Literal('declined'),
    code: Type.String({ examples: ['card_declined'] }),
    message: Type.String(),
  }),
])

export type PayAnswer = Readonly<Static<typeof paySchema>>
