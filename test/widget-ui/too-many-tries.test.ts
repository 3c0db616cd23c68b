// What a person is told who tried too often.
import t from 'tap'
import '../../widget-ui/src/words/english-only.js'
import { tooManyTries } from '../../widget-ui/src/shared/too-many-tries.js'

t.test('the wait is told in whole minutes, a minute at least', (t) => {
  const told = (seconds: string) => tooManyTries(new Headers({ 'retry-after': seconds }))
  t.equal(told('1'), 'There were too many tries. Wait a minute, then try again.')
  t.equal(told('60'), 'There were too many tries. Wait a minute, then try again.')
  t.equal(told('61'), 'There were too many tries. Wait 2 minutes, then try again.')
  t.equal(tooManyTries(new Headers()), told('60'), 'an answer that does not say it')
  t.end()
})
