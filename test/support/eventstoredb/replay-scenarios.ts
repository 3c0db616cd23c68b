/**
 * What the client did in each recorded scenario, in the recorded order, with the real client. Some
 * also prepare the next scenario at their end, as the recording shows.
 * Promises: each returns what the client saw, in the recording's shape, and returns only when the
 * server has seen everything that belongs to the scenario.
 */
import {
  ANY,
  BACKWARDS,
  END,
  jsonEvent,
  NO_STREAM,
  START,
  STREAM_EXISTS,
  streamNameFilter,
  type AppendExpectedRevision,
  type EventStoreDBClient,
  type Position,
  type ReadRevision,
} from '@eventstore/db-client'
import type { WireRecorder } from './recording.js'

export interface Replay {
  readonly client: EventStoreDBClient
  readonly recorder: WireRecorder
  /** The beginning of every stream's name. */
  readonly prefix: string
  /** Of the events in `<prefix>-sub`, by revision. */
  readonly positions: Position[]
}

export type Scenario = (replay: Replay) => Promise<unknown>

export const singleNodeScenarios: Readonly<Record<string, Scenario>> = {
  'first append: NO_STREAM on no stream': appendTo('a', [1], NO_STREAM),
  'NO_STREAM again, same id': appendTo('a', [1], NO_STREAM),
  'NO_STREAM again, other id': appendTo('a', [5], NO_STREAM),
  'exact 0 at head 0, three events': appendTo('a', [2, 3, 4], 0n),
  'the same three again at 0, head is 3': appendTo('a', [2, 3, 4], 0n),
  'a prefix of them again at 0': appendTo('a', [2, 3], 0n),
  'regrouped: the three and one more at 0': appendTo('a', [2, 3, 4, 6], 0n),
  'other id at 0, head is 3': appendTo('a', [7], 0n),
  'exact above head': appendTo('a', [8], 99n),
  'exact at head with an id that is already in the stream: written again': appendTo('a', [2], 3n),
  'ANY, known id': appendTo('a', [3], ANY),
  'ANY, new id': appendTo('a', [9], ANY),
  'ANY, known then new': appendTo('a', [3, 10], ANY),
  'STREAM_EXISTS on no stream': appendTo('none', [11], STREAM_EXISTS),
  'append of more than 1 MiB': (replay) =>
    seen(
      replay.client.appendToStream(
        `${replay.prefix}-big`,
        [{ ...numbered(12), data: { big: 'x'.repeat(1_100_000) } }],
        { expectedRevision: NO_STREAM },
      ),
    ),
  'append by the single Append call (credentials given): success': appendSingly(13),
  'append by the single Append call: wrong version': appendSingly(14),
  'read forwards from 1, two': readFrom('a', { fromRevision: 1n, maxCount: 2, isOnLeader: true }),
  'read backwards from the end, one': readFrom('a', {
    fromRevision: END,
    maxCount: 1,
    isOnLeader: true,
    isBackwards: true,
  }),
  'read forwards beyond the end': readFrom('a', { fromRevision: 99n, maxCount: 2 }),
  'read of no stream': async (replay) => {
    const result = await readFrom('none', { fromRevision: START })(replay)
    await appendTo('deleted', [15], NO_STREAM)(replay)
    await replay.client.deleteStream(`${replay.prefix}-deleted`)
    return result
  },
  'read of a soft-deleted stream': readFrom('deleted', { fromRevision: START }),
  'NO_STREAM on a soft-deleted stream, other id': async (replay) => {
    const result = await appendTo('deleted', [16], NO_STREAM)(replay)
    await appendTo('tomb', [17], NO_STREAM)(replay)
    await replay.client.tombstoneStream(`${replay.prefix}-tomb`)
    return result
  },
  'append to a tombstoned stream': appendTo('tomb', [18], ANY),
  'read of a tombstoned stream': readFrom('tomb', { fromRevision: START }),
  'read $all backwards, one': async (replay) => {
    const types: string[] = []
    const events = replay.client.readAll({
      direction: BACKWARDS,
      fromPosition: END,
      maxCount: 1,
    })
    for await (const { event } of events) types.push(event?.type ?? '')
    await cancelled(replay)
    for (let revision = -1; revision < 4; revision += 1) await appendToSubscribed(replay, revision)
    return types
  },
  'subscribe to $all, filtered, from the start; then one live append': (replay) =>
    subscribe(replay, { fromPosition: START, liveAfter: 4 }),
  'subscribe to $all, filtered, from the position of revision 1: exclusive': (replay) =>
    subscribe(replay, { fromPosition: positionOf(replay, 1) }),
  'subscribe to $all beyond the end of the log, then one live append': (replay) => {
    const beyond = positionOf(replay, 4).commit + 10_000_000n
    return subscribe(replay, { fromPosition: { commit: beyond, prepare: beyond }, liveAfter: 5 })
  },
  'subscribe to $all from END, then one live append': (replay) =>
    subscribe(replay, { fromPosition: END, liveAfter: 6 }),
}

