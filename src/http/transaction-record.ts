/**
 * An entry as the contract's transaction record. Promises: a client app sees of what other apps did
 * the amount, the time and the balance, and nothing that tells what it was for.
 */
import type { Issuer } from '../domain/ids.js'
import type { Currency } from '../domain/money.js'
import { toMajor } from '../domain/money.js'
import { signOf } from '../domain/wallet-events.js'
import { turnOfEventLoop } from '../platform/gather.js'
import { unseal } from '../platform/sealing.js'
import type { Entry } from '../reading/wallet-reader.js'
import { entriesAtAStretch } from './limits.js'
import type { TransactionRecord } from './schemas/answers/wallets.js'

export interface RecordContext {
  readonly currency: Currency
  readonly sealingKey: Buffer | undefined
  /** The client app that reads; undefined shows everything. */
  readonly reader?: Issuer
}

/** A long page in stretches: between two of them everyone else has a turn. */
export async function transactionRecords(
  entries: readonly Entry[],
  context: RecordContext,
): Promise<TransactionRecord[]> {
  const records: TransactionRecord[] = []
  for (const entry of entries) {
    if (records.length > 0 && records.length % entriesAtAStretch === 0) await turnOfEventLoop()
    records.push(transactionRecord(entry, context))
  }
  return records
}

export function transactionRecord(entry: Entry, context: RecordContext): TransactionRecord {
  const { currency, reader } = context
  const isHidden = reader !== undefined && !isVisibleTo(entry.issuer, reader)
  return {
    id: entry.entryId,
    type: signOf[entry.type] === 1 ? 'credit' : 'debit',
    amount: toMajor(entry.amountMinor, currency),
    balanceAfter: toMajor(entry.balanceMinor, currency),
    referenceType: isHidden ? null : entry.referenceType,
    referenceId: isHidden ? null : entry.referenceId,
    description: isHidden ? null : openDescription(entry, context),
    createdAt: entry.time,
  }
}

/** Its own entries and those of the service's flows. */
export function isVisibleTo(issuer: Issuer, reader: Issuer): boolean {
  return issuer === reader || issuer === 'service'
}

function openDescription({ description, entryId }: Entry, { sealingKey: key }: RecordContext) {
  if (description === undefined) return null
  return unseal(description, { key, entryId }) ?? null
}
