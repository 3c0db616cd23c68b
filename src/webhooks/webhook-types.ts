/**
 * What a client app can be told, in the order in which one event tells it. Names and meanings are
 * for ever: backends of others branch on them.
 */
export const webhookTypes = [
  'wallet.topped_up',
  'wallet.top_up_failed',
  'wallet.top_up_reversed',
  'wallet.entry',
  'wallet.low_balance',
  'wallet.deactivated',
  'wallet.reactivated',
  'hold.expired',
  'link.created',
  'link.removed',
] as const

export type WebhookType = (typeof webhookTypes)[number]

/** Made on demand, for any endpoint; nobody can ask for it as a type. */
export const testType = 'webhook.test'

export function isWebhookType(text: string): text is WebhookType {
  return webhookTypes.some((type) => type === text)
}
