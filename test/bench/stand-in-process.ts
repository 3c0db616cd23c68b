/**
 * The stand-in of EventStoreDB in a process of its own, so that its work is not the service's: says
 * where it is, and tells its parent what it has seen. Ends with its parent.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { EventStoreStandIn } from '../support/eventstoredb/stand-in.js'

/** What has arrived so far; `behind` are the events after the place that was asked for. */
export interface Seen {
  readonly events: number
  readonly appends: number
  readonly streamReads: number
  readonly behind: number
}

export interface StandInProcess {
  readonly url: string
  seen(position?: bigint): Promise<Seen>
  stop(): Promise<void>
}

export async function startStandIn(): Promise<StandInProcess> {
  const execArgv = ['--import', import.meta.resolve('tsx')]
  const child = fork(fileURLToPath(import.meta.url), ['--serve'], { execArgv })
  const exited = once(child, 'exit')
  const [url] = (await once(child, 'message')) as [string]
  return {
    url,
    seen: async (position = 0n) => {
      const answer = once(child, 'message')
      child.send(String(position))
      return (await answer)[0] as Seen
    },
    stop: async () => {
      child.disconnect()
      await exited
    },
  }
}

/** One question at a time, so the next message is its answer. */
async function serve(): Promise<void> {
  const standIn = await EventStoreStandIn.start()
  process.on('disconnect', () => void standIn.stop().then(() => process.exit(0)))
  process.on('message', (position: string) => {
    const { eventCount: events, appendsReceived: appends, streamReads } = standIn
    const behind = standIn.eventsAfter(BigInt(position))
    process.send?.({ events, appends, streamReads, behind } satisfies Seen)
  })
  process.send?.(standIn.connectionString)
}

if (process.argv.includes('--serve')) await serve()
