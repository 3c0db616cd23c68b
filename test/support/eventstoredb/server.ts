/**
 * The EventStoreDB that a test runs on: the server named by EVENTSTORE_URL, else a KurrentDB
 * container where a Docker engine answers, else the in-process stand-in. Promises: says once a
 * process which of the three it is, and why; stops what it started when the test is over. Never:
 * touches a server that it did not start, except through the URL it hands out.
 */
import type { Test } from 'tap'
import { EventStoreStandIn } from './stand-in.js'

export interface EventStoreForTests {
  readonly url: string
  /** Where the server is ours. */
  readonly loseConnections?: () => Promise<void>
  /** The first of so many appends is finished when the last has arrived; the same. */
  readonly atOnce?: (appends: number, send: () => Promise<void>) => Promise<void>
  readonly kind: 'server named by EVENTSTORE_URL' | 'container' | 'stand-in'
}

export async function eventStoreForTests(t: Test): Promise<EventStoreForTests> {
  const url = process.env['EVENTSTORE_URL'] ?? ''
  if (url !== '') {
    sayOnce(t, 'EventStoreDB: the server named by EVENTSTORE_URL')
    return { url, kind: 'server named by EVENTSTORE_URL' }
  }
  const container = await containerUrl(t)
  if (typeof container === 'string') {
    sayOnce(t, `EventStoreDB: a container of ${image}`)
    return { url: container, kind: 'container' }
  }
  sayOnce(
    t,
    `EventStoreDB: the in-process stand-in (${container.reason}; EVENTSTORE_URL is not set)`,
  )
  const standIn = await EventStoreStandIn.start()
  t.teardown(() => standIn.stop())
  const loseConnections = async (): Promise<void> => standIn.cutConnections(undefined)
  const atOnce = async (appends: number, send: () => Promise<void>): Promise<void> => {
    const arrived = standIn.untilAppendsReceived(standIn.appendsReceived + appends)
    standIn.faults.holdReplication()
    const sent = send()
    await Promise.race([arrived, sent])
    standIn.faults.replicate()
    await sent
  }
  return { url: standIn.connectionString, kind: 'stand-in', loseConnections, atOnce }
}

const image = 'kurrentplatform/kurrentdb:26.0'
const port = 2113
/** Room for a first pull of the image on a slow line. */
const startupTimeoutMs = 110_000

let hasSaid = false

function sayOnce(t: Test, sentence: string): void {
  if (!hasSaid) t.comment(sentence)
  hasSaid = true
}

async function containerUrl(t: Test): Promise<string | { reason: string }> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers')
  try {
    await getContainerRuntimeClient()
  } catch {
    return { reason: 'no Docker engine answers' }
  }
  try {
    const container = await new GenericContainer(image)
      .withEnvironment({
        KURRENTDB_CLUSTER_SIZE: '1',
        KURRENTDB_INSECURE: 'true',
        KURRENTDB_NODE_PORT: port.toString(),
        KURRENTDB_RUN_PROJECTIONS: 'None',
        KURRENTDB_SECONDARY_INDEXING__ENABLED: 'false',
        KURRENTDB_TELEMETRY_OPTOUT: 'true',
        KURRENTDB_STREAM_INFO_CACHE_CAPACITY: '100000',
        DOTNET_gcServer: '0',
      })
      .withExposedPorts(port)
      .withWaitStrategy(Wait.forHttp('/health/live', port).forStatusCode(204))
      .withStartupTimeout(startupTimeoutMs)
      .start()
    t.teardown(async () => {
      await container.stop()
    })
    return `esdb://${container.getHost()}:${container.getMappedPort(port)}?tls=false`
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown reason'
    return { reason: `a container of ${image} did not start: ${reason ?? ''}` }
  }
}
