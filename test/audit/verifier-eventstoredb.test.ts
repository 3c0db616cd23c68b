// One test a kind of tampering with a log in EventStoreDB: the audit must name the very place, as
// it does with PostgreSQL (verifier.test.ts). Positions are places in a file here and have gaps.
import { EventStoreDBClient } from '@eventstore/db-client'
import t, { type Test } from 'tap'
import type { Divergence } from '../../src/audit/verifying/divergence.js'
import { verifyLedger, verifyWallet } from '../../src/audit/verifying/verifier.js'
import { streamOf } from '../../src/domain/ids.js'
import { AuditedLedger } from '../support/audited-ledger.js'
import { SignedLedger } from '../support/checkpoints.js'
import type { LogEvent, ProposedEvent } from '../support/eventstoredb/log.js'
import type { EventStoreStandIn } from '../support/eventstoredb/stand-in.js'
import { storeUnderFault } from '../support/eventstoredb/store-under-fault.js'
import type { Tampering } from '../support/eventstoredb/tampering.js'
import { flipped } from '../support/eventstoredb/tampering.js'
import { service } from '../support/given.js'
import { setBack } from './set-back.js'

/** A ledger whose log is in a stand-in, and the hand of somebody with the server's files. */
class AuditedOnStandIn {
  readonly audited: AuditedLedger
  readonly standIn: EventStoreStandIn
  /** The log of each wallet as it was. */
  readonly #before: readonly (readonly LogEvent[])[]

  private constructor(audited: AuditedLedger, standIn: EventStoreStandIn) {
    this.audited = audited
    this.standIn = standIn
    this.#before = this.streams.map((stream) => [...standIn.eventsOf(stream)])
  }

  static async open(t: Test): Promise<AuditedOnStandIn> {
    const { standIn, store } = await storeUnderFault(t, { isPatient: true })
    return new AuditedOnStandIn(await AuditedLedger.open(t, { store }), standIn)
  }

  get tampering(): Tampering {
    return this.standIn.tampering
  }

  get streams(): readonly [string, string, string] {
    const [one, two, three] = this.audited.wallets
    return [streamOf(one), streamOf(two), streamOf(three)]
  }

  /** The debit of 200 of the second wallet. */
  get debit() {
    return { stream: this.streams[1], revision: 2 }
  }

  /** Where an event stood before anybody touched the log. */
  positionOf(wallet: number, revision: number): bigint {
    return this.#before[wallet]?.[revision]?.position ?? -1n
  }

  /** How the audit names an event: with exactly this position. */
  place(wallet: number, revision: number, position = this.positionOf(wallet, revision)): string {
    return `wallet ${this.audited.wallets[wallet]}, revision ${revision} (position ${position})`
  }

  divergence(): Promise<Divergence | undefined> {
    return this.audited.divergence()
  }

  async divergenceOfWallet(wallet: 0 | 1 | 2): Promise<Divergence | undefined> {
    const { parts, wallets } = this.audited
    return (await verifyWallet(parts, wallets[wallet])).divergence
  }
}

t.test('an honest ledger in EventStoreDB agrees, in one pass or many', async (t) => {
  const ledger = await AuditedOnStandIn.open(t)
  const { parts, wallets } = ledger.audited
  const position = ledger.positionOf(2, 6)
  const agrees = { events: 21, wallets: 3, position, divergence: undefined }
  t.match(await verifyLedger(parts), agrees)
  t.match(await verifyLedger(parts, { walletsPerPass: 1 }), agrees)

  const [of] = wallets
  await ledger.audited.ledger.send(of, service('TopUp', 5, 'pi_2', of))
  const lags = { events: 22, wallets: 3, unprojectedEvents: 1, divergence: undefined }
  t.match(await verifyLedger(parts), lags, 'rows lag')
  await ledger.audited.ledger.project()
  t.match(await verifyLedger(parts), { events: 22, divergence: undefined })
  t.match(await verifyWallet(parts, of), { events: 8, wallets: 1, divergence: undefined })
})

const contents: Record<string, (event: LogEvent) => Partial<ProposedEvent>> = {
  data: ({ data }) => ({ data: flipped(data, Buffer.from(data).indexOf(':200') + 1) }),
  'data, which is no JSON any more': ({ data }) => ({ data: flipped(data, 0) }),
  type: () => ({ type: 'WalletCredited' }),
  'type, by one byte': ({ type }) => ({
    type: Buffer.from(flipped(Buffer.from(type), -1)).toString(),
  }),
  'event id': ({ id }) => ({ id: id.slice(0, -1) + (id.endsWith('0') ? '1' : '0') }),
  metadata: ({ metadata }) => ({ metadata: flipped(metadata, 10) }),
  'metadata, which is no JSON any more': ({ metadata }) => ({ metadata: flipped(metadata, 0) }),
  'metadata, which is gone': () => ({ metadata: new Uint8Array() }),
  'content type': () => ({ contentType: 'application/octet-stream' }),
}

