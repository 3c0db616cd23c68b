/**
 * One of several processes that write the same streams: appends to each of them at once, as lanes
 * do, and prints the ids of every batch that was written, one JSON line in all.
 * Arguments: the URL of the database, the batches a stream, the streams.
 */
import { PostgresEventStore } from '../../src/event-store/postgres.js'
import { systemClock } from '../../src/platform/clock.js'
import { writeRacing } from './contract-events.js'

const [url = '', count = '0', ...streams] = process.argv.slice(2)
const store = new PostgresEventStore({ url, clock: systemClock })
const work = streams.map(async (stream) => {
  const batches = await writeRacing(store, stream, Number(count))
  return batches.map((batch) => ({ stream, ids: batch.map((event) => event.id) }))
})
const written = await Promise.all(work)
await store.close()
process.stdout.write(JSON.stringify(written.flat()))
