/**
 * The schemas of top-ups: the widget's two calls, the processor's webhook, and the test cards of
 * the sandbox. The session in the query and the webhook's signature are credentials.
 */
import { balanceMaxMinor, type Currency } from '../../domain/money.js'
import { answers } from './answers/error-bodies.js'
import {
  intentSchema,
  paySchema,
  receivedSchema,
  testCardsSchema,
  topUpSchema,
} from './answers/top-ups.js'
import * as field from './fields.js'
import { sessionQuery } from './widget.js'

export type CreateIntentSchema = ReturnType<typeof createIntentSchema>

/** How much is allowed is told with its own code, TOPUP_LIMIT. */
export function createIntentSchema(currency: Currency) {
  return {
    summary: 'Begin a top-up by card',
    querystring: sessionQuery,
    body: field.input({ amount: field.amount({ currency, maxMinor: balanceMaxMinor }) }),
    response: answers(intentSchema, [
      'SESSION_EXPIRED',
      'TOPUP_LIMIT',
      'WALLET_INACTIVE',
      'BALANCE_LIMIT_EXCEEDED',
      'TOO_MANY_TRIES',
      'TOPUP_UNAVAILABLE',
    ]),
  }
}

export const confirmSchema = {
  summary: 'What came of a top-up',
  querystring: sessionQuery,
  body: field.input({ paymentIntentId: field.text() }),
  response: answers(topUpSchema, [
    'SESSION_EXPIRED',
    'TOPUP_NOT_FOUND',
    'TOO_MANY_TRIES',
    'TOPUP_UNAVAILABLE',
  ]),
}

export const webhookSchema = {
  summary: 'Signed news of the card processor',
  body: field.bytes('As the processor signed it'),
  response: answers(receivedSchema, ['INVALID_SIGNATURE', 'TOPUP_UNAVAILABLE']),
}

export const testCardsReadSchema = {
  summary: 'The test cards of the sandbox',
  response: answers(testCardsSchema),
}

const payment = {
  paymentIntentId: field.text(),
  paymentSecret: field.text({ description: 'Whoever has it may pay this intent' }),
}

export const payCardSchema = {
  summary: 'Pay with a test card',
  body: field.input({
    cardNumber: field.text(),
    expiry: field.text(),
    cvc: field.text(),
    ...payment,
  }),
  response: answers(paySchema, ['TOPUP_NOT_FOUND']),
}

export const authenticateCardSchema = {
  summary: "What the bank's page does: approve or refuse",
  body: field.input({ approved: field.flag(), ...payment }),
  response: answers(paySchema, ['TOPUP_NOT_FOUND']),
}