for (const [what, change] of Object.entries(contents))
  t.test(`a changed event in EventStoreDB is named: its ${what}`, async (t) => {
    const ledger = await AuditedOnStandIn.open(t)
    ledger.tampering.change(ledger.debit, change)
    const named = { kind: 'event', place: ledger.place(1, 2) }
    t.match(await ledger.divergence(), named)
    t.match(await ledger.divergenceOfWallet(1), named)
    t.equal(await ledger.divergenceOfWallet(0), undefined)
  })

t.test('whichever byte of an event is flipped, its wallet and revision are named', async (t) => {
  const ledger = await AuditedOnStandIn.open(t)
  const original = ledger.standIn.eventsOf(ledger.debit.stream)[2]
  if (original === undefined) throw new Error('there is a debit')
  const named = { kind: 'event', place: ledger.place(1, 2) }
  for (const field of ['data', 'metadata'] as const)
    for (let index = 0; index < original[field].length; index += 1) {
      ledger.tampering.change(ledger.debit, () => ({ [field]: flipped(original[field], index) }))
      t.match(await ledger.divergenceOfWallet(1), named, `byte ${index} of its ${field}`)
      ledger.tampering.change(ledger.debit, () => original)
    }
  t.equal(await ledger.divergenceOfWallet(1), undefined, 'and put back, all agrees')
})

t.test('two events in another order in EventStoreDB are named', async (t) => {
  const ledger = await AuditedOnStandIn.open(t)
  ledger.tampering.exchangeRevisions(ledger.streams[1], [2, 3])
  const position = ledger.positionOf(1, 2)
  t.match(await ledger.divergence(), { kind: 'event', place: ledger.place(1, 3, position) })
  const moved = ledger.place(1, 2, ledger.positionOf(1, 3))
  t.match(await ledger.divergenceOfWallet(1), { kind: 'event', place: moved })
})

t.test('two exchanged streams in EventStoreDB are named', async (t) => {
  const ledger = await AuditedOnStandIn.open(t)
  const [, one, other] = ledger.streams
  ledger.tampering.exchangeStreams([one, other])
  const first = ledger.place(2, 0, ledger.positionOf(1, 0))
  t.match(await ledger.divergence(), { kind: 'event', place: first })
  t.match(await ledger.divergenceOfWallet(2), { kind: 'event', place: first })
})

t.test('an event that was moved into another stream is named', async (t) => {
  const wallet = await AuditedOnStandIn.open(t)
  wallet.tampering.moveToStream(wallet.debit, wallet.streams[0])
  const place = wallet.place(0, 2, wallet.positionOf(1, 2))
  t.match(await wallet.divergence(), { kind: 'event', place, problem: /revision 7 must/ })

  // Below and above all ids of wallets, and among them.
  for (const stream of ['wallet-', 'wallet-8', 'wallet-g']) {
    const nobody = await AuditedOnStandIn.open(t)
    nobody.tampering.moveToStream(nobody.debit, stream)
    const position = `position ${nobody.positionOf(1, 2)} of the log`
    const named = { kind: 'log', place: position, problem: `is in no wallet: ${stream}` }
    t.match(await nobody.divergence(), named)
  }
})

t.test('an event deleted in the middle of a log in EventStoreDB is named', async (t) => {
  const ledger = await AuditedOnStandIn.open(t)
  ledger.tampering.delete(ledger.debit)
  const named = { kind: 'event', place: ledger.place(1, 3), problem: /\b2\b/ }
  t.match(await ledger.divergence(), named, 'what stands where it must stand')
  t.match(await ledger.divergenceOfWallet(1), named)
  t.equal(await ledger.divergenceOfWallet(0), undefined)
})

t.test('an event deleted at the end of a stream in EventStoreDB is named', async (t) => {
  const ledger = await AuditedOnStandIn.open(t)
  ledger.tampering.delete({ stream: ledger.streams[1], revision: 6 })
  const place = `the row of wallet ${ledger.audited.wallets[1]}`
  const problem = 'says revision 6, but the stream says 5'
  t.match(await ledger.divergence(), { kind: 'wallet-row', place, problem })
  t.match(await ledger.divergenceOfWallet(1), { kind: 'wallet-row', place, problem })
})

