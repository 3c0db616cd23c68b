// How a process notices what the store has lost, and how exactly it names it.
import t from 'tap'
import { historyWatchMs, lostEventsLoggedMax } from '../../src/limits.js'
import { Counters } from '../../src/platform/counters.js'
import { HistoryWatch } from '../../src/writing/history-watch.js'
import type { LostEvent } from '../../src/event-store/lost-event.js'
import { RecentHistory } from '../../src/writing/recent-history.js'
import { CapturedLog } from '../support/served-app.js'
import { WriterHarness } from '../support/writer-harness.js'

class Watched {
  readonly h = new WriterHarness()
  readonly counters = new Counters()
  readonly captured = new CapturedLog()
  readonly recorded: LostEvent[] = []
  recordFaults = 0
  readonly watch = new HistoryWatch({
    store: this.h.store,
    recent: this.h.writer.recent,
    clock: this.h.clock,
    log: this.captured.log,
    counters: this.counters,
    record: async (lost) => {
      if (this.recordFaults > 0) {
        this.recordFaults -= 1
        throw new Error('the database is away')
      }
      this.recorded.push(...lost)
    },
  })

  constructor() {
    this.watch.start()
  }

  /** Long enough for two looks and a repeat. */
  async pass(): Promise<void> {
    await this.h.clock.advance(5 * historyWatchMs)
  }

  get named(): string[] {
    return this.recorded.map(({ revision, details }) => {
      const { entry, type } = details ?? {}
      const name = entry === undefined ? type : `${entry.referenceId} ${entry.amountMinor}`
      return `${revision}: ${name ?? 'not known'}`
    })
  }
}

t.test('after a lost connection what is gone is named once, though nobody asks', async (t) => {
  const w = new Watched()
  await w.h.send(w.h.credit(500, 'C-1'))
  await w.h.send(w.h.debit(100, 'O-1'))
  await w.h.send(w.h.debit(50, 'O-2'))
  w.h.log.setBack(2)
  await w.pass()
  t.same(w.named, [], 'nothing gave cause to look')
  w.h.store.generation += 1
  await w.pass()
  t.same(w.named, ['2: O-1 100', '3: O-2 50'])
  t.match(w.recorded[0], {
    walletId: w.h.walletId,
    details: { type: 'WalletDebited', entry: { referenceType: 'ORDER', referenceId: 'O-1' } },
  })
  t.equal(w.counters.get('lost_events_total'), 2)
  t.match(w.captured.lines, [
    {
      level: 'error',
      walletId: w.h.walletId,
      events: [
        { revision: 2, type: 'WalletDebited', referenceType: 'ORDER', referenceId: 'O-1' },
        { revision: 3, referenceId: 'O-2', amountMinor: 50 },
      ],
      more: 0,
    },
  ])
  w.h.store.generation += 1
  await w.pass()
  t.equal(w.recorded.length, 2, 'not again')
})

t.test('a lost connection to the same history names nothing', async (t) => {
  const w = new Watched()
  await w.h.fill(100)
  w.h.store.generation += 1
  await w.pass()
  t.same(w.named, [])
  t.same(w.captured.lines, [])
})

t.test('a lane that meets another history makes it known without a lost connection', async (t) => {
  const w = new Watched()
  await w.h.send(w.h.credit(500, 'C-1'))
  await w.h.send(w.h.debit(100, 'O-1'))
  w.h.log.setBack(2)
  void w.h.send(w.h.debit(70, 'O-2'))
  await w.pass()
  t.same(w.named, ['2: O-1 100'], 'the old one at revision 2, not the new one there')
})

t.test('of a wallet that is gone whole its beginning is named too', async (t) => {
  const w = new Watched()
  await w.h.send(w.h.credit(500, 'C-1'))
  w.h.log.setBack(0)
  w.h.store.generation += 1
  await w.pass()
  t.same(w.named, ['0: WalletOpened', '1: C-1 500'])
})

