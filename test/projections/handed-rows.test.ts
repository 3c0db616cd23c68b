// What a process has written itself is projected as its writer has folded it: the same rows as of
// events that were read, and never on top of anything else than what came before.
import t from 'tap'
import { rowsOf, walletsToRead } from '../../projections/rows.js'
import type { WalletState } from '../../projections/rows.js'
import { InvariantError } from '../../src/domain/invariant.js'
import type { WalletId } from '../../src/domain/ids.js'
import { streamOf } from '../../src/domain/ids.js'
import { OutcomeMemory } from '../../src/domain/outcome-memory.js'
import { decide, emptyWallet, open } from '../../src/domain/wallet.js'
import type { Wallet, WalletCommand } from '../../src/domain/wallet.js'
import type { WrittenEvent } from '../../src/domain/wallet-stream.js'
import { writeNext } from '../../src/domain/wallet-stream.js'
import type { RecordedEvent } from '../../src/event-store/event-store.js'
import { credit, debit } from '../support/given.js'
import { newWalletId } from '../support/ledger.js'

const time = '2026-01-01T00:00:00.000Z'

/** The events of these commands, as their writer hands them on. */
function handed(walletId: WalletId, commands: readonly WalletCommand[]): RecordedEvent[] {
  const memory = new OutcomeMemory()
  const written: WrittenEvent[] = []
  let wallet: Wallet = emptyWallet(walletId)
  const write = (event: Parameters<typeof writeNext>[1]): void => {
    const next = writeNext(wallet, event)
    wallet = next.wallet
    written.push(next.stored)
  }
  write(open(wallet, { currency: 'usd', time }))
  for (const command of commands) {
    const decision = decide(wallet, command, memory, time)
    if (decision.kind === 'record') memory.add(decision.outcome)
    if (decision.kind !== 'replay') write(decision.event)
  }
  const stream = streamOf(walletId)
  return written.map((event, revision) => {
    return { ...event, stream, revision, position: BigInt(revision + 1) }
  })
}

function read(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.map(({ folded: _, ...event }) => event)
}

const walletId = newWalletId()
const of = { of: walletId }
const events = handed(walletId, [
  credit(500, 'C-1', of),
  debit(200, 'O-1', of),
  debit(900, 'O-2', of),
  credit(50, 'R-1', { ...of, refundOf: 'O-1' }),
  { type: 'Deactivate', issuer: 'service', reason: 'a test' },
])

t.test('handed events make the rows that read ones make, and need no row', async (t) => {
  t.strictSame(rowsOf(events, new Map()), rowsOf(read(events), new Map()))
  t.same(walletsToRead(events), [])
  t.same(walletsToRead(read(events)), [walletId])
  t.same(walletsToRead([...events.slice(0, 2), ...read(events.slice(2))]), [walletId])
})

t.test('in the middle of a stream they require the row that their writer knew', async (t) => {
  const [first, rest] = [events.slice(0, 3), events.slice(3)]
  const [row] = rowsOf(first, new Map()).wallets
  if (row === undefined) throw new Error('no row')
  const state: WalletState = {
    revision: row.revision,
    balanceMinor: row.balance_minor,
    holds: row.holds,
    hash: row.hash,
  }
  const states = new Map([[walletId, state]])
  t.strictSame(rowsOf(rest, new Map()), rowsOf(read(rest), states))
  t.match(rowsOf(rest, new Map()).wallets, [
    { first_revision: 3, hash_before: row.hash, balance_minor_before: 300 },
  ])
})

t.test('what does not continue the event before it stops the projections', async (t) => {
  const [first, second] = events
  if (first === undefined || second?.folded === undefined) throw new Error('no events')
  const { before } = second.folded
  const wrong: RecordedEvent[] = [
    { ...second, revision: 2 },
    { ...second, folded: { ...second.folded, before: { ...before, balanceMinor: 1 } } },
    { ...second, folded: { ...second.folded, before: emptyWallet(walletId) } },
  ]
  for (const event of wrong) t.throws(() => rowsOf([first, event], new Map()), InvariantError)
})