t.test('an event deleted at the tail of a log in EventStoreDB is named', async (t) => {
  const hole = await AuditedOnStandIn.open(t)
  hole.tampering.delete({ stream: hole.streams[2], revision: 6 })
  const place = `position ${hole.positionOf(2, 6)} of the log`
  t.match(await hole.divergence(), { kind: 'log', place, problem: /missing/ })
  t.match(await hole.divergenceOfWallet(2), { kind: 'wallet-row', problem: /says revision 6,/ })

  const older = await AuditedOnStandIn.open(t)
  older.standIn.faults.restoreTo(older.standIn.eventCount - 1)
  const end = `position ${older.positionOf(2, 6)} of the log`
  t.match(await older.divergence(), { kind: 'log', place: end, problem: /missing/ })
})

t.test('a stream that EventStoreDB was asked to delete: its wallet is named', async (t) => {
  const ledger = await AuditedOnStandIn.open(t)
  const client = EventStoreDBClient.connectionString(ledger.standIn.connectionString)
  t.teardown(() => client.dispose())
  await client.deleteStream(ledger.streams[0])
  const place = `the row of wallet ${ledger.audited.wallets[0]}`
  t.match(await ledger.divergenceOfWallet(0), { kind: 'wallet-row', place })
  await client.tombstoneStream(ledger.streams[1])
  const [, tombstoned] = ledger.audited.wallets
  const gone = { kind: 'log', place: `wallet ${tombstoned}, revision 0` }
  t.match(await ledger.divergenceOfWallet(1), { ...gone, problem: /was deleted/ })
})

t.test('a changed row is named with EventStoreDB too: of a transaction, of a wallet', async (t) => {
  const transaction = await AuditedOnStandIn.open(t)
  const change = 'amount_minor = amount_minor + 1 where wallet_id = $1 and revision = 2'
  const [, walletId] = transaction.audited.wallets
  await transaction.audited.tamper(`update read.transactions set ${change}`, [walletId])
  const row = { kind: 'transaction-row', place: transaction.place(1, 2), problem: /amount_minor/ }
  t.match(await transaction.divergence(), row)
  t.match(await transaction.divergenceOfWallet(1), row)

  const wallet = await AuditedOnStandIn.open(t)
  const [id] = wallet.audited.wallets
  const balance = 'balance_minor = balance_minor + 1 where wallet_id = $1'
  await wallet.audited.tamper(`update read.wallets set ${balance}`, [id])
  const place = `the row of wallet ${id}`
  t.match(await wallet.divergence(), { kind: 'wallet-row', place, problem: /^says a balance of/ })
})

t.test('a changed journal total is named with EventStoreDB too', async (t) => {
  const ledger = await AuditedOnStandIn.open(t)
  await ledger.audited.tamper(
    "update read.journal_totals set amount_minor = amount_minor + 1 where account = 'processor'",
  )
  const place = "the journal's total of account processor"
  t.match(await ledger.divergence(), { kind: 'journal-total', place })
})

t.test('read models that were set back hide nothing that is in EventStoreDB', async (t) => {
  const ledger = await AuditedOnStandIn.open(t)
  const [, toEndOf, without] = ledger.audited.wallets
  await setBack(ledger.audited.ledger, { toEndOf, without })
  const { parts } = ledger.audited
  const lags = { events: 21, wallets: 3, unprojectedEvents: 7, divergence: undefined }
  t.match(await verifyLedger(parts), lags)
  ledger.tampering.change({ stream: ledger.streams[2], revision: 2 }, ({ data }) => ({
    data: flipped(data, Buffer.from(data).indexOf(':200') + 1),
  }))
  t.match(await ledger.divergence(), { kind: 'event', place: ledger.place(2, 2) })

  const { store } = await storeUnderFault(t, { isPatient: true })
  const signed = await SignedLedger.open(t, { store })
  await signed.sign()
  const [, first, second] = signed.wallets
  const { position } = await setBack(signed.ledger, { toEndOf: first, without: second })
  const problem = `is beyond the read models (${position})`
  t.match(await signed.divergence(), { kind: 'checkpoint', place: 'checkpoint 1', problem })
})

t.test('a changed checkpoint is named with EventStoreDB too', async (t) => {
  const { store } = await storeUnderFault(t, { isPatient: true })
  const signed = await SignedLedger.open(t, { store })
  await signed.sign()
  await signed.move('pi_2')
  await signed.sign()
  t.equal(await signed.divergence(), undefined)
  const signature = 'set_byte(signature, 5, get_byte(signature, 5) # 1)'
  await signed.tamper(`update audit.checkpoints set signature = ${signature} where number = 1`)
  const named = { kind: 'checkpoint', place: 'checkpoint 1', problem: /signature/ }
  t.match(await signed.divergence(), named)
})
