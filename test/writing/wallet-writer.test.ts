// The writer's bounds, eviction and end.
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { settle } from '../support/fake-clock.js'
import { credit } from '../support/given.js'
import { walletIdOf } from '../../src/domain/ids.js'
import type { WalletId } from '../../src/domain/ids.js'
import { evictionLooksMax } from '../../src/limits.js'
import { result, WriterHarness } from '../support/writer-harness.js'

t.test('a full queue of one wallet refuses before queueing, other wallets go on', async (t) => {
  const h = new WriterHarness({ laneQueueMax: 2 })
  const hold = h.store.holdNextAppend('before')
  const first = h.send(h.credit(1, 'C-1'))
  await hold.reached
  const waiting = [h.send(h.credit(1, 'C-2')), h.send(h.credit(1, 'C-3'))]
  t.equal(await result(h.send(h.credit(1, 'C-4'))), 'unavailable: overloaded')
  t.equal(await result(sendElsewhere(h)), 'WalletCredited')
  hold.release()
  await Promise.all([first, ...waiting])
  t.equal(h.stream().wallet.balanceMinor, 3)
})

t.test('a full service refuses before queueing, and takes again when it has room', async (t) => {
  const h = new WriterHarness({ queuedCommandsMax: 1 })
  const hold = h.store.holdNextAppend('before')
  const first = h.send(h.credit(1, 'C-1'))
  await hold.reached
  t.equal(await result(sendElsewhere(h)), 'unavailable: overloaded')
  hold.release()
  await first
  t.equal(await result(sendElsewhere(h)), 'WalletCredited')
})

t.test('the least recently used idle lane makes room, a working one never does', async (t) => {
  const h = new WriterHarness({ lanesMax: 1 })
  const hold = h.store.holdNextAppend('before')
  const busy = h.send(h.credit(1, 'C-1'))
  await hold.reached
  t.equal(await result(sendElsewhere(h)), 'unavailable: overloaded')
  hold.release()
  await busy
  await settle()
  t.equal(await result(sendElsewhere(h)), 'WalletCredited')
  await settle()
  const loads = h.readModels.loads
  t.equal(await result(h.send(h.credit(1, 'C-1'))), 'replayed WalletCredited')
  t.equal(h.readModels.loads, loads + 1, 'the evicted lane was cold and loaded again')
})

t.test('one eviction looks at a few lanes only, and finds an idle one in the end', async (t) => {
  const h = new WriterHarness({ lanesMax: evictionLooksMax + 1 })
  const wallets = Array.from({ length: evictionLooksMax + 1 }, () => walletIdOf(randomUUID()))
  const sendAll = (of: readonly WalletId[], referenceId: string) =>
    Promise.all(of.map((id) => h.writer.execute(id, credit(1, referenceId, { of: id }))))
  await sendAll(wallets, 'C-1')
  await settle()
  // Taken in one tick: all but the last are at work while the next ones ask for room.
  const working = sendAll(wallets.slice(0, -1), 'C-2')
  const beyond = result(sendElsewhere(h))
  const found = result(sendElsewhere(h))
  const none = result(sendElsewhere(h))
  t.equal(await beyond, 'unavailable: overloaded', 'the idle one is one look too far')
  t.equal(await found, 'WalletCredited', 'who was looked at stands behind it now')
  t.equal(await none, 'unavailable: overloaded', 'everything is in use')
  await working
  await settle()
  t.equal(await result(sendElsewhere(h)), 'WalletCredited')
})

t.test('closing takes nothing new and answers everything that was taken', async (t) => {
  const h = new WriterHarness()
  const hold = h.store.holdNextAppend('before')
  const first = h.send(h.credit(5, 'C-1'))
  await hold.reached
  const second = h.send(h.debit(1, 'O-1'))
  const closed = h.writer.close()
  t.equal(await result(h.send(h.credit(1, 'C-2'))), 'unavailable: shutting-down')
  hold.release()
  await closed
  t.equal(await result(first), 'WalletCredited')
  t.equal(await result(second), 'WalletDebited')
  t.equal(h.clock.waiting, 0)
})

function sendElsewhere(h: WriterHarness) {
  const of = walletIdOf(randomUUID())
  const answer = h.writer.execute(of, credit(1, 'C-1', { of }))
  answer.catch(() => undefined)
  return answer
}
