/**
 * What a command with a reference says of its entry, and the data of the entry that comes of it:
 * the same fields in every entry, in the order in which they are stored. Pure.
 */
import type { EntryId, Issuer } from './ids.js'
import type { Reference } from './reference.js'
import type { SealedText, Time } from './wallet-events.js'

export interface EntryOrder {
  readonly entryId: EntryId
  readonly issuer: Issuer
  readonly reference: Reference
  readonly amountMinor: number
  readonly description?: SealedText
}

/** What a wallet holds and what of it is set aside. */
export interface Sums {
  readonly balanceMinor: number
  readonly heldMinor: number
}

/** `sums` are those before a change of the balance, and after one of the holds. */
export function entryData(sums: Sums, order: EntryOrder, time: Time, changeMinor = 0) {
  const { amountMinor, entryId, issuer, reference, description } = order
  const { heldMinor } = sums
  const balanceMinor = sums.balanceMinor + changeMinor
  const { referenceId, referenceType } = reference
  // Nearly every entry: nothing is made for holds where there are none.
  if (heldMinor === 0)
    return {
      amountMinor,
      balanceMinor,
      ...(description === undefined ? {} : { description }),
      entryId,
      issuer,
      referenceId,
      referenceType,
      time,
    }
  return {
    amountMinor,
    balanceMinor,
    ...(description === undefined ? {} : { description }),
    entryId,
    heldMinor,
    issuer,
    referenceId,
    referenceType,
    time,
  }
}
