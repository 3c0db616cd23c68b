/** What the types and states of webhooks mean, in words. */
import type { WebhookDelivery } from '../../../src/http/schemas/answers/webhooks.js'
import type { BadgeProps } from '../shared/notice.js'

export function typeMeaning(type: string): string {
  return meanings[type] ?? ''
}

const meanings: Readonly<Record<string, string>> = {
  'wallet.topped_up': 'a card payment is booked',
  'wallet.top_up_failed': 'a bank refused a payment',
  'wallet.top_up_reversed': 'a refund or dispute took a payment back',
  'wallet.entry': 'an entry of this app is booked',
  'wallet.low_balance': 'a balance fell to a threshold',
  'wallet.deactivated': 'an admin deactivated a wallet',
  'wallet.reactivated': 'an admin reactivated a wallet',
  'hold.expired': 'a hold of this app ran out',
  'link.created': 'a person linked their wallet',
  'link.removed': 'a link was taken away',
}

interface StateWords extends Pick<BadgeProps, 'kind' | 'icon'> {
  readonly words: string
}

export function stateWords({ state, tries }: WebhookDelivery): StateWords {
  if (state === 'delivered') return { kind: 'good', icon: 'check', words: 'Delivered' }
  if (state === 'dead') return { kind: 'danger', icon: 'refuse', words: 'Given up' }
  if (tries > 0) return { kind: 'warning', icon: 'alert', words: 'Comes again' }
  return { kind: 'plain', icon: 'pause', words: 'Waiting' }
}
