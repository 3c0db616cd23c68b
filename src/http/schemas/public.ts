/**
 * The schemas of what anybody may ask for: pages, built files, metrics, and the signed checkpoints
 * that outsiders check.
 */
import { Type, type TSchema } from '@sinclair/typebox'
import type { ErrorCode } from '../error-table.js'
import { answers, errorBodyOf } from './answers/error-bodies.js'
import { nullable, timestamp } from './answers/values.js'
import { pageQuery } from './admin.js'
import * as field from './fields.js'

/** An answer that is no JSON: by its type of content. */
function contentOf(...types: readonly string[]) {
  const schema: TSchema = Type.String()
  return { content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

/** A page for a browser. */
export function pageSchema(summary: string, codes: readonly ErrorCode[] = []) {
  return { summary, response: answers(contentOf('text/html'), codes) }
}

/** The pages of the widget look at what they are opened with and refuse nobody. */
export function widgetPageSchema(summary: string) {
  const querystring = field.input({ session: field.anything(), clientId: field.anything() })
  return { ...pageSchema(summary), querystring }
}

export const adminPageSchema = {
  ...pageSchema('The admin area', ['NOT_FOUND']),
  params: field.input({ '*': field.text() }),
}

export const homeSchema = {
  summary: 'Leads to the admin area',
  response: { 302: Type.Null(), 503: errorBodyOf('UNAVAILABLE') },
}

export const assetSchema = {
  summary: 'A built file of the pages',
  params: field.input({ name: field.text() }),
  response: answers(contentOf('text/css', 'text/javascript', 'image/svg+xml'), ['NOT_FOUND']),
}

export function scriptSchema(summary: string) {
  return { summary, response: answers(contentOf('text/javascript', 'text/plain')) }
}

export const logoSchema = {
  summary: 'The logo of whoever runs the service',
  response: answers(contentOf('image/svg+xml', 'image/png', 'image/webp')),
}

export const metricsSchema = {
  summary: 'Metrics for Prometheus',
  response: answers(contentOf('text/plain'), ['INVALID_TOKEN']),
}

const checkpointSchema = Type.Object({
  eventId: Type.String(),
  format: Type.String(),
  keyId: Type.String(),
  number: Type.Integer(),
  position: Type.String(),
  previous: nullable(Type.String()),
  root: Type.String(),
  storeMarker: Type.String(),
  time: timestamp(),
  walletCount: Type.Integer(),
  // Of the second format alone.
  adminLogCount: Type.Optional(Type.Integer()),
  adminLogHead: Type.Optional(Type.String()),
  lostAfter: Type.Optional(nullable(Type.String())),
  lostNumber: Type.Optional(nullable(Type.Integer())),
  ownerCount: Type.Optional(Type.Integer()),
  ownersRoot: Type.Optional(Type.String()),
})

const signedCheckpoint = {
  checkpoint: checkpointSchema,
  signature: Type.String(),
  hash: Type.String({ description: 'What the next checkpoint names as its previous' }),
}

const keys = Type.Array(
  Type.Object({
    key: Type.Object({
      format: Type.String(),
      from: timestamp(),
      keyId: Type.String(),
      previous: nullable(Type.String()),
      publicKey: Type.String(),
      signedBy: Type.String(),
    }),
    signature: Type.String(),
    until: nullable(timestamp()),
  }),
)

export const checkpointsSchema = {
  summary: 'The signed checkpoints over all wallets, newest first, with their keys',
  querystring: pageQuery,
  response: answers(
    Type.Object({
      checkpoints: Type.Array(Type.Object(signedCheckpoint)),
      keys,
      nextCursor: Type.Optional(Type.String()),
    }),
  ),
}

export const checkpointReadSchema = {
  summary: 'One signed checkpoint with all keys',
  params: field.input({ number: field.text() }),
  response: answers(Type.Object({ ...signedCheckpoint, keys }), ['NOT_FOUND']),
}
