import t, { type Test } from 'tap'
import { walletWatchPollMs } from '../../src/limits.js'
import type { WalletId } from '../../src/domain/ids.js'
import { WalletWatch, WatchFullError } from '../../src/reading/wallet-watch.js'
import { FakeClock, settle } from '../support/fake-clock.js'
import { credit } from '../support/given.js'
import { newWalletId, quietLog, TestDatabaseLedger } from '../support/ledger.js'
import { CapturedLog } from '../support/served-app.js'

class Watched {
  readonly clock = new FakeClock()
  readonly captured = new CapturedLog()
  readonly ledger: TestDatabaseLedger
  readonly watch: WalletWatch
  readonly store = { generation: 0 }
  queries = 0

  private constructor(ledger: TestDatabaseLedger, watchersMax: number) {
    this.ledger = ledger
    const { pool } = ledger
    const { clock, store } = this
    pool.on('acquire', () => (this.queries += 1))
    this.watch = new WalletWatch({ pool, store, clock, log: this.captured.log, watchersMax })
  }

  static async open(t: Test, watchersMax = 100): Promise<Watched> {
    return new Watched(await TestDatabaseLedger.open(t), watchersMax)
  }

  listen(walletId: WalletId, revision = -1): { heard: number[]; leave: () => void } {
    const heard: number[] = []
    const onGrown = (grown: number): unknown => heard.push(grown)
    return { heard, leave: this.watch.watch({ walletId, revision, onGrown }) }
  }

  async book(walletId: WalletId, referenceId: string): Promise<void> {
    await this.ledger.send(walletId, credit(100, referenceId, { of: walletId }))
    await this.ledger.project()
  }

  /** One round: its statement has been answered when the next one is scheduled. */
  async round(): Promise<void> {
    await this.clock.advance(walletWatchPollMs)
    while (this.clock.waiting === 0) await settle()
  }
}

t.test('everyone who watches a wallet hears of its growth once, and of no other', async (t) => {
  const watched = await Watched.open(t)
  const [one, two] = [newWalletId(), newWalletId()]
  const first = watched.listen(one)
  const second = watched.listen(one, 1)
  const other = watched.listen(two)
  await watched.book(one, 'R-1')
  await watched.round()
  t.same([first.heard, second.heard, other.heard], [[1], [], []], 'who knows it is not told')
  await watched.book(one, 'R-2')
  await watched.book(one, 'R-3')
  await watched.round()
  await watched.round()
  t.same([first.heard, second.heard, other.heard], [[1, 3], [3], []])
})

t.test('after a lost connection every watcher is told to look anew, once', async (t) => {
  const watched = await Watched.open(t)
  const walletId = newWalletId()
  await watched.book(walletId, 'R-1')
  const heard: unknown[] = []
  const onGrown = (revision: number, anew = false): unknown => heard.push([revision, anew])
  watched.watch.watch({ walletId, revision: 9, onGrown })
  await watched.round()
  t.same(heard, [], 'rows that are behind are no news')
  watched.store.generation += 1
  await watched.round()
  t.same(heard, [[9, true]])
  await watched.round()
  await watched.round()
  t.same(heard, [
    [9, true],
    [1, false],
  ])
})

t.test('one statement a round, however many watch, and none when nobody does', async (t) => {
  const watched = await Watched.open(t)
  const watchers = Array.from({ length: 50 }, () => watched.listen(newWalletId()))
  watched.queries = 0
  await watched.round()
  await watched.round()
  t.equal(watched.queries, 2)
  for (const { leave } of watchers) leave()
  t.equal(watched.clock.waiting, 0, 'no timer is left')
  await watched.clock.advance(10 * walletWatchPollMs)
  t.equal(watched.queries, 2)
  const walletId = newWalletId()
  const late = watched.listen(walletId)
  await watched.book(walletId, 'R-1')
  await watched.round()
  t.same(late.heard, [1], 'it begins again with the next one')
})

t.test('who has left hears nothing, also when they leave twice', async (t) => {
  const watched = await Watched.open(t)
  const walletId = newWalletId()
  const [first, second] = [watched.listen(walletId), watched.listen(walletId)]
  first.leave()
  first.leave()
  await watched.book(walletId, 'R-1')
  await watched.round()
  t.same([first.heard, second.heard], [[], [1]])
})

t.test('rows that step back, as in a rebuild, are not told as news', async (t) => {
  const watched = await Watched.open(t)
  const walletId = newWalletId()
  const { heard } = watched.listen(walletId)
  await watched.book(walletId, 'R-1')
  await watched.book(walletId, 'R-2')
  await watched.round()
  const set = (revision: number) =>
    watched.ledger.pool.query('update read.wallets set revision = $1', [revision])
  await set(1)
  await watched.round()
  await set(2)
  await watched.round()
  t.same(heard, [2])
})

t.test('there is a bound, and it counts who is there now', async (t) => {
  const watched = await Watched.open(t, 2)
  const [first] = [watched.listen(newWalletId()), watched.listen(newWalletId())]
  t.throws(() => watched.listen(newWalletId()), WatchFullError)
  first.leave()
  t.doesNotThrow(() => watched.listen(newWalletId()))
})

t.test('an outage is logged once and ends by itself', async (t) => {
  const watched = await Watched.open(t)
  const walletId = newWalletId()
  const { heard } = watched.listen(walletId)
  await watched.book(walletId, 'R-1')
  const rename = (from: string, to: string) =>
    watched.ledger.pool.query(`alter schema ${from} rename to ${to}`)
  await rename('read', 'away')
  for (let round = 0; round < 3; round += 1) await watched.round()
  t.equal(watched.captured.lines.length, 1)
  t.match(watched.captured.lines[0], { level: 'warn' })
  await rename('away', 'read')
  await watched.round()
  t.same(heard, [1])
})

t.test('closing ends it, and nobody can watch any more', async (t) => {
  const { pool } = await TestDatabaseLedger.open(t)
  const clock = new FakeClock()
  const watch = new WalletWatch({ pool, store: { generation: 0 }, clock, log: quietLog })
  const watching = { walletId: newWalletId(), revision: -1, onGrown: () => undefined }
  const leave = watch.watch(watching)
  watch.close()
  t.equal(clock.waiting, 0)
  leave()
  t.throws(() => watch.watch(watching), WatchFullError)
})
