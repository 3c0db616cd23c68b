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
    case 'HoldPlaced':
      return `Hold: ${inWords(referenceType)}`
    case 'HoldCaptured':
      return `Hold captured: ${inWords(referenceType)}`
    case 'HoldReleased':
      return `Hold released: ${inWords(referenceType)}`
    case 'HoldExpired':
      return 'Hold expired'
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
  CAPTURE_EXCEEDS_HOLD: 'more than was left of the hold',
  HOLD_CLOSED: 'the hold was used up, released or expired, or never was',
  TOO_MANY_HOLDS: 'as many holds as a wallet may have were open',
}

const declinedEvents: Readonly<Record<string, string>> = {
  CreditDeclined: 'Credit declined',
  HoldDeclined: 'Hold declined',
  CaptureDeclined: 'Capture declined',
  ReleaseDeclined: 'Release declined',
}

export function declineInWords({ code, event }: Entry): string {
  const what = declinedEvents[event] ?? 'Debit declined'
  const why = declines[code ?? ''] ?? inWords(code ?? 'for no known reason').toLowerCase()
  return `${what}: ${why}. No money moved.`
}
