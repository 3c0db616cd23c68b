/**
 * The references under which the parts of a card payment are booked, and what one tells of another.
 * For ever: they are in events, and the entry ids are made of them (docs/reference/top-ups.md).
 */
import type { Reference } from './reference.js'
import { reference } from './reference.js'

export function topUpReference(paymentIntentId: string): Reference {
  return reference(labels.topUp, paymentIntentId)
}

export function refundReference(refundId: string): Reference {
  return reference(labels.refund, refundId)
}

export function failedRefundReference(refundId: string): Reference {
  return reference(labels.failedRefund, refundId)
}

/** By the dispute's id; a further movement of one dispute and direction also names itself. */
export function disputeReference(
  kind: 'withdrawn' | 'reinstated',
  { disputeId, furtherId }: { readonly disputeId: string; readonly furtherId?: string },
): Reference {
  const id = furtherId === undefined ? disputeId : `${disputeId}/${furtherId}`
  return reference(kind === 'withdrawn' ? labels.dispute : labels.wonDispute, id)
}

/** The payment of a top-up; undefined for a reference that no top-up has. */
export function paymentOf({ referenceType, referenceId }: Reference): string | undefined {
  return referenceType === labels.topUp ? referenceId : undefined
}

/** What a reinstatement gives back: the reversal before it. Undefined: it names none. */
export function reversalOf({ referenceType, referenceId }: Reference): Reference | undefined {
  // Read from an event, which may be forged: not asserted to be a reference that we would make.
  if (referenceType === labels.failedRefund) return { referenceType: labels.refund, referenceId }
  if (referenceType !== labels.wonDispute) return undefined
  const [disputeId = ''] = referenceId.split('/', 1)
  return { referenceType: labels.dispute, referenceId: disputeId }
}

/** A refund comes back whole; a dispute may be withdrawn in parts and reinstated at once. */
export function isGivenBackWhole({ referenceType }: Reference): boolean {
  return referenceType === labels.failedRefund
}

const labels = {
  topUp: 'TOPUP',
  refund: 'TOPUP_REFUND',
  failedRefund: 'TOPUP_REFUND_FAILED',
  dispute: 'TOPUP_DISPUTE',
  wonDispute: 'TOPUP_DISPUTE_REINSTATED',
} as const
