/**
 * A ledger to be tampered with: three wallets with every kind of entry, projected, on the
 * database's own store or on another one; the hand of somebody with all rights over the database,
 * and what the audit says afterwards.
 */
import type { Divergence } from '../../src/audit/divergence.js'
import { verifyLedger } from '../../src/audit/verifier.js'
import type { WalletId } from '../../src/domain/ids.js'
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
    const ledger = await TestDatabaseLedger.open(t, given)
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

  async divergence(): Promise<Divergence | undefined> {
    return (await verifyLedger(this.parts)).divergence
  }

  at(revision: number, wallet = 1): RegExp {
    return new RegExp(`^wallet ${this.wallets[wallet]}, revision ${revision} \\(position \\d+\\)$`)
  }
}
