/**
 * The event store of a configuration. The client of EventStoreDB is loaded only where it is used:
 * every command that reads the log would wait for it.
 */
import type { Config } from '../config.js'
import type { EventStore } from '../event-store/event-store.js'
import { PostgresEventStore } from '../event-store/postgres.js'
import { systemClock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import { systemRandom } from '../platform/random.js'

export async function openStore(
  config: Config,
  databaseUrl: string,
  log: Log,
): Promise<EventStore> {
  if (config.eventStore.kind === 'database')
    return new PostgresEventStore({ url: databaseUrl, clock: systemClock })
  const { EventStoreDbStore } = await import('../event-store/eventstoredb.js')
  return new EventStoreDbStore({
    url: config.eventStore.url,
    clock: systemClock,
    random: systemRandom,
    onNotice: (notice) => log.warn(notice),
  })
}
