/** One stream by itself: what it does with a client that does not read. */
import { ServerResponse, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import t from 'tap'
import { WalletStream } from '../../src/http/wallet-streams.js'
import { walletStreamBufferBytesMax, walletStreamEndMs } from '../../src/limits.js'
import { FakeClock, settle } from '../support/fake-clock.js'
import { newWalletId } from '../support/ledger.js'

/** A connection that takes what it is given and passes none of it on. */
class StuckConnection extends Writable {
  override _write(): void {
    // Never called back: the client does not read.
  }
}

function openStuck() {
  const clock = new FakeClock()
  const raw = new ServerResponse(new IncomingMessage(new Socket()))
  const connection = new StuckConnection()
  raw.assignSocket(connection as unknown as Socket)
  connection.once('close', () => raw.emit('close'))
  const expiresAt = new Date(clock.now() + 300_000).toISOString()
  const of = { sessionToken: 'ws_', expiresAt, walletId: newWalletId(), revision: 0 }
  const stream = new WalletStream({ raw, clock, of })
  stream.begin({} as Parameters<WalletStream['begin']>[0])
  return { clock, raw, connection, stream }
}

t.test('a client that does not read is cut off before it costs much memory', async (t) => {
  const { clock, raw, connection, stream } = openStuck()
  let told = 0
  let heldBytes = 0
  while (!raw.destroyed && told < 10_000) {
    stream.tell((told += 1))
    heldBytes = Math.max(heldBytes, raw.writableLength)
  }
  await settle()
  t.ok(raw.destroyed, `after ${told} events`)
  t.ok(connection.destroyed)
  t.ok(heldBytes < 2 * walletStreamBufferBytesMax, `${heldBytes} bytes were held`)
  t.equal(clock.waiting, 0, 'its timers are gone')
  stream.tell(told)
  stream.expire()
})

t.test('an ended stream that nobody takes off the wire is cut', async (t) => {
  const { clock, raw, stream } = openStuck()
  stream.expire()
  stream.expire()
  await clock.advance(walletStreamEndMs - 1)
  t.notOk(raw.destroyed)
  await clock.advance(1)
  t.ok(raw.destroyed)
  t.equal(clock.waiting, 0)
})
