/**
 * The corpus of forgeries, as far as holds are concerned: streams whose last entry no command could
 * have made, and honest ones beside them.
 */
import {
  booked,
  credited,
  deactivated,
  debitDeclined,
  debited,
  entered,
  holdCaptured,
  holdExpired,
  holdPlaced,
  holdReleased,
  later,
  opened,
  shop,
} from './given.js'
import type { MakeEvent } from './given.js'

export interface Forgery {
  /** Before the forged entry; all honest. */
  readonly before: readonly MakeEvent[]
  readonly forged: MakeEvent
  /** What `audit verify` says of the entry. */
  readonly audit: RegExp
  /** What `verify-bundle` says of it. */
  readonly bundle: RegExp
}

const history = [opened, credited(500, 'C-1'), debited(80, 'O-1')]

/** Of 420: 300 held, 100 of them captured, and 50 held besides. */
const held = [
  ...history,
  holdPlaced(300, 'H-1'),
  holdCaptured('H-1', 100, 'K-1'),
  holdPlaced(50, 'H-2'),
]
const released = [...held, holdReleased('H-1', 200, 'X-1')]
const notOpen = {
  audit: /only an open hold is captured, released or expires$/,
  bundle: /hold that is (not open|used up, released or expired)/,
}

export const holdForgeries: Readonly<Record<string, Forgery>> = {
  'a capture above its hold': {
    before: held,
    forged: holdCaptured('H-1', 201, 'K-2'),
    audit: /no more is captured than is held$/,
    bundle: /^captures more than its hold has left/,
  },
  'a capture after the release': {
    before: released,
    forged: holdCaptured('H-1', 1, 'K-2'),
    ...notOpen,
  },
  'a capture of a hold that never was': {
    before: held,
    forged: holdCaptured('O-1', 1, 'K-2'),
    ...notOpen,
  },
  'a capture after the expiry': {
    before: [...held, holdExpired('H-1', 200), holdExpired('H-2', 50)],
    forged: holdCaptured('H-1', 200, 'K-2', { time: later(8 * 86_400) }),
    ...notOpen,
  },
  'a release of what is released': {
    before: released,
    forged: holdReleased('H-1', 200, 'X-2'),
    ...notOpen,
  },
  'a release of more than is left': {
    before: held,
    forged: holdReleased('H-1', 300, 'X-1'),
    audit: /a release gives back all that is left$/,
    bundle: /^releases another amount than its hold has left/,
  },
  'a final capture that releases too little': {
    before: held,
    forged: holdCaptured('H-1', 100, 'K-2', { releasedMinor: 99 }),
    audit: /a final capture releases all that is left$/,
    bundle: /^releases another amount than its hold has left/,
  },
  'an expiry too early': {
    before: held,
    forged: holdExpired('H-1', 200, { time: later(3_600) }),
    audit: /a hold never expires before its time$/,
    bundle: /^is an expiry before its time/,
  },
  'an expiry that an app issued': {
    before: held,
    forged: holdExpired('H-1', 200, { issuer: shop }),
    audit: /apps issue debits and credits, the service all else$/,
    bundle: /^has no valid issuer/,
  },
  'a debit of what is held': {
    before: held,
    forged: debited(71, 'O-3'),
    audit: /what is held is not taken or held once more$/,
    bundle: /^takes what holds have set aside/,
  },
  'a hold of what is held': {
    before: held,
    forged: holdPlaced(71, 'H-3'),
    audit: /what is held is not taken or held once more$/,
    bundle: /^takes what holds have set aside/,
  },
  'a debit that goes before an expiry that is due': {
    before: held,
    forged: debited(1, 'O-3', { time: later(8 * 86_400) }),
    audit: /a hold that has expired is released before anything later$/,
    bundle: /^was written before the release of a hold that had expired/,
  },
  'a hold that lasts for a year': {
    before: held,
    forged: holdPlaced(1, 'H-3', { expiresAt: later(365 * 86_400) }),
    audit: /^holds for a time that no command may ask for/,
    bundle: /^is a hold for a time that no command may ask for/,
  },
  'a hold while deactivated': {
    before: [...history, deactivated],
    forged: holdPlaced(1, 'H-3'),
    audit: /an inactive wallet is neither debited nor credited$/,
    bundle: /^moves money of a wallet that was deactivated/,
  },
  'a debit that hides what is held': {
    before: held,
    forged: withoutHeld(debited(1, 'O-3')),
    audit: /the held sum in an event is the fold of all before it$/,
    bundle: /^says another sum of what is held/,
  },
  'a hold that was declined though enough was there': {
    before: held,
    forged: entered('HoldDeclined', {
      ...{ amountMinor: 70, referenceId: 'H-3', code: 'INSUFFICIENT_BALANCE' },
    }),
    audit: /a decline has its reason in all before it$/,
    bundle: / gives no reason to\.$/,
  },
  'a capture that was declined though its hold was open': {
    before: held,
    forged: entered('CaptureDeclined', {
      ...{ amountMinor: 1, referenceId: 'K-2', holdOf: 'H-1', code: 'HOLD_CLOSED' },
    }),
    audit: /a decline has its reason in all before it$/,
    bundle: / gives no reason to\.$/,
  },
  'a declined release with an amount': {
    before: released,
    forged: entered('ReleaseDeclined', {
      ...{ amountMinor: 1, referenceId: 'X-2', holdOf: 'H-1', code: 'HOLD_CLOSED' },
    }),
    audit: /^holds another amountMinor than the rules make/,
    bundle: /^is a declined release, but with an amount/,
  },
  'a refund above its capture': {
    before: held,
    forged: credited(101, 'R-3', { refundOf: 'K-1' }),
    audit: /^refunds more than its debit has left/,
    bundle: /^refunds more than its debit has left/,
  },
}