t.test('what is not remembered any more is told by its place', async (t) => {
  const h = new WriterHarness()
  await h.fill(5)
  const other = h.another()
  const recorded: LostEvent[] = []
  const watch = new HistoryWatch({
    store: other.store,
    recent: other.writer.recent,
    clock: h.clock,
    log: new CapturedLog().log,
    counters: new Counters(),
    record: async (lost) => void recorded.push(...lost),
  })
  watch.start()
  await h.send(h.credit(100, 'C-1'), other.writer)
  h.log.setBack(3)
  other.store.generation += 1
  await h.clock.advance(5 * historyWatchMs)
  t.same(
    recorded.map(({ revision, details }) => [revision, details?.entry?.referenceId]),
    [
      [5, undefined],
      [6, 'C-1'],
    ],
    'the one before the first that it knows is gone too',
  )

  // A lane that only loaded knows its head and nothing else.
  const third = h.another()
  t.same((await h.send(h.credit(100, 'FILL-0'), third.writer)).replayed, true)
  h.log.setBack(1)
  third.store.generation += 1
  void h.send(h.credit(100, 'FILL-0'), third.writer)
  await h.clock.advance(100)
  t.same(
    [...third.writer.recent.takeSuspects().values()].map(({ revision }) => revision),
    [2],
  )
})

t.test('an event that a second look finds was never gone', async (t) => {
  const w = new Watched()
  await w.h.send(w.h.credit(500, 'C-1'))
  await w.h.send(w.h.debit(100, 'O-1'))
  const all = [...w.h.log.events]
  w.h.log.setBack(2)
  w.h.store.generation += 1
  await w.h.clock.advance(historyWatchMs)
  const [, , last] = all
  const expectedId = all[1]?.id
  const place = { stream: last?.stream ?? '', expectedRevision: 1, expectedId }
  w.h.log.append({ ...place, events: last === undefined ? [] : [last] })
  await w.pass()
  t.same(w.named, [])
})

t.test('a look or a record that fails is repeated until it worked', async (t) => {
  const w = new Watched()
  await w.h.send(w.h.credit(500, 'C-1'))
  await w.h.send(w.h.debit(100, 'O-1'))
  w.h.log.setBack(2)
  w.h.store.generation += 1
  w.h.store.failNextReads(1)
  w.recordFaults = 2
  for (let round = 0; round < 3; round += 1) await w.pass()
  t.same(w.named, ['2: O-1 100'])
  t.equal(w.captured.lines.filter(({ level }) => level === 'error').length, 1, 'one line')
})

t.test('a line of the log is bounded, the record is not', async (t) => {
  const w = new Watched()
  await w.h.fill(lostEventsLoggedMax + 20)
  w.h.log.setBack(1)
  w.h.store.generation += 1
  await w.pass()
  t.equal(w.recorded.length, lostEventsLoggedMax + 20)
  t.match(w.captured.lines, [{ more: 20 }])
})

t.test('the memory is bounded: the oldest are forgotten first', async (t) => {
  // One event a block, as three bytes are set aside for each letter.
  const recent = new RecentHistory({ blockBytes: 200, blocksMax: 3 })
  const { walletId } = new WriterHarness()
  const event = { walletId, type: 'Any', previousId: undefined }
  for (const revision of [0, 1, 2, 3, 4])
    recent.add({ ...event, revision, eventId: `id-${revision}`, data: '{}' })
  const remembered = () => [...recent.byWallet().values()].flat().map(({ revision }) => revision)
  t.same(remembered(), [2, 3, 4])
  recent.forget(new Set(['id-3']))
  t.same(remembered(), [2, 4])
  recent.add({ ...event, revision: 5, eventId: 'id-5', data: '{}' })
  t.same(remembered(), [4, 5], 'where one was forgotten nothing is read twice')
})

t.test('what is remembered comes back letter by letter, however large', async (t) => {
  const recent = new RecentHistory({ blockBytes: 200, blocksMax: 2 })
  const { walletId } = new WriterHarness()
  const events = ['{}', '{"a": "two  spaces, é, 漢 and 🙂"}', `{"b":"${'x'.repeat(1_000)}"}`].map(
    (data, revision) => ({
      walletId,
      revision,
      eventId: `id-${revision}`,
      previousId: revision === 0 ? undefined : `id-${revision - 1}`,
      type: 'Any',
      data,
    }),
  )
  for (const event of events.slice(0, 2)) recent.add(event)
  t.same([...recent.byWallet().values()].flat(), events.slice(0, 2))
  for (const event of events.slice(2)) recent.add(event)
  t.same([...recent.byWallet().values()].flat(), events.slice(1))
})
