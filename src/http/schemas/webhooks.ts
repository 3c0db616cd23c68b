/**
 * The schemas of the admin API about webhooks: endpoints of a client app, their signing secrets,
 * and what was sent to them. What an address and a type may be, src/webhooks says.
 */
import { Type } from '@sinclair/typebox'
import { parseAmount } from '../../domain/money.js'
import type { Currency } from '../../domain/money.js'
import { pageEntriesMax, pageEntriesStandard } from '../../limits.js'
import { webhookTypes } from '../../webhooks/webhook-types.js'
import { changeCodes, lookCodes } from './admin.js'
import { answers } from './answers/error-bodies.js'
import {
  appWebhooksSchema,
  deliveriesPageSchema,
  madeEndpointSecretSchema,
  oneDeliverySchema,
  oneEndpointSchema,
} from './answers/webhooks.js'
import { doneSchema } from './answers/widget.js'
import * as field from './fields.js'

const appParams = field.input({ clientId: field.text() })
const endpointParams = field.input({ endpointId: field.text() })
const url = () => field.text({ examples: ['https://shop.example/webhooks'] })
const types = () => field.list(field.text({ enum: [...webhookTypes] }))

export const webhooksReadSchema = {
  summary: 'The webhook endpoints of a client app, and at which balances it is told',
  params: appParams,
  response: answers(appWebhooksSchema, [...lookCodes, 'NOT_FOUND']),
}

export const webhookCreateSchema = {
  summary: 'A new webhook endpoint; its signing secret is shown once',
  params: appParams,
  body: field.input({ url: url(), types: types() }),
  response: answers(madeEndpointSecretSchema, changeCodes),
}

export type ThresholdsSchema = ReturnType<typeof thresholdsChangeSchema>

export function thresholdsChangeSchema(currency: Currency) {
  const problem = `must be 0 or more, with at most ${currency.decimals} decimals`
  const amount = field.field<number>({ type: 'number', minimum: 0, examples: [10] }, (value) =>
    'minor' in parseAmount(value, { currency, zeroAllowed: true }) ? undefined : problem,
  )
  return {
    summary: 'At which balances wallet.low_balance is sent to a client app',
    params: appParams,
    body: field.input({ lowBalanceThresholds: field.list(amount) }),
    response: answers(appWebhooksSchema, changeCodes),
  }
}

export const webhookUpdateSchema = {
  summary: 'Change what is given of a webhook endpoint',
  params: endpointParams,
  body: field.input({ url: Type.Optional(url()), types: Type.Optional(types()) }),
  response: answers(oneEndpointSchema, changeCodes),
}

export const webhookRotateSchema = {
  summary: 'A second signing secret; both sign until one is revoked',
  params: endpointParams,
  response: answers(madeEndpointSecretSchema, changeCodes),
}

export const webhookRevokeSchema = {
  summary: 'End one signing secret',
  params: field.input({ endpointId: field.text(), secretId: field.text() }),
  response: answers(oneEndpointSchema, changeCodes),
}

export const webhookRemoveSchema = {
  summary: 'End a webhook endpoint, with everything that waits for it',
  params: endpointParams,
  response: answers(doneSchema, changeCodes),
}

export const webhookTestSchema = {
  summary: 'Send a test event',
  params: endpointParams,
  response: answers(oneDeliverySchema, changeCodes),
}

export const deliveriesReadSchema = {
  summary: 'What was sent to an endpoint, newest first',
  params: endpointParams,
  querystring: field.input({
    state: field.choice(['waiting', 'delivered', 'dead'], 'All when left out'),
    limit: field.wholeNumber({ min: 1, max: pageEntriesMax, standard: pageEntriesStandard }),
    cursor: field.wholeNumber({ min: 0, max: 999_999_999 }),
  }),
  response: answers(deliveriesPageSchema, [...lookCodes, 'NOT_FOUND']),
}

export const redeliverSchema = {
  summary: 'Send one again, with its old id and body',
  params: field.input({ endpointId: field.text(), deliveryId: field.text({ examples: ['1042'] }) }),
  response: answers(oneDeliverySchema, changeCodes),
}
