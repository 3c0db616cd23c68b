/** What is said of top-ups that a bank is at, wherever another one is offered. */
import type { Formats } from '../shared/formats.js'
import { say } from '../words/say.js'

export function pendingWords(
  pending: readonly { readonly amount: number }[],
  { money }: Pick<Formats, 'money'>,
): string {
  const [first] = pending
  return pending.length === 1 && first !== undefined
    ? say('wallet.pendingOne', { amount: money(first.amount) })
    : say('wallet.pendingMany', { count: pending.length })
}
