/**
 * The schemas of a person's saved cards. The session in the query is the credential, and one that
 * the person made by logging in.
 */
import type { Currency } from '../../domain/money.js'
import { topUpMaxMinor } from '../../top-ups/limits.js'
import type { ErrorCode } from '../error-table.js'
import { savedCardsSchema } from './answers/cards.js'
import { answers } from './answers/error-bodies.js'
import { paySchema } from './answers/top-ups.js'
import { doneSchema } from './answers/widget.js'
import * as field from './fields.js'
import { sessionQuery } from './widget.js'

const personCodes = ['SESSION_EXPIRED', 'LOGIN_REQUIRED'] as const satisfies ErrorCode[]
const intentCodes = [
  ...personCodes,
  'TOPUP_NOT_FOUND',
  'TOO_MANY_TRIES',
  'TOPUP_UNAVAILABLE',
] as const satisfies ErrorCode[]

const intent = { paymentIntentId: field.text({ description: 'A top-up that is not paid yet' }) }
const card = { cardId: field.text() }

export const cardsReadSchema = {
  summary: "The person's saved cards",
  querystring: sessionQuery,
  response: answers(savedCardsSchema, personCodes),
}

export const saveCardSchema = {
  summary: 'Save the card that will pay this top-up',
  querystring: sessionQuery,
  body: field.input({ ...intent, password: field.text({ description: 'Asked for again' }) }),
  response: answers(doneSchema, [...intentCodes, 'WRONG_PASSWORD', 'TOO_MANY_CARDS']),
}

export const unsaveCardSchema = {
  summary: 'Not save it after all',
  querystring: sessionQuery,
  body: field.input(intent),
  response: answers(doneSchema, intentCodes),
}

export const paySavedSchema = {
  summary: 'Pay a top-up with a saved card',
  querystring: sessionQuery,
  body: field.input({ ...intent, ...card }),
  response: answers(paySchema, [...intentCodes, 'CARD_NOT_FOUND']),
}

export const removeCardSchema = {
  summary: 'Remove a saved card',
  querystring: sessionQuery,
  body: field.input(card),
  response: answers(doneSchema, [...personCodes, 'CARD_NOT_FOUND', 'TOO_MANY_TRIES']),
}

export type AutomaticTopUpOnSchema = ReturnType<typeof automaticTopUpOnSchema>

export function automaticTopUpOnSchema(currency: Currency) {
  const amount = () => field.amount({ currency, maxMinor: topUpMaxMinor })
  return {
    summary: 'Top up by a saved card when less than the threshold is available',
    querystring: sessionQuery,
    body: field.input({
      ...card,
      threshold: amount(),
      amount: amount(),
      monthMaximum: amount(),
      password: field.text({ description: 'Asked for again' }),
    }),
    response: answers(doneSchema, [
      ...personCodes,
      'CARD_NOT_FOUND',
      'WRONG_PASSWORD',
      'TOO_MANY_TRIES',
      'TOPUP_UNAVAILABLE',
    ]),
  }
}

export const automaticTopUpOffSchema = {
  summary: 'No automatic top-up any more',
  querystring: sessionQuery,
  response: answers(doneSchema, personCodes),
}
