/** Which errors are a contradiction, and which ones may pass or are something else. */
import t from 'tap'
import { InvariantError } from '../../src/domain/invariant.js'
import { isContradiction, isUnreadable } from '../../src/event-store/contradiction.js'
import {
  AppendRefusedError,
  OutcomeUnknownError,
  StoreCorruptError,
  StoreUnavailableError,
} from '../../src/event-store/event-store.js'

const cases = [
  { error: new InvariantError('a rule'), contradicts: true, isNoEvent: true },
  { error: new StoreCorruptError('a gap'), contradicts: true, isNoEvent: false },
  { error: new SyntaxError('no JSON'), contradicts: false, isNoEvent: true },
  { error: new StoreUnavailableError('away'), contradicts: false, isNoEvent: false },
  { error: new OutcomeUnknownError('perhaps'), contradicts: false, isNoEvent: false },
  { error: new AppendRefusedError('too large'), contradicts: false, isNoEvent: false },
  { error: new Error('InvariantError'), contradicts: false, isNoEvent: false },
  { error: 'no error at all', contradicts: false, isNoEvent: false },
]

t.test('a broken rule and a corrupt log are contradictions, an outage is none', (t) => {
  for (const { error, contradicts, isNoEvent } of cases) {
    t.equal(isContradiction(error), contradicts, `contradiction: ${String(error)}`)
    t.equal(isUnreadable(error), isNoEvent, `unreadable: ${String(error)}`)
  }
  t.end()
})
