/**
 * Signatures by the Standard Webhooks convention: HMAC-SHA256 over id, time and body, one for each
 * live secret, so that a receiver may change to the new one whenever it likes. Pure.
 */
import { createHmac } from 'node:crypto'
import type { Random } from '../platform/random.js'

const secretPrefix = 'whsec_'
const secretBytes = 32

export function newSigningSecret(random: Random): string {
  return `${secretPrefix}${random.bytes(secretBytes).toString('base64')}`
}

export interface SignedMessage {
  readonly webhookId: string
  readonly body: string
  readonly atMs: number
  readonly secrets: readonly string[]
}

export interface SignatureHeaders {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

export function signatureHeaders(message: SignedMessage): SignatureHeaders {
  const { webhookId, body, secrets } = message
  const timestamp = String(Math.floor(message.atMs / 1_000))
  const signed = `${webhookId}.${timestamp}.${body}`
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signatureOf(signed, secret)}`).join(' '),
  }
}

function signatureOf(signed: string, secret: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  return createHmac('sha256', key).update(signed).digest('base64')
}
