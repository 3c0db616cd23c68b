/**
 * The card processor of the configuration: Stripe, the sandbox, or none. Both are the same adapter;
 * the sandbox only brings a server of its own to talk to, and the sender of its webhooks.
 * States of the sandbox: answering → delivering too, from `start` on → closed.
 */
import type { Clock } from '../platform/clock.js'
import type { Log } from '../platform/log.js'
import type { Pool } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { webhookPath } from './card-processor.js'
import type { PaymentsConfig } from './payments-config.js'
import { startSandboxServer } from './sandbox/server.js'
import { SandboxWebhooks } from './sandbox/webhooks.js'
import { Sandbox } from './sandbox/sandbox.js'
import { StripeProcessor } from './stripe.js'

export interface Payments {
  /** Undefined: nothing can be topped up. */
  readonly processor: StripeProcessor | undefined
  readonly sandbox: Sandbox | undefined
  /** Once the service listens there. */
  start(serviceOrigin: string): void
  /** Before the service closes: its route takes what is under way. */
  stop(): Promise<void>
  close(): Promise<void>
}

export async function openPayments(
  config: PaymentsConfig,
  system: {
    readonly pool: Pool
    readonly clock: Clock
    readonly random: Random
    readonly log: Log
  },
): Promise<Payments> {
  if (config.kind === 'sandbox') return openSandbox(system)
  const { clock } = system
  const processor =
    config.stripe && new StripeProcessor({ name: 'stripe', clock, ...config.stripe })
  const nothing = (): Promise<void> => Promise.resolve()
  return { processor, sandbox: undefined, start: () => undefined, stop: nothing, close: nothing }
}

async function openSandbox(system: {
  readonly pool: Pool
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}): Promise<Payments> {
  const { clock, log } = system
  const sandbox = new Sandbox(system)
  const keys = await sandbox.keys()
  const server = await startSandboxServer({ sandbox, log, secretKey: keys.secretKey })
  const webhooks = new SandboxWebhooks({ ...system, sandbox, webhookSecret: keys.webhookSecret })
  return {
    processor: new StripeProcessor({ name: 'sandbox', clock, ...keys, apiBase: server.origin }),
    sandbox,
    start: (serviceOrigin) => webhooks.start(reachable(serviceOrigin) + webhookPath),
    stop: () => webhooks.stop(),
    close: () => server.close(),
  }
}

/** "Every address of this machine" is nothing that every system can connect to. */
function reachable(origin: string): string {
  return origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
