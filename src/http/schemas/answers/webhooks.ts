/**
 * What the admin API answers about webhooks (docs/reference/admin-api.md).
 * Nothing but TypeBox is imported here: the admin pages take their types from it.
 */
import { Type, type Static } from '@sinclair/typebox'
import { list, money, nullable, oneOf, timestamp } from './values.js'

const endpointSchema = Type.Object({
  endpointId: Type.String(),
  clientId: Type.String(),
  url: Type.String(),
  types: list(Type.String()),
  createdAt: timestamp(),
  // Since when deliveries are given up; null while they arrive.
  deadSince: nullable(timestamp()),
  secrets: list(Type.Object({ secretId: Type.String(), createdAt: timestamp() })),
})

export type WebhookEndpoint = Readonly<Static<typeof endpointSchema>>

export const appWebhooksSchema = Type.Object({
  endpoints: list(endpointSchema),
  lowBalanceThresholds: list(money()),
  types: list(Type.String({ description: 'All that an endpoint may ask for' })),
})

export type AppWebhooks = Readonly<Static<typeof appWebhooksSchema>>

export const oneEndpointSchema = Type.Object({ endpoint: endpointSchema })

export type OneEndpoint = Readonly<Static<typeof oneEndpointSchema>>

export const madeEndpointSecretSchema = Type.Object({
  endpoint: endpointSchema,
  secret: Type.String({ description: 'Shown here and never again' }),
})

export type MadeEndpointSecret = Readonly<Static<typeof madeEndpointSecretSchema>>

const deliverySchema = Type.Object({
  deliveryId: Type.Integer(),
  webhookId: Type.String(),
  endpointId: Type.String(),
  type: Type.String({ examples: ['wallet.entry'] }),
  state: oneOf('waiting', 'delivered', 'dead'),
  createdAt: timestamp(),
  tries: Type.Integer(),
  lastTryAt: nullable(timestamp()),
  nextTryAt: nullable(timestamp()),
  payload: Type.String({ description: 'The JSON that is sent, as it is signed' }),
  answerStatus: nullable(Type.Integer()),
  answerBody: nullable(Type.String({ description: 'The first 4 kB' })),
  // Why it did not arrive.
  fault: nullable(Type.String()),
})

export type WebhookDelivery = Readonly<Static<typeof deliverySchema>>

export const oneDeliverySchema = Type.Object({ delivery: deliverySchema })

export type OneDelivery = Readonly<Static<typeof oneDeliverySchema>>

export const deliveriesPageSchema = Type.Object({
  deliveries: list(deliverySchema),
  nextCursor: Type.Optional(Type.String()),
})

export type DeliveriesPage = Readonly<Static<typeof deliveriesPageSchema>>
