/** Waiting with a limit: who is first, and that nothing stays behind. */
import { getEventListeners } from 'node:events'
import t from 'tap'
import { endedWithin, within } from '../../src/platform/deadline.js'
import { FakeClock } from '../support/fake-clock.js'

const tooLate = { message: 'too late' }

function makeWork<T = string>() {
  let finish: (value: T) => void = () => undefined
  let fail: (error: Error) => void = () => undefined
  const work = new Promise<T>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  const clock = new FakeClock()
  const stopping = new AbortController()
  const onLate = (): never => {
    throw new Error('too late')
  }
  const deadline = { clock, limitMs: 1_000, onLate, signal: stopping.signal }
  /** Timers and listeners that are still there. */
  const left = () => clock.waiting + getEventListeners(stopping.signal, 'abort').length
  return { work, finish, fail, clock, stopping, deadline, left }
}

t.test('work that ends in time gives what it gives', async (t) => {
  const { work, finish, clock, deadline, left } = makeWork()
  const waiting = within(work, deadline)
  await clock.advance(999)
  finish('done')
  t.equal(await waiting, 'done')
  t.equal(left(), 0)
})

t.test('work that fails in time throws its own error', async (t) => {
  const { work, fail, deadline, left } = makeWork()
  const waiting = within(work, deadline)
  fail(new Error('its own'))
  await t.rejects(waiting, { message: 'its own' })
  t.equal(left(), 0)
})

t.test('when the time is over, what is said for it is thrown or answered', async (t) => {
  const { work, clock, deadline, left } = makeWork()
  const refused = within(work, deadline)
  const answered = within(work, { ...deadline, onLate: () => 'nothing yet' })
  const told = Promise.all([t.rejects(refused, tooLate), answered])
  await clock.advance(999)
  t.equal(clock.waiting, 2, 'not before its time')
  await clock.advance(1)
  t.equal((await told)[1], 'nothing yet')
  t.equal(left(), 0)
})

t.test('work that fails after its time harms nobody', async (t) => {
  const { work, fail, clock, deadline } = makeWork()
  const refused = t.rejects(within(work, deadline), tooLate)
  await clock.advance(1_000)
  await refused
  // Without a listener this would end the process.
  fail(new Error('nobody listens any more'))
  await clock.advance(1)
})

t.test('an abort ends the waiting with its reason, also one that came before', async (t) => {
  const { work, stopping, deadline, left } = makeWork()
  const lost = new Error('the connection was lost')
  const waiting = within(work, deadline)
  stopping.abort(lost)
  await t.rejects(waiting, lost)
  await t.rejects(within(work, deadline), lost)
  t.equal(left(), 0)
})

t.test('a clean-up is waited for until its end, and not beyond its limit', async (t) => {
  const { work, finish, clock, deadline } = makeWork()
  let isOver = false
  const first = endedWithin(work, deadline).then(() => (isOver = true))
  await clock.advance(999)
  t.notOk(isOver)
  await clock.advance(1)
  await first
  finish('after all')
  await endedWithin(work, deadline)
  t.equal(clock.waiting, 0)
})

t.test('a clean-up that fails has ended too', async (t) => {
  const { work, fail, clock, deadline } = makeWork()
  const waiting = endedWithin(work, deadline)
  fail(new Error('it was gone already'))
  await waiting
  t.equal(clock.waiting, 0)
})
