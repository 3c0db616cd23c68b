/**
 * Webhooks at their receiver: is this one of the service's, and of now? By the Standard Webhooks
 * convention with Web Crypto and nothing else, in Node ≥ 20 and in edge runtimes.
 * Promises: compares in the same time whatever differs; takes every signature of a rotation.
 * Never: parses a body that is not signed, or says more than that it is not.
 */
import { webhookToleranceSeconds } from './limits.js'
import { timeOfDayMs } from './runtime.js'

export type WebhookType =
  | 'wallet.topped_up'
  | 'wallet.top_up_failed'
  | 'wallet.top_up_reversed'
  | 'wallet.entry'
  | 'wallet.low_balance'
  | 'wallet.deactivated'
  | 'wallet.reactivated'
  | 'hold.expired'
  | 'link.created'
  | 'link.removed'
  | 'webhook.test'

/** The same webhook may come more than once: `webhookId` is the same then. */
export interface WebhookEvent {
  readonly webhookId: string
  readonly type: WebhookType
  /** When it happened, ISO 8601. */
  readonly timestamp: string
  readonly data: WebhookData
}

export interface WebhookData {
  /** Missing in a test event. */
  readonly serviceUserId?: string
  readonly balance?: number
  readonly amount?: number
  readonly entryId?: string
  readonly entryType?: 'credit' | 'debit'
  readonly referenceType?: string
  readonly referenceId?: string
  readonly refundOf?: { readonly referenceType: string; readonly referenceId: string }
  readonly holdOf?: { readonly referenceType: string; readonly referenceId: string }
  readonly threshold?: number
  readonly paymentIntentId?: string
  readonly endpointId?: string
}

/** Not of the service, changed on the way, or too old: answer it with 400. */
export class WebhookRefusedError extends Error {
  override readonly name = 'WebhookRefusedError'
}

/** Of `Request`, of Node's own server, or a plain object. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface SignedWebhook {
  /** As it came: parsed and written again it is another text. */
  readonly body: string | Uint8Array
  readonly headers: WebhookHeaders
  /** `whsec_…`, or several while one is exchanged for another. */
  readonly secret: string | readonly string[]
  /** Milliseconds since 1970; the runtime's when left out. */
  readonly nowMs?: number
}

/** The event, or WebhookRefusedError is thrown. */
export async function verifyWebhook(webhook: SignedWebhook): Promise<WebhookEvent> {
  const { body, headers, secret } = webhook
  const webhookId = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  requireRecent(timestamp, webhook.nowMs ?? timeOfDayMs())
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = new TextEncoder().encode(`${webhookId}.${timestamp}.${text}`)
  const signatures = headerOf(headers, 'webhook-signature').split(' ').slice(0, signaturesMax)
  const secrets = typeof secret === 'string' ? [secret] : secret
  let isOurs = false
  // All of them, whichever fits: how long it takes tells nothing.
  for (const each of secrets)
    for (const signature of signatures)
      isOurs = (await fits(signed, { secret: each, signature })) || isOurs
  if (!isOurs) throw new WebhookRefusedError('No signature of the webhook fits.')
  const event = JSON.parse(text) as Omit<WebhookEvent, 'webhookId'>
  return { webhookId, ...event }
}

/** More than a rotation has; each costs a computation. */
const signaturesMax = 8

function requireRecent(timestamp: string, nowMs: number): void {
  const sentSeconds = /^[0-9]{1,12}$/.test(timestamp) ? Number(timestamp) : NaN
  if (!(Math.abs(nowMs / 1_000 - sentSeconds) <= webhookToleranceSeconds))
    throw new WebhookRefusedError('The webhook is not of this moment.')
}

async function fits(
  signed: Uint8Array<ArrayBuffer>,
  { secret, signature }: { readonly secret: string; readonly signature: string },
): Promise<boolean> {
  const [version, encoded = ''] = signature.split(',')
  const given = bytesOf(encoded)
  const key = bytesOf(secret.replace(/^whsec_/, ''))
  if (version !== 'v1' || given === undefined || key === undefined) return false
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify'])
  // Compares in constant time by itself.
  return crypto.subtle.verify('HMAC', imported, given, signed)
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const text = atob(base64)
    if (text.length === 0) return undefined
    return Uint8Array.from(text, (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isReadable(headers) ? headers.get(name) : valueIn(headers, name)
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookRefusedError(`The header ${name} is missing.`)
}

function isReadable(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return 'get' in headers && typeof headers.get === 'function'
}

function valueIn(headers: object, name: string): unknown {
  const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name)
  const value: unknown = found?.[1]
  return Array.isArray(value) ? (value[0] as unknown) : value
}
