/**
 * Why the service refused an amount, with its own numbers. Values only. Promises: whatever the
 * answer holds, the sentence says that no money was taken.
 */
import { say } from '../words/say.js'

export interface RefusedAmount {
  readonly code: string
  readonly message: string
  readonly body: Readonly<Record<string, unknown>>
}

export function refusalWords(refused: RefusedAmount, money: (amount: number) => string): string {
  return `${reason(refused, money)} ${say('topUp.nothingTaken')}`
}

function reason({ code, message, body }: RefusedAmount, money: (amount: number) => string): string {
  if (code !== 'TOPUP_LIMIT') return message
  const { dayLeft, minimum, maximum } = body
  if (typeof dayLeft === 'number')
    return dayLeft > 0 ? say('topUp.dayLeft', { amount: money(dayLeft) }) : say('topUp.dayOver')
  if (typeof minimum === 'number' && typeof maximum === 'number')
    return say('topUp.range', { minimum: money(minimum), maximum: money(maximum) })
  return message
}
