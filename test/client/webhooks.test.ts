// verifyWebhook of the client: takes what the service and the package of the convention sign.
import t from 'tap'
import { Webhook } from 'standardwebhooks'
import type { WebhookType } from '../../src/client/webhooks.js'
import { verifyWebhook } from '../../src/client/wallet-client.js'
import { systemRandom } from '../../src/platform/random.js'
import { newSigningSecret, signatureHeaders } from '../../src/webhooks/signature.js'
import { testType, webhookTypes } from '../../src/webhooks/webhook-types.js'

// Both ways, so that a type that one of them lacks does not compile.
const known: readonly WebhookType[] = [...webhookTypes, testType]
const same: readonly ((typeof webhookTypes)[number] | typeof testType)[] = known

const [secret, other] = [newSigningSecret(systemRandom), newSigningSecret(systemRandom)]
const body = '{"type":"wallet.entry","timestamp":"2026-01-01T00:00:00.000Z","data":{"balance":5}}'
const nowMs = Date.now()

function signed(secrets: readonly string[], atMs = nowMs): Record<string, string> {
  return { ...signatureHeaders({ webhookId: 'id-1', body, atMs, secrets }) }
}

t.test('what was signed with the secret is taken, whatever holds the headers', async (t) => {
  t.equal(same.length, 11)
  const headers = signed([secret])
  const expected = { webhookId: 'id-1', type: 'wallet.entry', data: { balance: 5 } }
  t.match(await verifyWebhook({ body, headers, secret }), expected)
  t.match(await verifyWebhook({ body: Buffer.from(body), headers, secret }), expected)
  t.match(await verifyWebhook({ body, headers: new Headers(headers), secret }), expected)
  const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]])
  const many = Object.fromEntries(upper) as Record<string, string[]>
  t.match(await verifyWebhook({ body, headers: many, secret }), expected)
})

t.test('during a rotation either secret is enough, on either side', async (t) => {
  t.ok(await verifyWebhook({ body, headers: signed([other, secret]), secret }))
  t.ok(await verifyWebhook({ body, headers: signed([secret]), secret: [other, secret] }))
})

t.test('what the package signs is taken too', async (t) => {
  const at = new Date(Math.floor(nowMs / 1_000) * 1_000)
  const headers = {
    'webhook-id': 'id-2',
    'webhook-timestamp': String(at.getTime() / 1_000),
    'webhook-signature': new Webhook(secret).sign('id-2', at, body),
  }
  t.match(await verifyWebhook({ body, headers, secret }), { webhookId: 'id-2' })
})

t.test('anything else is refused, and nothing of it is parsed', async (t) => {
  const headers = signed([secret])
  const refusal = { name: 'WebhookRefusedError' }
  const cases: [string, object][] = [
    ['another secret', { secret: other }],
    ['another body', { body: `${body} ` }],
    ['a body that is no JSON', { body: 'x' }],
    ['another id', { headers: { ...headers, 'webhook-id': 'id-9' } }],
    ['no signature', { headers: { ...headers, 'webhook-signature': undefined } }],
    ['a broken signature', { headers: { ...headers, 'webhook-signature': 'v1,*** v2,aaaa v1' } }],
    ['an empty secret', { secret: 'whsec_' }],
    ['no secret', { secret: [] }],
    ['too old', { headers: signed([secret], nowMs - 301_000), nowMs }],
    ['too early', { headers: signed([secret], nowMs + 302_000), nowMs }],
    ['no time', { headers: { ...headers, 'webhook-timestamp': 'now' } }],
  ]
  for (const [name, change] of cases)
    await t.rejects(verifyWebhook({ body, headers, secret, ...change }), refusal, name)
})
