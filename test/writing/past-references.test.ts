// The filter of forgotten references by itself; lane-past.test.ts has it in a lane.
import t from 'tap'
import type { EntryId } from '../../src/domain/ids.js'
import { entryIdOf, walletIdOf } from '../../src/domain/ids.js'
import { PastReferences, ReferenceRoom } from '../../src/writing/past-references.js'

const walletId = walletIdOf('5d1f6a0e-3b54-4c6e-9d0f-0f6f5b8f0a11')

function idOf(number: number): EntryId {
  const reference = { referenceType: 'ORDER', referenceId: String(number) }
  return entryIdOf({ issuer: 'service', walletId, reference })
}

const idsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => idOf(first + index))

t.test(
  'what was added is never surely new, and hardly anything else is taken for it',
  async (t) => {
    const past = new PastReferences(new ReferenceRoom())
    const added = idsFrom(0, 20_000)
    for (const entryId of added) past.add(entryId)
    t.ok(added.every((entryId) => past.mayHold(entryId)))
    // One of 2^32 marks for each that was added: ten wrong guesses are out of reach.
    t.ok(idsFrom(20_000, 20_000).filter((entryId) => past.mayHold(entryId)).length < 10)
  },
)

t.test('ids whose marks collide or are zero are found all the same', async (t) => {
  const past = new PastReferences(new ReferenceRoom())
  const rest = '-0000-5000-8000-000000000000'
  const added = ['00000000', '00000001', '00000080', '00000100', 'ffffffff', 'ffffff80'].map(
    (mark) => `${mark}${rest}` as EntryId,
  )
  t.notOk(added.some((entryId) => past.mayHold(entryId)))
  for (const entryId of added) past.add(entryId)
  t.ok(added.every((entryId) => past.mayHold(entryId)))
  t.notOk(past.mayHold(`00000180${rest}` as EntryId))
})

t.test('filters share one room, and who gives up leaves its part to others', async (t) => {
  const room = new ReferenceRoom(128)
  const [first, second] = [new PastReferences(room), new PastReferences(room)]
  const added = idsFrom(0, 64)
  t.ok(added.every((entryId) => first.add(entryId)))
  t.notOk(first.add(idOf(64)), 'it would have to grow')
  t.notOk(second.add(idOf(64)))
  t.ok(added.every((entryId) => first.mayHold(entryId)))
  first.giveUp()
  t.ok(added.every((entryId) => second.add(entryId)))
})
