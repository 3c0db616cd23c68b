/**
 * What the operator says about webhooks: whether they may go into a private network, and the key
 * that seals signing secrets. Read by src/config.ts.
 */
import { join } from 'node:path'
import type { SecretKeyConfig } from './secret-key.js'

export interface WebhooksConfig extends SecretKeyConfig {
  /** Also allows http. */
  readonly allowPrivate: boolean
}

export interface WebhooksVariables {
  readonly DATA_DIR: string
  readonly WEBHOOKS_ALLOW_PRIVATE: string
  readonly WEBHOOKS_KEY?: string
}

/** What the service of this database allowed when it last started, for commands beside it. */
export const allowPrivateSetting = 'webhooks-allow-private'

export function webhooksConfig(values: WebhooksVariables): WebhooksConfig {
  return {
    allowPrivate: ['true', '1', 'on', 'yes'].includes(values.WEBHOOKS_ALLOW_PRIVATE),
    key: values.WEBHOOKS_KEY,
    keyFile: join(values.DATA_DIR, 'webhook-key'),
  }
}
