// What lanes remember on their common shelf, against the memory of objects that it stands in for.
import fc from 'fast-check'
import t from 'tap'
import type { EntryId } from '../../src/domain/ids.js'
import { OutcomeMemory } from '../../src/domain/outcome-memory.js'
import type { Outcome } from '../../src/domain/wallet.js'
import { LaneOutcomes } from '../../src/writing/lane-outcomes.js'
import { nowhere, OutcomeShelf } from '../../src/writing/outcome-shelf.js'
import { runProperty } from '../support/property.js'

const time = '2026-11-16T12:00:00.000Z'
const fewMax = 6

/** Few marks for many ids: the walk along a line meets the mark of others all the time. */
function idOf(number: number): EntryId {
  const mark = String(number % 3).padStart(8, '0')
  return `${mark}-0000-5000-8000-${String(number).padStart(12, '0')}` as EntryId
}

/** Each kind of outcome that an event can become. */
function outcomeOf(number: number, kind: number, revision: number): Outcome {
  const amountMinor = 100 + number
  const plain = { entryId: idOf(number), revision, amountMinor, balanceMinor: -number, time }
  switch (kind) {
    case 0:
      return { ...plain, type: 'WalletDebited' }
    case 1:
      return { ...plain, type: 'DebitDeclined', code: 'INSUFFICIENT_BALANCE' }
    case 2:
      return { ...plain, type: 'WalletCredited', refundedEntryId: idOf(number % 4) }
    case 3:
      return { ...plain, type: 'HoldPlaced', heldMinor: 7, expiresAt: time }
    default:
      return { ...plain, type: 'HoldCaptured', heldMinor: 3, holdEntryId: idOf(number % 4) }
  }
}

/** A lane's memory and its model, which are told the same. */
class Pair {
  readonly memory: LaneOutcomes
  model = new OutcomeMemory()
  revision = 0

  constructor(shelf: OutcomeShelf) {
    this.memory = new LaneOutcomes(shelf, fewMax)
  }
}

const step = fc.record({
  lane: fc.nat(2),
  does: fc.constantFrom('add', 'add', 'add', 'add', 'forget', 'rollBack', 'giveUp'),
  kind: fc.nat(4),
  back: fc.nat(4),
})

t.test('lanes remember what each was told, whatever the others do', async (t) => {
  const holds = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const shelf = new OutcomeShelf()
    const pairs = [new Pair(shelf), new Pair(shelf), new Pair(shelf)]
    for (const [number, { lane, does, kind, back }] of steps.entries()) {
      const pair = pairs[lane]
      if (pair === undefined) continue
      const target = pair.revision - back
      if (does === 'add') {
        pair.revision += 1
        const outcome = outcomeOf(number, kind, pair.revision)
        pair.memory.add(outcome)
        pair.model.add(outcome)
      } else if (does === 'forget') {
        const idsOf = (list: readonly Outcome[]) => list.map(({ entryId }) => entryId).sort()
        const forgotten = idsOf(pair.memory.forgetThrough(target))
        if (forgotten.join() !== idsOf(pair.model.forgetThrough(target)).join()) return false
      } else if (does === 'rollBack') {
        pair.memory.rollBackTo(target)
        pair.model.rollBackTo(target)
        pair.revision = Math.min(pair.revision, target)
      } else {
        pair.memory.giveUp()
        pair.model = new OutcomeMemory()
      }
      if (!pairs.every((each) => isSame(each, number))) return false
    }
    for (const { memory } of pairs) memory.giveUp()
    return shelf.size === 0
  })
  runProperty(t, holds)
})

function isSame({ memory, model }: Pair, lastNumber: number): boolean {
  if (memory.size !== model.size) return false
  for (let number = 0; number <= lastNumber + 1; number += 1) {
    const [found, expected] = [memory.outcome(idOf(number)), model.outcome(idOf(number))]
    if (JSON.stringify(inOrder(found)) !== JSON.stringify(inOrder(expected))) return false
    if (memory.refundedMinor(idOf(number)) !== model.refundedMinor(idOf(number))) return false
  }
  return true
}

function inOrder(outcome: Outcome | undefined): unknown {
  return outcome && Object.entries(outcome).sort(([one], [other]) => (one < other ? -1 : 1))
}

t.test('the longest outcome finds room, and a shelf grows', async (t) => {
  const shelf = new OutcomeShelf()
  const longest: Outcome = {
    entryId: 'ffffffff-ffff-5fff-bfff-ffffffffffff' as EntryId,
    type: 'CaptureDeclined',
    revision: Number.MAX_SAFE_INTEGER,
    amountMinor: Number.MAX_SAFE_INTEGER,
    balanceMinor: Number.MIN_SAFE_INTEGER,
    time: '+275760-09-13T00:00:00.000Z',
    heldMinor: Number.MAX_SAFE_INTEGER,
    holdEntryId: 'eeeeeeee-ffff-5fff-bfff-ffffffffffff' as EntryId,
  }
  const place = shelf.put(longest, nowhere)
  t.same(shelf.outcome(place), longest)
  let last = place
  for (let number = 0; number < 5_000; number += 1)
    last = shelf.put(outcomeOf(number, number % 5, number), last)
  t.equal(shelf.size, 5_001)
  t.equal([...shelf.line(last)].length, 5_001)
  t.same(shelf.find(idOf(4_321), last), outcomeOf(4_321, 4_321 % 5, 4_321))
  t.same(shelf.find(longest.entryId, last), longest)
})

t.test('who gave everything up finds nothing, and takes nothing of others', async (t) => {
  const shelf = new OutcomeShelf()
  const [gone, other] = [new LaneOutcomes(shelf, fewMax), new LaneOutcomes(shelf, fewMax)]
  gone.add(outcomeOf(1, 0, 1))
  gone.giveUp()
  other.add(outcomeOf(2, 0, 1))
  t.equal(gone.outcome(idOf(1)), undefined)
  t.equal(gone.outcome(idOf(2)), undefined)
  gone.giveUp()
  gone.rollBackTo(-1)
  t.same(gone.forgetThrough(9), [])
  t.same(other.outcome(idOf(2)), outcomeOf(2, 0, 1))
  t.equal(shelf.size, 1)
})
