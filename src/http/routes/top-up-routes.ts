/**
 * Everything about top-ups over HTTP, in one place: the widget's calls, the processor's webhook,
 * and the test cards where payments are the sandbox.
 */
import type { CardProcessor } from '../../top-ups/card-processor.js'
import type { Sandbox } from '../../top-ups/sandbox/sandbox.js'
import type { App } from '../app.js'
import { registerSandboxCards } from './sandbox-cards.js'
import { registerStripeWebhook } from './stripe-webhook.js'
import { registerWidgetTopUp, type WidgetTopUpParts } from './widget-topup.js'

export interface TopUpRoutesParts extends WidgetTopUpParts {
  readonly processor: CardProcessor | undefined
  readonly sandbox: Sandbox | undefined
}

export function registerTopUpRoutes(app: App, parts: TopUpRoutesParts): void {
  const { processor, topUps, sandbox } = parts
  registerWidgetTopUp(app, parts)
  if (processor !== undefined && topUps !== undefined)
    registerStripeWebhook(app, { processor, topUps })
  if (sandbox !== undefined) registerSandboxCards(app, { sandbox })
}
