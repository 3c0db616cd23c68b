// A hold that was placed over HTTP expires in a wallet where nothing else happens: the app that
// placed it is told, and no other.
import t from 'tap'
import { verifyCheckpoint } from '../../projections/checkpoint.js'
import { systemRandom } from '../../src/platform/random.js'
import { PostgresReadModels } from '../../src/reading/postgres-read-models.js'
import { HoldSweeper } from '../../src/writing/hold-sweeper.js'
import { WalletWriter } from '../../src/writing/wallet-writer.js'
import { FakeClock } from '../support/fake-clock.js'
import { quietLog } from '../support/ledger.js'
import { Receiver, testWebhooks, verified } from '../support/webhooks.js'
import { WidgetService } from '../support/widget-service.js'

t.test('hold.expired arrives signed at the app that placed the hold', async (t) => {
  const service = await WidgetService.open(t)
  const { pool, store, tables } = service.ledger
  const [shop, market] = [await service.makeApp(), await service.makeApp()]
  const { serviceUserId, walletId } = await service.makePerson([shop, market])
  const receiver = await Receiver.open(t)
  const webhooks = testWebhooks(service.ledger)
  const endpointOf = async ({ clientId }: typeof shop, path: string): Promise<string> => {
    const input = { url: `${receiver.origin}/${path}`, types: ['hold.expired', 'wallet.entry'] }
    return (await webhooks.endpoints.create(clientId, input, { allowPrivate: true })).secret
  }
  const secret = await endpointOf(shop, 'shop')
  await endpointOf(market, 'market')
  webhooks.start()
  t.teardown(() => webhooks.stop())
  const call = (verb: string, app: typeof shop, referenceId: string, fields: object) =>
    service.post(`/api/server/wallet/${verb}`, {
      ...{ ...app, serviceUserId, referenceType: 'ORDER', referenceId },
      ...fields,
    })
  t.match(await call('credit', shop, 'C-1', { amount: 10 }), { status: 200 })
  const placed = await call('hold', shop, 'H-1', { amount: 4, expiresInSeconds: 60 })
  t.match(placed, { status: 200, body: { balance: 10, available: 6, held: 4 } })
  await service.ledger.project()

  // A process whose clock says that the minute is over.
  const clock = new FakeClock(Date.now() + 61_000)
  const system = { clock, random: systemRandom, log: quietLog }
  const readModels = new PostgresReadModels(pool)
  const verifyRows = () => verifyCheckpoint(store, tables)
  const writer = new WalletWriter({ store, readModels, verifyRows, currency: 'usd', ...system })
  t.teardown(() => writer.close())
  const sweeper = new HoldSweeper({ due: readModels, writer, ...system })
  t.equal(await sweeper.sweep(), 1)

  const [credited, expired] = await receiver.has(2)
  t.match(credited, { path: '/shop', payload: { type: 'wallet.entry' } })
  if (expired === undefined) throw new Error('two have come')
  t.equal(expired.path, '/shop')
  const holdOf = { referenceType: 'ORDER', referenceId: 'H-1' }
  t.same(verified(expired, secret), {
    type: 'hold.expired',
    timestamp: (await store.readHead(`wallet-${walletId}`))?.data.match(/"time":"([^"]+)"/)?.[1],
    data: { serviceUserId, balance: 10, amount: 4, holdOf },
  })
  const late = await call('hold/capture', shop, 'K-1', { holdOf })
  t.match(late, { status: 409, body: { code: 'HOLD_CLOSED' } })
  const free = await call('debit', market, 'D-1', { amount: 10 })
  t.match(free, { status: 200, body: { balance: 0 } }, 'all of it is available again')
  const all = await receiver.has(3)
  t.match(all[2], { path: '/market', payload: { type: 'wallet.entry' } }, 'the first it hears of')
})
