/** How a wallet, its person and its entries are named in words. */
import { inWords } from '../shared/formats.js'
import type { Entry, FoundWallet } from '../../../src/http/schemas/answers/admin.js'

export function personName({ firstName, lastName, email, walletId }: FoundWallet): string {
  const name = [firstName, lastName].filter((part) => part !== null && part !== '').join(' ')
  if (name !== '') return name
  return email ?? `Wallet ${walletId.slice(0, 8)}`
}

/** What the person would call it: "Order payment", "Top-up". */
export function entryName({
  event,
  referenceType,
}: Pick<Entry, 'event' | 'referenceType'>): string {
  switch (event) {
    case 'WalletToppedUp':
      return 'Top-up'
    case 'TopUpReversed':
      return referenceType === 'TOPUP_DISPUTE' ? 'Top-up disputed' : 'Top-up refunded'
    case 'TopUpReinstated':
      return 'Top-up reinstated'
    case 'BonusGranted':
      return 'Bonus'
    default:
      return inWords(referenceType)
  }
}

const declines: Readonly<Record<string, string>> = {
  INSUFFICIENT_BALANCE: 'the balance was not sufficient',
  WALLET_INACTIVE: 'the wallet was inactive',
  REFUND_EXCEEDS_DEBIT: 'more than was left of the debit to refund',
  BALANCE_LIMIT_EXCEEDED: 'the balance would have become too large',
  VOIDED: 'the client app voided this reference',
}

export function declineInWords({ code, event }: Entry): string {
  const what = event === 'CreditDeclined' ? 'Credit declined' : 'Debit declined'
  const why = declines[code ?? ''] ?? inWords(code ?? 'for no known reason').toLowerCase()
  return `${what}: ${why}. No money moved.`
}
