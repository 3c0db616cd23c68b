/**
 * The processor's webhook. Promises: the signature is checked over the bytes as they came, within a
 * replay window, before anything else; what it names is looked at by `settle`, so a replayed,
 * repeated or reordered webhook changes nothing twice; 200 only when that is done, and otherwise
 * the processor sends it again. Never: reads an amount or a status out of the body.
 */
import { webhookBytesMax } from '../../top-ups/limits.js'
import { WebhookRefusedError, webhookPath } from '../../top-ups/card-processor.js'
import type { CardProcessor, WebhookHint } from '../../top-ups/card-processor.js'
import type { TopUps } from '../../top-ups/top-up.js'
import type { App } from '../app.js'
import { checked, type AnswerOf, type RequestOf } from '../contract.js'
import { ApiError } from '../errors.js'
import { webhookSchema } from '../schemas/top-ups.js'

export interface StripeWebhookParts {
  readonly processor: CardProcessor
  readonly topUps: TopUps
}

export function registerStripeWebhook(app: App, parts: StripeWebhookParts): void {
  // A scope of its own: everywhere else a body is JSON and parsed.
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser<Buffer>(
      '*',
      { parseAs: 'buffer', bodyLimit: webhookBytesMax },
      (_request, body, parsed) => parsed(null, body),
    )
    const options = { schema: webhookSchema, bodyLimit: webhookBytesMax }
    scope.post(webhookPath, options, (request) => receive(parts, request))
    done()
  })
}

async function receive(
  { processor, topUps }: StripeWebhookParts,
  request: RequestOf<typeof webhookSchema>,
): Promise<AnswerOf<typeof webhookSchema>> {
  const { paymentIntentId } = hintOf(processor, request)
  // Undefined and payments of others: the account may be used for more than top-ups.
  if (paymentIntentId !== undefined) await topUps.settle(paymentIntentId)
  return { received: true }
}

function hintOf(processor: CardProcessor, request: RequestOf<typeof webhookSchema>): WebhookHint {
  const { body } = checked(request)
  const signature = request.headers['stripe-signature']
  try {
    return processor.readWebhook({
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      signature: typeof signature === 'string' ? signature : undefined,
    })
  } catch (error) {
    if (error instanceof WebhookRefusedError) throw new ApiError('INVALID_SIGNATURE')
    throw error
  }
}
