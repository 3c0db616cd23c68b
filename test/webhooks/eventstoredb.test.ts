// Webhooks where the log is EventStoreDB and everything else PostgreSQL: positions are not gapless
// there, subscriptions drop, and a restored copy of one is not the other.
import { status } from '@grpc/grpc-js'
import t from 'tap'
import { readCheckpoint } from '../../src/webhooks/checkpoint.js'
import { storeUnderFault } from '../support/eventstoredb/store-under-fault.js'
import { WebhookBench } from '../support/webhook-bench.js'

t.test('events of EventStoreDB are told once each, in order, over lost connections', async (t) => {
  const { standIn, store, open } = await storeUnderFault(t)
  const bench = await WebhookBench.open(t, { store })
  const { pool } = bench.ledger
  const shop = await bench.makeApp()
  const early = await bench.makePerson(shop)
  await bench.book(early, 'Credit', 100, shop)
  const { endpoint } = await bench.makeEndpoint(shop, ['wallet.entry'])
  const begun = await readCheckpoint(pool)
  t.match(begun, { marker: await store.readMarker(), eventId: (await store.lastEvent())?.id })
  const feeder = bench.newFeeder()
  feeder.start()
  const references: string[] = []
  const book = async (): Promise<void> => {
    references.push(await bench.book(early, 'Credit', 100, shop))
  }
  const told = async (): Promise<string[]> => {
    const list = await bench.deliveries.list(endpoint.endpointId, { limit: 50 })
    return list.reverse().map(({ payload }) => (JSON.parse(payload) as Told).data.referenceId)
  }
  const allTold = async (): Promise<void> => {
    while ((await told()).length < references.length) await pause()
  }
  await book()
  await allTold()
  standIn.faults.killConnections()
  for (let count = 0; count < 3; count += 1) await book()
  await allTold()
  standIn.faults.dropSubscriptions(status.UNAVAILABLE)
  for (let count = 0; count < 3; count += 1) await book()
  await allTold()
  await feeder.stop()
  const last = await store.lastEvent()
  const { position, eventId, marker } = await readCheckpoint(pool)
  t.same({ position, eventId, marker }, { ...begun, position: last?.position, eventId: last?.id })

  // Another process goes on where that one ended, on a connection of its own.
  await book()
  const other = bench.newFeeder(open())
  other.start()
  await allTold()
  await other.stop()
  t.same(await told(), references, 'each once, in the order of the log')
  await bench.clock.advance(60_000)
  await bench.deliver()
  const sent = bench.sent.map(({ payload }) => payload.data['referenceId'])
  t.same(sent, references)

  standIn.faults.restoreTo(standIn.eventCount - 1)
  const late = bench.newFeeder(open())
  late.start()
  while (late.contradiction === undefined) await pause()
  t.match(late.contradiction, /older copy/, 'what was told of is not there any more')
  await late.stop()
})

interface Told {
  readonly data: { readonly referenceId: string }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10))
}
