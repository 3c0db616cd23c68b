import fc from 'fast-check'
import t from 'tap'
import { isoTime } from '../../src/platform/iso-time.js'
import { runProperty } from '../support/property.js'

t.test('one time after the other is as Date has it, whatever came before', async (t) => {
  // Steps around a second, back too, from before 1970 on.
  const steps = fc.array(fc.integer({ min: -1_500, max: 1_500 }), { maxLength: 20 })
  const starts = fc.oneof(fc.constant(0), fc.integer({ min: -1e11, max: 4e12 }))
  const holds = fc.property(starts, steps, (start, list) => {
    let ms = start
    return list.every((step) => {
      ms += step
      return isoTime(ms) === new Date(ms).toISOString()
    })
  })
  runProperty(t, holds)
})

t.test('parts of a millisecond are left out', async (t) => {
  for (const ms of [1_763_294_400_000.9, 1_763_294_400_001.5, 1_763_294_400_999.999])
    t.equal(isoTime(ms), new Date(ms).toISOString())
})
