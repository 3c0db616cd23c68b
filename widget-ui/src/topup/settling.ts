/**
 * Asks the service what became of a payment, until there is an end or the time is over. Pure but
 * for what it is given. Promises: the processor's word in the browser is a hint for how long to
 * ask, never an answer; asking is bounded, with longer and longer pauses; an ended session is told
 * apart from everything else. Never: repeats a payment.
 */
import type { ConfirmAnswer } from './top-up-flow.js'

/**
 * What the processor's side told the browser. `cut`: it did not answer; `unknown`: it was not
 * asked, such as after a bank's own page.
 */
export type Hint = 'paid' | 'processing' | 'refused' | 'cut' | 'unknown'

/** How the paying itself went; `words`: why it failed, where the service cannot say it. */
export interface Attempt {
  readonly hint: Hint
  readonly words: string
}

export type Settled =
  | { readonly kind: 'told'; readonly answer: ConfirmAnswer }
  | { readonly kind: 'session ended' }
  | { readonly kind: 'no end' }

export interface Settling {
  readonly hint: Hint
  /** Rejects with something that has a `code`; SESSION_EXPIRED ends the asking. */
  readonly confirm: () => Promise<ConfirmAnswer>
  /** May end sooner, when something else says that the wallet has changed. */
  readonly pause: (ms: number) => Promise<void>
  readonly onProcessing: () => void
}

/** About two minutes in all; processors that need longer tell the service, not this page. */
export const pausesMs: readonly number[] = [
  500, 1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000, 10_000, 15_000, 15_000,
  20_000, 20_000,
]

/**
 * How often the service may say that nothing was paid until it is believed. A refusal is believed
 * at once; after silence, or against the processor's word, a payment may still be on its way.
 */
const unpaidAnswersMax: Readonly<Record<Hint, number>> = {
  refused: 1,
  cut: 3,
  unknown: 3,
  processing: 5,
  paid: 5,
}

export async function settle({ hint, confirm, pause, onProcessing }: Settling): Promise<Settled> {
  let unpaidAnswers = 0
  for (const pauseMs of [...pausesMs, undefined]) {
    const answer = await confirm().catch((error: unknown) => ({ failed: codeOf(error) }))
    if ('failed' in answer) {
      if (answer.failed === 'SESSION_EXPIRED') return { kind: 'session ended' }
      // Not this wallet's payment: asking again changes nothing.
      if (answer.failed === 'TOPUP_NOT_FOUND') break
    } else if (answer.status === 'booked' || answer.status === 'failed') {
      return { kind: 'told', answer }
    } else if (answer.status === 'processing') {
      onProcessing()
    } else {
      unpaidAnswers += 1
      if (unpaidAnswers >= unpaidAnswersMax[hint]) return { kind: 'told', answer }
    }
    if (pauseMs !== undefined) await pause(pauseMs)
  }
  return { kind: 'no end' }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
