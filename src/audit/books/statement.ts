/**
 * A wallet's stream as a statement: every event with the balance after it, its outcome, who issued
 * it, and the code of what was declined. Promises: replayed from the stream, each event checked
 * against the chain, one at a time, so a statement of any length needs little memory.
 * Never: reads a projection, or shows a text whose key is destroyed ("erased").
 */
import type { EventStore } from '../../event-store/event-store.js'
import type { Issuer, WalletId } from '../../domain/ids.js'
import { streamOf } from '../../domain/ids.js'
import type { DeclineCode, WalletEvent } from '../../domain/wallet-events.js'
import { isEntry, signOf } from '../../domain/wallet-events.js'
import { unseal } from '../../platform/sealing.js'
import { WalletFold } from '../verifying/wallet-fold.js'

export interface StatementLine {
  readonly revision: number
  readonly position: string
  readonly eventId: string
  readonly time: string
  readonly event: WalletEvent['type']
  readonly outcome: 'applied' | 'declined' | 'recorded'
  readonly code: DeclineCode | null
  /** What it did to the balance; 0 when nothing moved. */
  readonly changeMinor: number
  /** What was asked for; null where no money was asked for. */
  readonly amountMinor: number | null
  readonly balanceMinor: number
  /** What open holds set aside of it; left out when it is nothing. */
  readonly heldMinor?: number
  readonly isActive: boolean
  readonly referenceType: string | null
  readonly referenceId: string | null
  readonly issuer: Issuer | null
  /** `erased` once the person's key is destroyed; null where there never was a text. */
  readonly description: string | null
  readonly hash: string
}

export interface StatementRange {
  /** Inclusive. */
  readonly from?: string
  /** Exclusive. */
  readonly to?: string
  /** Up to this revision, inclusive. */
  readonly throughRevision?: number
  /** Up to this time, inclusive. */
  readonly throughTime?: string
}

/** Throws DivergenceError at an event that breaks a rule. */
export async function* readStatement(
  store: EventStore,
  of: { readonly walletId: WalletId; readonly sealingKey: Buffer | undefined },
  range: StatementRange = {},
): AsyncGenerator<StatementLine, void> {
  const fold = new WalletFold(of.walletId)
  const all = { fromRevision: 0, maxCount: Number.MAX_SAFE_INTEGER }
  for await (const recorded of store.readStream(streamOf(of.walletId), all)) {
    const { event } = fold.take(recorded)
    const { time } = event.data
    if (range.throughRevision !== undefined && recorded.revision > range.throughRevision) return
    if (range.throughTime !== undefined && time > range.throughTime) return
    if (range.to !== undefined && time >= range.to) return
    if (range.from !== undefined && time < range.from) continue
    const { balanceMinor, heldMinor, isActive, hash } = fold.wallet
    yield {
      revision: recorded.revision,
      position: String(recorded.position),
      eventId: recorded.id,
      time,
      event: event.type,
      ...describe(event, of.sealingKey),
      balanceMinor,
      ...(heldMinor !== 0 && { heldMinor }),
      isActive,
      hash,
    }
  }
}

function describe(event: WalletEvent, key: Buffer | undefined) {
  if (!isEntry(event)) {
    const isStatus = event.type !== 'WalletOpened'
    return {
      outcome: 'recorded' as const,
      code: null,
      changeMinor: 0,
      amountMinor: null,
      referenceType: null,
      referenceId: null,
      issuer: isStatus ? event.data.issuer : null,
      description: isStatus ? event.data.reason : null,
    }
  }
  const { data } = event
  const code = 'code' in data ? data.code : null
  const text = data.description
  const opened = text && unseal(text, { key, entryId: data.entryId })
  return {
    outcome: code === null ? ('applied' as const) : ('declined' as const),
    code,
    changeMinor: signOf[event.type] * data.amountMinor,
    amountMinor: data.amountMinor,
    referenceType: data.referenceType,
    referenceId: data.referenceId,
    issuer: data.issuer,
    description: text === undefined ? null : (opened ?? 'erased'),
  }
}
