/**
 * Double entry: what an entry does to its wallet, and which account stands on the other side.
 * A positive amount on a wallet is what the platform owes the person; on a client app what it owes
 * the app. The two postings of an entry sum to zero. Pure; the view in
 * projections/journal/table.sql says the same in SQL, and `audit verify` compares the two.
 */
import type { EntryEvent } from './wallet-events.js'
import { signOf } from './wallet-events.js'

/** What the entry adds to the wallet's balance; 0 for declines and holds: they have no postings. */
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
    case 'HoldPlaced':
    case 'HoldDeclined':
    case 'HoldCaptured':
    case 'CaptureDeclined':
    case 'HoldReleased':
    case 'ReleaseDeclined':
    case 'HoldExpired':
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

/** What one account carries. All wallets together are one account here. */
export interface AccountTotal {
  amountMinor: bigint
  postings: number
}

/** The sums of the postings of many entries, account by account. */
export class JournalTotals {
  readonly accounts = new Map<string, AccountTotal>()

  add(event: EntryEvent): void {
    this.#book(event, 1)
  }

  /** As if it had never been added. */
  remove(event: EntryEvent): void {
    this.#book(event, -1)
  }

  #book(event: EntryEvent, times: 1 | -1): void {
    if (signOf[event.type] === 0) return
    const walletMinor = BigInt(times * walletPostingMinor(event))
    this.#post('wallet', walletMinor, times)
    this.#post(counterAccountOf(event), -walletMinor, times)
  }

  #post(account: string, amountMinor: bigint, postings: number): void {
    const total = this.accounts.get(account) ?? { amountMinor: 0n, postings: 0 }
    total.amountMinor += amountMinor
    total.postings += postings
    this.accounts.set(account, total)
  }
}
