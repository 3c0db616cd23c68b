/** What is said of top-ups that a bank is at, wherever another one is offered. */
import type { Formats } from '../shared/formats.js'

export function pendingWords(
  pending: readonly { readonly amount: number }[],
  { money, counted }: Pick<Formats, 'money' | 'counted'>,
): string {
  const [first] = pending
  const what =
    pending.length === 1 && first !== undefined
      ? `A top-up of ${money(first.amount)} is`
      : `${counted(pending.length, 'top-up', 'top-ups')} are`
  return `${what} being processed by your bank. You need not pay it again.`
}
