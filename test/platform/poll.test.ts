/** Asking for as long as somebody wants to know, on a clock that the tests move. */
import t from 'tap'
import { Poll } from '../../src/platform/poll.js'
import { FakeClock } from '../support/fake-clock.js'

const pauseMs = 500

function makePoll(round: () => Promise<void> = () => Promise.resolve()) {
  const clock = new FakeClock()
  const faults: unknown[] = []
  const seen = { rounds: 0, isWanted: true, clock, faults }
  const poll = new Poll({
    clock,
    pauseMs,
    isWanted: () => seen.isWanted,
    round: () => {
      seen.rounds += 1
      return round()
    },
    onFault: (err) => faults.push(err),
  })
  return { poll, seen, clock }
}

t.test('a round comes after each pause, however often it is begun', async (t) => {
  const { poll, seen, clock } = makePoll()
  poll.begin()
  poll.begin()
  await clock.advance(pauseMs - 1)
  t.equal(seen.rounds, 0)
  await clock.advance(1)
  t.equal(seen.rounds, 1)
  await clock.advance(3 * pauseMs)
  t.equal(seen.rounds, 4)
})

t.test('when nobody is left there is no timer, and whoever comes begins anew', async (t) => {
  const { poll, seen, clock } = makePoll()
  poll.begin()
  poll.rest()
  t.equal(clock.waiting, 0, 'at rest')
  poll.begin()
  seen.isWanted = false
  await clock.advance(pauseMs)
  t.equal(clock.waiting, 0, 'after the round in which the last one left')
  poll.begin()
  t.equal(clock.waiting, 0, 'nobody wants it')
  seen.isWanted = true
  poll.begin()
  await clock.advance(pauseMs)
  t.equal(seen.rounds, 2)
})

t.test(
  'a round under way is the only one, also when it is told to rest and to begin',
  async (t) => {
    let end = (): void => undefined
    const { poll, seen, clock } = makePoll(() => new Promise((resolve) => (end = resolve)))
    poll.begin()
    await clock.advance(pauseMs)
    poll.rest()
    poll.begin()
    await clock.advance(10 * pauseMs)
    t.equal(seen.rounds, 1)
    end()
    await clock.advance(pauseMs)
    t.equal(seen.rounds, 2)
    end()
  },
)

t.test('of a row of failed rounds the first is told, and the next one comes', async (t) => {
  const answers = ['away', 'away', undefined, 'away again']
  const { poll, seen, clock } = makePoll(async () => {
    const fault = answers.shift()
    if (fault !== undefined) throw new Error(fault)
  })
  poll.begin()
  await clock.advance(4 * pauseMs)
  t.equal(seen.rounds, 4)
  t.match(seen.faults, [{ message: 'away' }, { message: 'away again' }])
})
