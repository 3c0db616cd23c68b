/** The source of ids, secrets and pauses: the shapes that others rely on. */
import t from 'tap'
import { systemRandom } from '../../src/platform/random.js'

t.test('ids, fractions and bytes have their shapes and do not repeat', async (t) => {
  const uuids = Array.from({ length: 100 }, () => systemRandom.uuid())
  const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  t.ok(uuids.every((uuid) => version4.test(uuid)))
  t.equal(new Set(uuids).size, 100)

  const fractions = Array.from({ length: 1_000 }, () => systemRandom.fraction())
  t.ok(fractions.every((fraction) => fraction >= 0 && fraction < 1))
  t.ok(Math.min(...fractions) < 0.1 && Math.max(...fractions) > 0.9, 'spread over the whole range')

  t.equal(systemRandom.bytes(32).length, 32)
  t.notSame(systemRandom.bytes(32), systemRandom.bytes(32))
})
