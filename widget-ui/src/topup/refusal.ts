/**
 * Why the service refused an amount, with its own numbers. Values only. Promises: whatever the
 * answer holds, the sentence says that no money was taken.
 */
export interface RefusedAmount {
  readonly code: string
  readonly message: string
  readonly body: Readonly<Record<string, unknown>>
}

export function refusalWords(refused: RefusedAmount, money: (amount: number) => string): string {
  return `${reason(refused, money)} No money was taken.`
}

function reason({ code, message, body }: RefusedAmount, money: (amount: number) => string): string {
  if (code !== 'TOPUP_LIMIT') return message
  const { dayLeft, minimum, maximum } = body
  if (typeof dayLeft === 'number')
    return dayLeft > 0
      ? `You can top up ${money(dayLeft)} more within a day.`
      : 'You have topped up as much as is allowed within a day. Come back tomorrow.'
  if (typeof minimum === 'number' && typeof maximum === 'number')
    return `A top-up is from ${money(minimum)} to ${money(maximum)}.`
  return message
}
