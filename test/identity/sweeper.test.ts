import t from 'tap'
import { createSweeper } from '../../src/identity/sweeper.js'
import { sweepPauseMs } from '../../src/limits.js'
import { CapturedLog } from '../support/served-app.js'
import { FakeClock } from '../support/fake-clock.js'

t.test('every table is swept in every round, also when one fails', async (t) => {
  const clock = new FakeClock()
  const captured = new CapturedLog()
  const rounds: string[] = []
  const broken = {
    sweep: async () => {
      rounds.push('broken')
      throw new Error('away')
    },
  }
  const whole = { sweep: async () => rounds.push('whole') }
  const sweeper = createSweeper({ clock, log: captured.log, swept: [broken, whole] })
  sweeper.start()
  sweeper.start()
  await clock.advance(sweepPauseMs)
  t.strictSame(rounds, ['broken', 'whole'])
  t.match(captured.text, /expired rows were not removed/)
  await clock.advance(sweepPauseMs)
  t.strictSame(rounds, ['broken', 'whole', 'broken', 'whole'])
  await sweeper.stop()
  t.equal(clock.waiting, 0)
})

t.test('a sweeper that never started stops too', async (t) => {
  const { log } = new CapturedLog()
  await createSweeper({ clock: new FakeClock(), log, swept: [] }).stop()
  t.pass('it stopped')
})
