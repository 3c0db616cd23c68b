/**
 * The stand-in answers as the real server did: each of the 32 recorded conversations is held again
 * with the real client, and what the client sees and every message on the wire must be the same.
 */
import { EventStoreDBClient } from '@eventstore/db-client'
import t, { type Test } from 'tap'
import {
  followerScenarios,
  singleNodeScenarios,
  type Replay,
  type Scenario,
} from '../support/eventstoredb/replay-scenarios.js'
import {
  Normaliser,
  recordedScenarios,
  type RecordedScenario,
} from '../support/eventstoredb/replay.js'
import { EventStoreStandIn } from '../support/eventstoredb/stand-in.js'

const recorded = recordedScenarios()

t.test('every recorded conversation has its replay', async (t) => {
  const replayed = [...Object.keys(singleNodeScenarios), ...Object.keys(followerScenarios)]
  t.equal(recorded.length, 32)
  t.same(
    replayed,
    recorded.map(({ scenario }) => scenario),
  )
})

t.test('one node answers as recorded', async (t) => {
  const standIn = await EventStoreStandIn.start()
  t.teardown(() => standIn.stop())
  const client = connect(t, `${standIn.connectionString}&connectionName=recorder`)
  const replay = {
    client,
    recorder: standIn.recordWire(),
    prefix: 'wallet-05392fb2',
    positions: [],
  }
  const compare = comparer(replay)
  for (const recording of recorded) {
    const scenario = singleNodeScenarios[recording.scenario]
    if (scenario !== undefined)
      await t.test(recording.scenario, (t) => compare(t, recording, scenario))
  }
})

t.test('a follower answers as recorded', async (t) => {
  const standIn = await EventStoreStandIn.start({ nodes: 3 })
  t.teardown(() => standIn.stop())
  const recorder = standIn.recordWire()
  for (const recording of recorded) {
    const scenario = followerScenarios[recording.scenario]
    if (scenario === undefined) continue
    await t.test(recording.scenario, async (t) => {
      const isNamed = recording.scenario === 'append on a follower with requiresLeader'
      const name = isNamed ? '&connectionName=recorder' : ''
      const client = connect(t, `${standIn.connectionStringOf(1)}${name}`)
      const replay = { client, recorder, prefix: 'wallet-29096054', positions: [] }
      await comparer(replay)(t, recording, scenario)
    })
  }
})

/** Positions and ids keep their meaning from one scenario to the next, as in the recording. */
function comparer(replay: Replay) {
  const expected = new Normaliser()
  const actual = new Normaliser()
  return async (t: Test, recording: RecordedScenario, scenario: Scenario) => {
    const clientSees = await scenario(replay)
    const wire = replay.recorder.take()
    t.strictSame(
      actual.normalise(clientSees),
      expected.normalise(recording.clientSees),
      'what the client sees',
    )
    t.strictSame(
      wire.map((entry) => actual.normalise(entry)),
      recording.wire.map((entry) => expected.normalise(entry)),
      'what is on the wire',
    )
  }
}

function connect(t: Test, connectionString: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(connectionString)
  t.teardown(() => client.dispose())
  return client
}
