/**
 * A ledger to be tampered with: three wallets with every kind of entry, projected, on the
 * database's own store or on another one; the hand of somebody with all rights over the database,
 * and what the audit says afterwards.
 */
import type { Divergence } from '../../src/audit/verifying/divergence.js'
import { verifyLedger } from '../../src/audit/verifying/verifier.js'
import type { WalletId } from '../../src/domain/ids.js'
import { entryIdOf, streamOf } from '../../src/domain/ids.js'
import { emptyWallet } from '../../src/domain/wallet.js'
import type { EntryEvent } from '../../src/domain/wallet-events.js'
import { isEntry, signOf } from '../../src/domain/wallet-events.js'
import { readNext, writeNext } from '../../src/domain/wallet-stream.js'
import type { EventStore } from '../../src/event-store/event-store.js'
import { systemClock } from '../../src/platform/clock.js'
import { credit, deactivate, debit, service } from './given.js'
import { newWalletId, TestDatabaseLedger } from './ledger.js'

interface Teardown {
  teardown(fn: () => unknown): void
}

export class AuditedLedger {
  readonly ledger: TestDatabaseLedger
  readonly wallets: readonly [WalletId, WalletId, WalletId]

  private constructor(
    ledger: TestDatabaseLedger,
    wallets: readonly [WalletId, WalletId, WalletId],
  ) {
    this.ledger = ledger
    this.wallets = wallets
  }

  /** Seven events a wallet: revision 0 opens it, 2 debits 200, 6 deactivates it. */
  static async open(t: Teardown, given?: { store: EventStore }): Promise<AuditedLedger> {
    const ledger = await TestDatabaseLedger.audited(t, given)
    const wallets = [newWalletId(), newWalletId(), newWalletId()] as const
    for (const of of wallets) {
      await ledger.send(of, credit(500, 'C-1', { of }))
      await ledger.send(of, debit(200, 'O-1', { of }))
      await ledger.send(of, credit(50, 'R-1', { of, refundOf: 'O-1' }))
      await ledger.send(of, debit(999, 'O-2', { of }))
      await ledger.send(of, service('TopUp', 70, 'pi_1', of))
      await ledger.send(of, deactivate)
    }
    await ledger.project()
    return new AuditedLedger(ledger, wallets)
  }

  get parts() {
    return { store: this.ledger.store, pool: this.ledger.pool, clock: systemClock }
  }

  /** What somebody with all rights could do. */
  async tamper(statement: string, values: readonly unknown[] = []): Promise<void> {
    const { pool } = this.ledger
    await pool.query('alter table ledger.events disable trigger events_only_grow')
    const { rowCount } = await pool.query(statement, [...values])
    if (rowCount === 0) throw new Error('the tampering touched nothing')
  }

  /** Appends an entry that no command could have made, hashed as it must be: one like another. */
  async forge(like: number, changes: { amountMinor?: number; referenceId?: string } = {}) {
    const { store } = this.ledger
    const [, of] = this.wallets
    const stream = streamOf(of)
    let wallet = emptyWallet(of)
    let model: EntryEvent | undefined
    let expectedId: string | undefined
    for await (const stored of store.readStream(stream, { fromRevision: 0, maxCount: 1_000 })) {
      const next = readNext(wallet, stored)
      wallet = next.wallet
      expectedId = stored.id
      if (stored.revision === like && isEntry(next.event)) model = next.event
    }
    if (model === undefined) throw new Error(`no entry at revision ${like}`)
    const data = { ...model.data, ...changes, time: new Date().toISOString() }
    const { issuer, referenceType, referenceId, amountMinor } = data
    const entryId = entryIdOf({ issuer, walletId: of, reference: { referenceType, referenceId } })
    const balanceMinor = wallet.balanceMinor + signOf[model.type] * amountMinor
    const event = { ...model, data: { ...data, entryId, balanceMinor } } as EntryEvent
    const { stored } = writeNext(wallet, event)
    const place = { stream, expectedRevision: wallet.revision, expectedId }
    await store.append({ ...place, events: [stored] })
  }

  async divergence(): Promise<Divergence | undefined> {
    return (await verifyLedger(this.parts)).divergence
  }

  at(revision: number, wallet = 1): RegExp {
    return new RegExp(`^wallet ${this.wallets[wallet]}, revision ${revision} \\(position \\d+\\)$`)
  }
}
