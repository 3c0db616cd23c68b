/**
 * A small ledger with everything that an audit looks at: three people with wallets and entries,
 * intents of their top-ups and a card processor that knows two of the three payments, acts of
 * admins, two checkpoints with their witness and one entry beyond them.
 * It is closed once it is made: each test works on a copy of its own.
 */
import type { VerifyReport } from '../../src/audit/verifying/verifier.js'
import { verifyLedger } from '../../src/audit/verifying/verifier.js'
import { witnessLog } from '../../src/audit/proofs/witness-log.js'
import { decodeHash, encodeHash, eventIdOf, nextHash } from '../../src/domain/hash-chain.js'
import type { WalletId } from '../../src/domain/ids.js'
import { streamOf } from '../../src/domain/ids.js'
import { canonicalJson, decodeEvent, isEntry } from '../../src/domain/wallet-events.js'
import { AdminLog } from '../../src/identity/admin-log.js'
import { systemClock } from '../../src/platform/clock.js'
import type { CardProcessor, Payment } from '../../src/top-ups/card-processor.js'
import { ProcessorUnavailableError } from '../../src/top-ups/card-processor.js'
import { PaymentRecords } from '../../src/top-ups/payment-records.js'
import { SignedLedger } from './checkpoints.js'
import { copiedDatabase } from './database.js'
import type { MakeEvent } from './given.js'
import { credit, debit, service } from './given.js'
import { newWalletId, TestDatabaseLedger } from './ledger.js'

interface Teardown {
  teardown(fn: () => unknown): void
}

export const people = ['usr_ada', 'usr_ben', 'usr_eve'] as const

export class SmallLedger {
  readonly signed: SignedLedger
  /** What the processor answers about a payment; 'away' when it does not answer. */
  processor: 'away' | ReadonlyMap<string, { walletId: WalletId; receivedMinor: number }>
  /** The read models before the last entry. */
  readonly rowsBefore: Awaited<ReturnType<TestDatabaseLedger['rows']>>

  private constructor(
    signed: SignedLedger,
    processor: SmallLedger['processor'],
    rowsBefore: SmallLedger['rowsBefore'],
  ) {
    this.signed = signed
    this.processor = processor
    this.rowsBefore = rowsBefore
  }

  static async make(t: Teardown): Promise<SmallLedger> {
    const closing: (() => unknown)[] = []
    const ledger = await TestDatabaseLedger.audited({ teardown: (fn) => closing.push(fn) })
    const wallets = [newWalletId(), newWalletId(), newWalletId()] as const
    for (const [index, of] of wallets.entries()) {
      await ledger.pool.query(
        'insert into identity.users (service_user_id, wallet_id, sealing_key) values ($1, $2, $3)',
        [people[index], of, Buffer.alloc(32)],
      )
      await ledger.send(of, credit(500, 'C-1', { of }))
      await ledger.send(of, debit(200, 'O-1', { of }))
      await ledger.send(of, credit(50, 'R-1', { of, refundOf: 'O-1' }))
      await ledger.send(of, debit(999, 'O-2', { of }))
      await ledger.send(of, service('TopUp', 70, `pi_${index}`, of))
      await ledger.pool.query(insertIntent, [`pi_${index}`, of, people[index]])
    }
    const adminLog = new AdminLog({ pool: ledger.pool, clock: systemClock })
    const act = { adminId: null, action: 'client-app.create', subject: 'shop', details: {} }
    await adminLog.append(act)
    await adminLog.append({ ...act, subject: 'market' })
    await ledger.project()
    const signed = await SignedLedger.over(t, { ledger, wallets })
    const [ada, , eve] = wallets
    await signed.sign()
    await ledger.send(ada, debit(20, 'O-5', { of: ada }))
    await ledger.project()
    await signed.sign()
    const rowsBefore = await ledger.rows()
    await ledger.send(eve, debit(20, 'O-5', { of: eve }))
    await ledger.project()
    await witnessLog(signed.parts)
    // The first that was to be torn down is the database itself: it stays, for the copies.
    const [drop, ...others] = closing
    for (const close of others.reverse()) await close()
    t.teardown(() => drop?.())
    const known = wallets.slice(0, 2).map((walletId, index) => {
      return [`pi_${index}`, { walletId, receivedMinor: 70 }] as const
    })
    return new SmallLedger(signed, new Map(known), rowsBefore)
  }

  /** The same on a database of its own. */
  async copy(t: Teardown): Promise<SmallLedger> {
    const { url } = await copiedDatabase(t, this.signed.ledger.url)
    const ledger = await TestDatabaseLedger.join(t, url)
    return new SmallLedger(this.signed.over(ledger), this.processor, this.rowsBefore)
  }

  verify(): Promise<VerifyReport> {
    const { pool } = this.signed.ledger
    const processor = () => Promise.resolve(this.#processor)
    const payments = new PaymentRecords({ pool, clock: systemClock, processor })
    return verifyLedger({ ...this.signed.parts, payments })
  }

  /** Appends an event, hashed as it must be, whatever the rules say; its revision. */
  async forge(of: WalletId, make: MakeEvent): Promise<number> {
    const { store } = this.signed.ledger
    const stream = streamOf(of)
    let [revision, balanceMinor, hash, expectedId] = [-1, 0, decodeHash(noHash), '']
    for await (const stored of store.readStream(stream, { fromRevision: 0, maxCount: 1_000 })) {
      const event = decodeEvent(stored.type, stored.data)
      if (isEntry(event)) balanceMinor = event.data.balanceMinor
      ;[revision, hash, expectedId] = [stored.revision, decodeHash(stored.metadata), stored.id]
    }
    const event = make({ walletId: of, balanceMinor, heldMinor: 0 })
    const { type } = event
    const data = canonicalJson(event.data)
    const next = nextHash(hash, { walletId: of, revision: revision + 1, type, data })
    const id = eventIdOf(isEntry(event) ? event.data.entryId : of, next)
    const events = [{ id, type, data, metadata: encodeHash(next) }]
    const written = await store.append({ stream, expectedRevision: revision, expectedId, events })
    if (written.kind !== 'written') throw new Error('the forged event is not written')
    return revision + 1
  }

  get #processor(): CardProcessor {
    const notAsked = () => {
      throw new Error('an audit only looks')
    }
    return {
      name: 'sandbox',
      createIntent: notAsked,
      cancelIntent: notAsked,
      readWebhook: notAsked,
      fetchPayment: async (paymentIntentId) => {
        await Promise.resolve()
        if (this.processor === 'away') throw new ProcessorUnavailableError('away')
        const found = this.processor.get(paymentIntentId)
        return found && paymentOf(paymentIntentId, found)
      },
    }
  }
}

const noHash = `{"hash":"${'0'.repeat(64)}"}`

function paymentOf(
  paymentIntentId: string,
  { walletId, receivedMinor }: { walletId: WalletId; receivedMinor: number },
): Payment {
  return {
    ...{ paymentIntentId, status: 'succeeded', currencyCode: 'usd', amountMinor: receivedMinor },
    ...{ receivedMinor, tag: { topUpId: paymentIntentId, walletId, clientId: 'shop' } },
    ...{ failure: undefined, refunds: [], disputes: [] },
  }
}

const insertIntent = `
  insert into payments.top_up_intents (top_up_id, processor, payment_intent_id, wallet_id,
    service_user_id, client_id, amount_minor, currency, status, created_at)
  values (gen_random_uuid(), 'sandbox', $1, $2, $3, 'shop', 70, 'usd', 'paid', now())`
