// Webhooks of a whole service, made on the command line and received over HTTP.
import t, { type Test } from 'tap'
import type { Endpoint } from '../../src/webhooks/endpoints.js'
import type { Delivery } from '../../src/webhooks/deliveries.js'
import { runJson, refused } from '../cli/json-commands.js'
import { startWholeService } from '../support/whole-service.js'
import { Receiver, verified } from '../support/webhooks.js'

type Made = Endpoint & { readonly secret: string }

const receiver = await Receiver.open(t)
const service = await startWholeService(t, { WEBHOOKS_ALLOW_PRIVATE: 'true' })
const environment = { DATABASE_URL: service.databaseUrl }
const url = `${receiver.origin}/hooks`
let [clientId, clientSecret, endpointId, secret] = ['', '', '', '']

function run<T>(t: Test, ...args: string[]): Promise<T> {
  return runJson<T>(t, args, environment)
}

t.test('an endpoint is made on the command line, and its secret is printed', async (t) => {
  const create = ['client-apps', 'create', '--name', 'Shop']
  const app = await run<{ clientId: string; clientSecret: string }>(t, ...create)
  ;({ clientId, clientSecret } = app)
  const types = ['wallet.entry', 'link.created', 'wallet.low_balance']
  const options = types.flatMap((type) => ['--type', type])
  const of = ['--client-app', clientId, '--url', url]
  const made = await run<Made>(t, 'webhooks', 'create', ...of, ...options)
  t.match(made, { clientId, url, types, secret: /^whsec_/ })
  ;({ endpointId, secret } = made)
})

async function book(verb: string, serviceUserId: string, amount: number): Promise<number> {
  const reference = { referenceType: 'ORDER', referenceId: `${verb}-${amount}` }
  const answer = await fetch(`${service.origin}/api/server/wallet/${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret, serviceUserId, amount, ...reference }),
  })
  return answer.status
}

t.test('what happens arrives signed, in order, with the balance', async (t) => {
  const { serviceUserId } = await run<{ serviceUserId: string }>(
    t,
    ...['users', 'create', '--link', clientId],
  )
  t.equal(await book('credit', serviceUserId, 50), 200)
  t.equal(await book('debit', serviceUserId, 45), 200)
  await receiver.has(4)
  t.match(
    receiver.all.map(({ payload }) => payload),
    [
      { type: 'link.created', data: { serviceUserId } },
      { type: 'wallet.entry', data: { serviceUserId, balance: 50, entryType: 'credit' } },
      { type: 'wallet.entry', data: { serviceUserId, balance: 5, amount: 45 } },
      { type: 'wallet.low_balance', data: { serviceUserId, balance: 5, threshold: 10 } },
    ],
  )
  for (const received of receiver.all) t.same(verified(received, secret), received.payload)
  const [first] = receiver.all
  if (first !== undefined) t.throws(() => verified({ ...first, text: '{}' }, secret))
})

t.test('a test event, the list of deliveries, and one sent again', async (t) => {
  receiver.answer = () => ({ status: 200, body: 'taken' })
  const tested = await run<Delivery>(t, 'webhooks', 'test', endpointId)
  t.match(tested, { type: 'webhook.test', state: 'delivered', answerStatus: 200 })
  t.equal(tested.answerBody, 'taken')
  const list = await run<Delivery[]>(t, 'webhooks', 'deliveries', endpointId, '--limit', '3')
  t.match(list, [
    { type: 'webhook.test' },
    { type: 'wallet.low_balance' },
    { type: 'wallet.entry' },
  ])
  const [, low] = list
  const before = receiver.all.length
  await run(t, 'webhooks', 'redeliver', String(low?.deliveryId))
  await receiver.has(before + 1)
  t.equal(receiver.all.at(-1)?.id, low?.webhookId)
})

t.test('secrets, thresholds and the endpoint itself are changed on the command line', async (t) => {
  const rotated = await run<Made>(t, 'webhooks', 'rotate', endpointId)
  t.match(rotated.secret, /^whsec_/)
  await refused(t, ['webhooks', 'rotate', endpointId], environment, /are 2 already/)
  const [first] = rotated.secrets
  const left = await run<Endpoint>(t, 'webhooks', 'revoke', endpointId, String(first?.secretId))
  t.equal(left.secrets.length, 1)
  const below = await run(t, 'webhooks', 'thresholds', clientId, '--below', '20', '--below', '2.50')
  t.same(below, { clientId, lowBalanceThresholds: [20, 2.5] })
  t.match(await run(t, 'webhooks', 'list', '--client-app', clientId), [{ endpointId, url }])
  t.notMatch(await run<string>(t, 'webhooks', 'list'), /whsec_/)
  await run(t, 'webhooks', 'remove', endpointId)
  t.same(await run(t, 'webhooks', 'list'), [])
})

t.test('mistakes are said in a sentence', async (t) => {
  const create = ['webhooks', 'create', '--client-app', clientId]
  const one = ['--type', 'wallet.entry']
  await refused(t, [...create, '--url', 'shop', ...one], environment, /--url must be an address/)
  const wrong = [...create, '--url', url, '--type', 'wallet.all']
  await refused(t, wrong, environment, /--type must be one of wallet.topped_up/)
  const nobody = ['webhooks', 'create', '--client-app', 'x', '--url', url, ...one]
  await refused(t, nobody, environment, /There is no client app 'x'/)
  await refused(t, ['webhooks', 'test', 'x'], environment, /There is no endpoint 'x'/)
  await refused(t, ['webhooks', 'redeliver', 'x'], environment, /There is no delivery 'x'/)
})

t.test('health and metrics know of webhooks', async (t) => {
  const health = await fetch(`${service.origin}/health/ready`)
  t.match(await health.json(), { parts: { webhooks: { state: 'ok' } } })
  const metrics = await fetch(`${service.origin}/metrics`)
  t.match(await metrics.text(), /\nwallet_webhooks_waiting 0\n/)
})
