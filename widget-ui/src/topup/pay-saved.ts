/**
 * Pays with a saved card: the service asks the processor, and its word is a hint for the page,
 * never an answer. Promises: no answer is told apart from a refusal, so that nobody pays twice; the
 * bank's check is asked for when the processor wants it.
 */
import type { PayAnswer } from '../../../src/http/schemas/answers/top-ups.js'
import { asFailure, type WidgetApi } from '../widget/api.js'
import { say } from '../words/say.js'
import { attemptOf } from './pay-sandbox.js'
import type { Attempt } from './settling.js'
import type { Intent } from './top-up-flow.js'

export async function payWithSaved(of: {
  readonly api: WidgetApi
  readonly intent: Intent
  readonly cardId: string
  /** The bank wants to be asked: how that ended. */
  readonly onCheck: () => Promise<Attempt>
}): Promise<Attempt> {
  const { api, intent, cardId } = of
  const body = { paymentIntentId: intent.paymentIntentId, cardId }
  try {
    const answer = await api.call<PayAnswer>('POST', '/api/widget/account/cards/pay', { body })
    return answer.status === 'requires_action' ? await of.onCheck() : attemptOf(answer)
  } catch (error) {
    const { status, message } = asFailure(error)
    // Refused before a bank was asked; anything else may have reached it.
    const isRefusal = status >= 400 && status < 500
    return isRefusal ? { hint: 'refused', words: message } : { hint: 'cut', words: say('pay.cut') }
  }
}
