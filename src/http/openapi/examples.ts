/**
 * An example of anything that a schema describes: its own example where it has one, else the one
 * that its name has below, for a name means the same everywhere. A text that has neither is shown
 * as its name in brackets, and test/http/openapi.test.ts asks for an example.
 */

export type Json = Readonly<Record<string, unknown>>

const time = '2025-03-01T09:30:00.000Z'
const walletId = '3f0c8a52-6a0e-4c55-9d0b-7a1f2f6f2c11'
const entryId = '7b1e4d3c-2a90-5f8e-8d7c-6b5a4f3e2d1c'
const hash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** By the name of the field; of a list's items by the name of the list. */
const named: Readonly<Record<string, unknown>> = {
  // Who: client apps, people, admins, sessions.
  clientId: 'app_7c2f1f0e-53a4-4a0c-8a52-0a9c1b6f3d21',
  clientSecret: 'sk_of-the-backend-alone',
  secretId: '5d7a3c0e-1f7b-4f0a-b6de-0d7f5a9f1c44',
  serviceUserId: 'usr_0b9f1d7c-3a54-4b8e-9c0d-5e6f7a8b9c0d',
  linkProof: 'lp_made-at-a-login-and-good-once',
  session: 'ws_4b0e5d1c-7a26-4a1b-8f3e-2c9d8e7f6a5b',
  sessionToken: 'ws_4b0e5d1c-7a26-4a1b-8f3e-2c9d8e7f6a5b',
  cardId: '0d0f8f4c-2f6a-4c83-9a51-3b7f1f6f2c11',
  loginId: '2d6f0a1b-9c3e-4b7a-8f5d-1e0c9b8a7d6f',
  app: 'app_7c2f1f0e-53a4-4a0c-8a52-0a9c1b6f3d21',
  newPassword: 'another horse entirely',
  adminId: 'adm_8e1b7f52-0c39-4d2a-a1f4-6b5c4d3e2f10',
  email: 'ada@example.com',
  adminEmail: 'grace@example.com',
  password: 'correct horse battery',
  firstName: 'Ada',
  lastName: 'Byron',
  csrfToken: 'of-this-session',
  token: 'rst_from-the-link',
  resetUrl: 'https://wallet.example/widget/reset#rst_from-the-link',
  account: 'ada@example.com',
  address: '203.0.113.7',
  name: 'Example shop',
  appName: 'Example shop',
  brandName: 'Paper & Ink',
  accentColor: '#0a7d55',
  origin: 'https://shop.example',
  parentOrigin: 'https://shop.example',
  allowedOrigins: 'https://shop.example',
  allowedIframeParents: 'https://shop.example',
  publicOrigin: 'https://wallet.example',
  originProblem: 'The origin must not end with a slash.',
  originInstead: 'https://shop.example',
  // Wallets, entries and events.
  walletId,
  q: walletId,
  id: entryId,
  entryId,
  otherAppEntries: entryId,
  eventId: '0e3a6a2c-54f4-5d1e-9b0e-6f7c8d9e0a1b',
  event: 'WalletDebited',
  type: 'WalletDebited',
  issuer: 'client-app:app_7c2f1f0e-53a4-4a0c-8a52-0a9c1b6f3d21',
  referenceType: 'ORDER_PAYMENT',
  referenceId: 'ORDER-1042',
  description: 'Order 1042',
  code: 'usd',
  decimals: 2,
  rule: 'A debit takes its amount from the balance.',
  reason: 'Reported as stolen',
  statusReason: 'Reported as stolen',
  inactiveReason: 'Reported as stolen',
  bonusId: '1c9d2e5a-8b7f-4c3d-a2e1-f0a9b8c7d6e5',
  cursor: '120',
  nextCursor: '120',
  message: 'Done.',
  // Operations and audit.
  action: 'client-app.create',
  subject: walletId,
  kind: 'balance',
  place: `wallet-${walletId}@3`,
  problem: 'the balance differs',
  detail: 'it cannot be written',
  position: '1042',
  number: 7,
  format: 'wallet-checkpoint-2',
  keyId: 'b5bb9d8014a0f9b1',
  publicKey: 'MCowBQYDK2VwAyEA…',
  signedBy: 'b5bb9d8014a0f9b1',
  signature: 'base64 of 64 bytes',
  hash,
  previous: hash,
  root: hash,
  ownersRoot: hash,
  adminLogHead: hash,
  lostAfter: hash,
  storeMarker: '6f1f0c1e-9d8b-4a7c-8e5f-3d2c1b0a9f8e',
  day: '2025-03-01',
  projectionLagMs: 12,
  lagMs: 12,
  // Webhooks.
  endpointId: '2b7c9d10-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
  url: 'https://shop.example/webhooks',
  types: 'wallet.entry',
  secret: 'whsec_of-the-backend-alone',
  webhookId: 'de72939e-832a-5dc0-a4b3-7bbc6d889056',
  deliveryId: 1042,
  payload: '{"type":"wallet.entry","timestamp":"2025-03-01T09:30:00.000Z","data":{}}',
  answerBody: 'ok',
  fault: 'answered 500',
  // Top-ups.
  paymentIntentId: 'pi_3OaBcDeFgHiJkLmN',
  paymentSecret: 'pi_3OaBcDeFgHiJkLmN_secret_x',
  publishableKey: 'pk_test_x',
  failure: 'The card was declined.',
  cardNumber: '4242 4242 4242 4242',
  expiry: '12 / 34',
  cvc: '123',
  label: 'Succeeds',
}

/** Of a request with what may be left out, of an answer without it. */
export function exampleOf(said: Json, name: string, isRequest = false): unknown {
  const { type } = said
  if (Array.isArray(said['examples'])) return said['examples'][0]
  if ('const' in said) return said['const']
  if (Array.isArray(said['enum'])) return said['enum'][0]
  if (Array.isArray(said['anyOf'])) return exampleOf(said['anyOf'][0] as Json, name, isRequest)
  if ('default' in said) return said['default']
  if (said['format'] === 'date-time') return time
  const own = named[name]
  if ([type].flat().includes(typeof own)) return own
  switch (type) {
    case 'object':
      return objectExample(said, isRequest)
    case 'array':
      return [exampleOf((said['items'] ?? {}) as Json, name, isRequest)]
    case 'boolean':
      return true
    case 'integer':
      return typeof own === 'number' ? own : 1
    case 'number':
      return 12.5
    case undefined:
      return null
    default:
      // A test looks for these: what is missing here is no reason to show no document.
      if (typeof own === 'number') return String(own)
      return said['format'] === 'binary' ? '' : `<${name}>`
  }
}

function objectExample(said: Json, isRequest: boolean): Json {
  const required = (said['required'] ?? []) as readonly string[]
  const entries = Object.entries((said['properties'] ?? {}) as Record<string, Json>)
  const shown = entries.filter(([name]) => isRequest || required.includes(name))
  if (entries.length > 0)
    return Object.fromEntries(shown.map(([name, each]) => [name, exampleOf(each, name, isRequest)]))
  // A record: one entry of it.
  const [item] = Object.values((said['patternProperties'] ?? {}) as Record<string, Json>)
  return item === undefined ? {} : { name: exampleOf(item, 'value', isRequest) }
}

/** Without TypeBox's symbols, which are no part of a schema's JSON. */
export function jsonOf(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema ?? {})) as Json
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
