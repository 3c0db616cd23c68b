/**
 * What is answered about a person's saved cards. Nothing but TypeBox is imported here: pages take
 * their types from it.
 */
import { Type, type Static } from '@sinclair/typebox'
import { list, money, nullable, oneOf, timestamp } from './values.js'

export const savedCardSchema = Type.Object({
  cardId: Type.String(),
  brand: Type.String({ examples: ['visa'] }),
  lastFour: Type.String({ examples: ['4242'] }),
  expiryMonth: Type.Integer({ examples: [12] }),
  expiryYear: Type.Integer({ examples: [2030] }),
  savedAt: timestamp(),
})

export type SavedCard = Readonly<Static<typeof savedCardSchema>>

export const automaticTopUpSchema = Type.Object({
  isOn: Type.Boolean(),
  offBecause: nullable(oneOf('person', 'card', 'failures')),
  cardId: nullable(Type.String()),
  threshold: money(),
  amount: money(),
  monthMaximum: money(),
  monthUsed: money(),
})

export type AutomaticTopUp = Readonly<Static<typeof automaticTopUpSchema>>

export const savedCardsSchema = Type.Object({
  cards: list(savedCardSchema),
  cardsMax: Type.Integer({ description: '0 where no card can be saved', examples: [5] }),
  automaticTopUp: nullable(automaticTopUpSchema),
})

export type SavedCards = Readonly<Static<typeof savedCardsSchema>>
