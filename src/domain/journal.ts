/**
 * Double entry: what an entry does to its wallet, and which account stands on the other side.
 * A positive amount on a wallet is what the platform owes the person; on a client app what it owes
 * the app. The two postings of an entry sum to zero. Pure; the view in
 * projections/journal/table.sql says the same in SQL, and `audit verify` compares the two.
 */
import type { EntryEvent } from './wallet-events.js'
import { signOf } from './wallet-events.js'

/** What the entry adds to the wallet's balance; 0 for a decline, which has no postings. */
export function walletPostingMinor(event: EntryEvent): number {
  return signOf[event.type] * event.data.amountMinor
}

/** The account that carries the same amount with the other sign. */
export function counterAccountOf(event: EntryEvent): string {
  switch (event.type) {
    case 'WalletCredited':
    case 'WalletDebited':
    case 'CreditDeclined':
    case 'DebitDeclined':
      return event.data.issuer
    case 'WalletToppedUp':
      return 'processor'
    case 'BonusGranted':
      return 'bonus'
    case 'TopUpReversed':
    case 'TopUpReinstated':
      return 'reversal'
  }
}
