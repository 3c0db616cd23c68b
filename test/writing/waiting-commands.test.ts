/** Deadlines of all waiting commands by one timer: nobody waits for ever, and nothing is left. */
import t from 'tap'
import { commandDeadlineMs, deadlineLookMs } from '../../src/limits.js'
import { WaitingCommand } from '../../src/writing/waiting-command.js'
import { WaitingCommands } from '../../src/writing/waiting-commands.js'
import { FakeClock } from '../support/fake-clock.js'

function room() {
  const clock = new FakeClock()
  const all = new WaitingCommands(clock)
  const ends: string[] = []
  const add = (name: string, afterMs = commandDeadlineMs): WaitingCommand => {
    const waiting = new WaitingCommand(
      { type: 'Deactivate', issuer: 'service', reason: name },
      clock.now() + afterMs,
      {
        onEnd: () => all.end(),
        resolve: () => ends.push(`${name} answered`),
        reject: ({ reason }) => ends.push(`${name} ${reason}`),
      },
    )
    all.add(waiting)
    return waiting
  }
  return { clock, all, ends, add }
}

t.test('each command fails at its own deadline, in whatever order they came', async (t) => {
  const { clock, ends, add } = room()
  add('last', 3_000)
  add('first', 1_000)
  add('middle', 2_000)
  await clock.advance(999)
  t.same(ends, [])
  await clock.advance(1)
  t.same(ends, ['first deadline'])
  await clock.advance(1_000)
  t.same(ends, ['first deadline', 'middle deadline'])
  await clock.advance(1_000)
  t.same(ends, ['first deadline', 'middle deadline', 'last deadline'])
  t.equal(clock.waiting, 0)
})

t.test('a command whose time is over already fails at once', async (t) => {
  const { clock, ends, add } = room()
  add('late', -5_000)
  await clock.advance(0)
  t.same(ends, ['late deadline'])
})

t.test('an answered command is let go, and no timer is left behind', async (t) => {
  const { clock, all, ends, add } = room()
  const [one, other] = [add('one'), add('other')]
  t.equal(clock.waiting, 1, 'one timer for both')
  one.answer({ replayed: false })
  one.answer({ replayed: false })
  other.answer({ replayed: false })
  t.same(ends, ['one answered', 'other answered'])
  t.equal(all.size, 0)
  t.equal(clock.waiting, 0)
  await clock.advance(2 * commandDeadlineMs)
  t.equal(ends.length, 2)
})

t.test('thousands of deadlines in a row cost a look every few milliseconds', async (t) => {
  const { clock, ends, add } = room()
  const after = t.capture(clock, 'after', clock.after.bind(clock))
  for (let ms = 1; ms <= 1_000; ms += 1) add(String(ms), 1_000 + ms)
  after()
  await clock.advance(2_000 + deadlineLookMs)
  t.equal(ends.length, 1_000)
  const looks = after().length
  t.ok(looks <= 1_000 / deadlineLookMs + 2, `${looks} looks`)
})

t.test('the end of all who wait is waited for, also of those who fail', async (t) => {
  const { clock, all, add } = room()
  add('one').answer({ replayed: false })
  add('two')
  let isOver = false
  const ended = all.ended().then(() => (isOver = true))
  await clock.advance(commandDeadlineMs - 1)
  t.notOk(isOver)
  await clock.advance(1)
  await ended
  t.ok(isOver)
  await all.ended()
})

t.test('of very many commands only those that wait are held', async (t) => {
  const { clock, all, ends, add } = room()
  const slow = add('slow', 1_000)
  for (let count = 0; count < 1_000; count += 1) add('quick').answer({ replayed: false })
  t.equal(all.size, 1)
  await clock.advance(1_000)
  t.equal(ends.at(-1), 'slow deadline')
  t.equal(slow.isAnswered, true)
  t.equal(all.size, 0)
  t.equal(clock.waiting, 0)
})