/** Streams that commands made. */
export const honestHolds: Readonly<Record<string, readonly MakeEvent[]>> = {
  'holds that are captured in parts, released and refunded': [
    ...released,
    holdCaptured('H-2', 20, 'K-2', { releasedMinor: 30 }),
    entered('CaptureDeclined', {
      ...{ amountMinor: 0, referenceId: 'K-3', holdOf: 'H-2', code: 'HOLD_CLOSED' },
    }),
    entered('ReleaseDeclined', {
      ...{ amountMinor: 0, referenceId: 'X-2', holdOf: 'H-2', code: 'HOLD_CLOSED' },
    }),
    credited(100, 'R-3', { refundOf: 'K-1' }),
    entered('HoldDeclined', {
      ...{ amountMinor: 999, referenceId: 'H-3', code: 'INSUFFICIENT_BALANCE' },
    }),
  ],
  'holds that expire, of an inactive wallet too': [
    ...held,
    entered('CaptureDeclined', {
      ...{ amountMinor: 201, referenceId: 'K-2', holdOf: 'H-1', code: 'CAPTURE_EXCEEDS_HOLD' },
    }),
    deactivated,
    entered('CaptureDeclined', {
      ...{ amountMinor: 200, referenceId: 'K-3', holdOf: 'H-1', code: 'WALLET_INACTIVE' },
    }),
    holdReleased('H-1', 200, 'X-1'),
    holdExpired('H-2', 50, { time: later(9 * 86_400) }),
  ],
  'a capture that is declined after a reversal': [
    opened,
    booked('WalletToppedUp', 100, 'pi_1'),
    holdPlaced(90, 'H-1'),
    booked('TopUpReversed', 80, 're_1', 'TOPUP_REFUND'),
    entered('CaptureDeclined', {
      ...{ amountMinor: 90, referenceId: 'K-1', holdOf: 'H-1', code: 'INSUFFICIENT_BALANCE' },
    }),
    holdCaptured('H-1', 20, 'K-2'),
    debitDeclined(1, 'O-1', { code: 'INSUFFICIENT_BALANCE' }),
  ],
}

function withoutHeld(make: MakeEvent): MakeEvent {
  return (wallet) => make({ ...wallet, heldMinor: 0 })
}