/** The client of these is connected to a follower. */
export const followerScenarios: Readonly<Record<string, Scenario>> = {
  'append on a follower with requiresLeader': appendTo('f', [1], NO_STREAM),
  'append on a follower without requiresLeader is forwarded': ({ client, prefix }) =>
    seen(client.appendToStream(`${prefix}-g`, [numbered(2)], { expectedRevision: NO_STREAM })),
}

function appendTo(
  stream: string,
  numbers: readonly number[],
  expectedRevision: AppendExpectedRevision,
): Scenario {
  return ({ client, prefix }) =>
    seen(
      client.appendToStream(`${prefix}-${stream}`, numbers.map(numbered), {
        expectedRevision,
        requiresLeader: true,
      }),
    )
}

// Credentials of its own make the client use the single call; without TLS it does not send them.
function appendSingly(number: number): Scenario {
  return ({ client, prefix }) =>
    seen(
      client.appendToStream(`${prefix}-single`, numbered(number), {
        expectedRevision: NO_STREAM,
        requiresLeader: true,
        credentials: { username: 'unused', password: 'unused' },
      }),
    )
}

function readFrom(
  stream: string,
  options: {
    fromRevision: ReadRevision
    maxCount?: number
    isOnLeader?: boolean
    isBackwards?: boolean
  },
): Scenario {
  const { fromRevision, maxCount, isOnLeader = false, isBackwards = false } = options
  return async (replay) => {
    const events = replay.client.readStream(`${replay.prefix}-${stream}`, {
      fromRevision,
      ...(maxCount === undefined ? {} : { maxCount }),
      ...(isBackwards ? { direction: BACKWARDS } : {}),
      ...(isOnLeader ? { requiresLeader: true } : {}),
    })
    const read = async () => {
      const found: unknown[] = []
      for await (const { event } of events)
        found.push({ revision: event?.revision.toString(), id: event?.id, type: event?.type })
      return found
    }
    const result = await seen(read())
    await cancelled(replay)
    return result
  }
}

async function subscribe(
  replay: Replay,
  options: { fromPosition: Position | typeof START | typeof END; liveAfter?: number },
): Promise<string[]> {
  const { fromPosition, liveAfter } = options
  const happened: string[] = []
  const filter = streamNameFilter({ prefixes: [`${replay.prefix}-sub`], checkpointInterval: 1 })
  const subscription = replay.client.subscribeToAll({ fromPosition, filter })
  await new Promise<void>((resolve, reject) => {
    const note = (sentence: string) => happened.push(sentence)
    subscription.on('error', reject)
    subscription.on('confirmation', () => note('confirmation'))
    subscription.on('caughtUp', () => {
      note('caughtUp')
      if (liveAfter === undefined) resolve()
      else appendToSubscribed(replay, liveAfter).catch(reject)
    })
    subscription.on('data', ({ event }) => {
      note(`event ${event?.revision.toString() ?? ''}`)
      if (liveAfter !== undefined && event?.revision === BigInt(liveAfter + 1)) resolve()
    })
  })
  await subscription.unsubscribe()
  await cancelled(replay)
  return happened
}

async function appendToSubscribed(replay: Replay, expected: number): Promise<void> {
  const result = await replay.client.appendToStream(
    `${replay.prefix}-sub`,
    numbered(20 + expected),
    { expectedRevision: expected < 0 ? NO_STREAM : BigInt(expected) },
  )
  if (result.position !== undefined) replay.positions.push(result.position)
}

function positionOf(replay: Replay, revision: number): Position {
  const position = replay.positions[revision]
  if (position === undefined) throw new Error('the scenarios run in the recorded order')
  return position
}

async function cancelled({ recorder }: Replay): Promise<void> {
  await recorder.until((entries) => entries.some((entry) => entry.kind === 'cancel'))
}

function numbered(number: number) {
  return jsonEvent({
    id: `00000000-0000-4000-8000-${number.toString().padStart(12, '0')}`,
    type: 'WalletCredited',
    data: { amount: '1.00' },
    metadata: { n: number },
  })
}

async function seen(outcome: Promise<unknown>): Promise<unknown> {
  try {
    return textual(await outcome)
  } catch (error) {
    return errorSeen(error)
  }
}

function errorSeen(error: unknown): unknown {
  if (!(error instanceof Error)) throw error
  const fields = ['type', 'code', 'message', 'actualVersion', 'expectedVersion'] as const
  const details = error as Partial<Record<(typeof fields)[number], unknown>>
  const shown = fields
    .map((field) => [field, textual(details[field])] as const)
    .filter(([, value]) => value !== undefined)
  return { error: error.constructor.name, ...Object.fromEntries(shown) }
}

// The recording shows 64-bit numbers as text.
function textual(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(textual)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, textual(field)]))
  return value
}
