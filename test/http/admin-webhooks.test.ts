/** Webhooks in the admin API: endpoints, secrets, test events, deliveries, and their log. */
import t from 'tap'
import { AdminArea } from '../support/admin-area.js'
import { anApp } from '../support/identity.js'

const area = await AdminArea.open(t)
const browser = await area.enter()
const { clientId } = (await area.parts.clientApps.create(anApp)).clientApp
const ofApp = `/client-apps/${clientId}/webhooks`
const input = { url: 'https://shop.example/hooks/token', types: ['wallet.entry'] }

interface Endpoint {
  readonly endpointId: string
  readonly secrets: readonly { readonly secretId: string }[]
}

async function create(): Promise<Endpoint> {
  const { body } = await browser.post(ofApp, input)
  return body['endpoint'] as Endpoint
}

t.test('an endpoint is made with a secret that is shown once', async (t) => {
  const answer = await browser.post(ofApp, input)
  t.match(answer, { status: 200, body: { endpoint: { ...input, clientId, deadSince: null } } })
  const secret = String(answer.body['secret'])
  t.match(secret, /^whsec_/)
  const { body } = await browser.get(ofApp)
  t.match(body, { endpoints: [input], lowBalanceThresholds: [10], types: ['wallet.topped_up'] })
  t.notMatch(JSON.stringify(body), secret)
  const log = (await browser.get('/log?limit=1')).body
  t.match(log, { entries: [{ action: 'webhook.create', details: { clientId }, outcome: 'done' }] })
  t.notMatch(JSON.stringify(log), /whsec_|hooks\/token/, 'no secret, and no path')
})

t.test('a field that is not as it must be is named, and is no act', async (t) => {
  const logged = (await browser.get('/log?limit=1')).body
  for (const [change, field] of [
    [{ url: undefined }, 'url'],
    [{ url: 'shop' }, 'url'],
    [{ types: undefined }, 'types'],
    [{ types: [] }, 'types'],
    [{ types: ['wallet.entry', 'all'] }, 'types[1]'],
    [{ types: [1] }, 'types[0]'],
  ] as const) {
    const answer = await browser.post(ofApp, { ...input, ...change })
    t.equal(answer.status, 400)
    t.ok(String(answer.body['error']).includes(`'${field}'`), field)
  }
  for (const thresholds of [[-1], ['1'], [0.001], 'x']) {
    const answer = await browser.send('PATCH', ofApp, { lowBalanceThresholds: thresholds })
    t.match(answer, { status: 400, body: { error: /lowBalanceThresholds/ } })
  }
  t.same((await browser.get('/log?limit=1')).body, logged)
})

t.test('it is changed, rotated, revoked, tested and removed, each an act', async (t) => {
  const { endpointId, secrets } = await create()
  const one = `/webhooks/${endpointId}`
  const types = ['link.created', 'link.removed']
  t.match(await browser.send('PATCH', one, { types }), { body: { endpoint: { types } } })
  t.match(await browser.post(`${one}/rotate`), { status: 200, body: { secret: /^whsec_/ } })
  t.match(await browser.post(`${one}/rotate`), { status: 400 })
  const [first] = secrets
  const revoked = await browser.post(`${one}/secrets/${first?.secretId}/revoke`)
  t.match(revoked, { status: 200, body: { endpoint: { secrets: { length: 1 } } } })
  t.match(await browser.post(`${one}/secrets/${first?.secretId}/revoke`), { status: 404 })
  const tested = await browser.post(`${one}/test`)
  t.match(tested.body, { delivery: { type: 'webhook.test', state: 'waiting', tries: 0 } })
  const { deliveryId } = tested.body['delivery'] as { deliveryId: number }
  await browser.post(`${one}/test`)
  const page = await browser.get(`${one}/deliveries?limit=1`)
  t.match(page.body, { deliveries: { length: 1 }, nextCursor: String(deliveryId + 1) })
  const next = await browser.get(`${one}/deliveries?state=waiting&cursor=${deliveryId + 1}`)
  t.match(next.body, { deliveries: [{ deliveryId }], nextCursor: undefined })
  const again = await browser.post(`${one}/deliveries/${deliveryId}/redeliver`)
  t.match(again, { status: 200, body: { delivery: { deliveryId, state: 'waiting' } } })
  const { endpointId: other } = await create()
  const foreign = `/webhooks/${other}/deliveries/${deliveryId}/redeliver`
  t.match(await browser.post(foreign), { status: 404 }, 'a delivery of another endpoint')
  const thresholds = { lowBalanceThresholds: [2.5, 100] }
  const changed = await browser.send('PATCH', ofApp, thresholds)
  t.match(changed, { status: 200, body: { lowBalanceThresholds: [100, 2.5] } })
  t.match(await browser.post(`${one}/remove`), { status: 200, body: {} })
  t.match(await browser.post(`${one}/remove`), { status: 404 })
  t.match(await browser.get(`${one}/deliveries`), { status: 404 })
  const { entries } = (await browser.get('/log?limit=20')).body as { entries: { action: string }[] }
  const actions = entries.map(({ action }) => action)
  for (const act of ['update', 'rotate', 'revoke', 'test', 'redeliver', 'thresholds', 'remove'])
    t.ok(actions.includes(`webhook.${act}`), act)
})

t.test('an auditor looks and changes nothing; what is not there is not found', async (t) => {
  const auditor = await area.enter('auditor')
  t.match(await auditor.get(ofApp), { status: 200 })
  t.match(await auditor.post(ofApp, input), { status: 403 })
  t.match(await browser.get('/client-apps/app_x/webhooks'), { status: 404 })
  t.match(await browser.post('/webhooks/x/test'), { status: 404 })
})
