/**
 * Which amount a person tops up by: the chips that are offered, what the host asked for, and what
 * is wrong with what was typed. Pure. Promises: nothing is offered that the service would refuse.
 * Never: decides an amount; the service checks again, and its limits win.
 */
export interface AmountLimits {
  readonly minimum: number
  readonly maximum: number
}

/** A chip, or the text of the field beside "Other". */
export type Choice =
  | { readonly kind: 'chip'; readonly amount: number }
  | { readonly kind: 'other'; readonly text: string }

/** Why the choice at the start is not the amount that the host asked for. */
export interface Adjustment {
  readonly asked: number
  readonly why: 'below' | 'above'
}

export type AmountFault = 'missing' | 'unreadable' | 'decimals' | 'below' | 'above'

export type ReadAmount = (text: string) => number | undefined

const usualChips = [10, 25, 50] as const

/** Some currencies count in hundreds what others count in ones. */
const chipScales = [1, 10, 100, 1_000, 10_000] as const

/** The usual three, in the first scale of which at least two may be paid; else none. */
export function chipsWithin(limits: AmountLimits): readonly number[] {
  for (const scale of chipScales) {
    const chips = usualChips
      .map((chip) => chip * scale)
      .filter((chip) => faultOf(chip, limits) === undefined)
    if (chips.length >= 2) return chips
  }
  return []
}

export interface Start {
  readonly choice: Choice
  readonly adjustment: Adjustment | undefined
}

/** What is chosen when the page opens: what the host asked for, moved into the limits. */
export function startingChoice(of: {
  readonly asked: string | null
  readonly limits: AmountLimits
  readonly read: ReadAmount
  /** Of the currency. */
  readonly decimals: number
}): Start {
  const { limits } = of
  const chips = chipsWithin(limits)
  const asked = of.asked === null ? undefined : of.read(of.asked)
  if (asked === undefined) {
    const middle = chips[Math.floor(chips.length / 2)]
    const choice = middle === undefined ? ({ kind: 'other', text: '' } as const) : chip(middle)
    return { choice, adjustment: undefined }
  }
  const fault = faultOf(asked, limits)
  const amount =
    fault === undefined ? asked : { below: limits.minimum, above: limits.maximum }[fault]
  const written = Number.isInteger(amount) ? String(amount) : amount.toFixed(of.decimals)
  return {
    choice: chips.includes(amount) ? chip(amount) : { kind: 'other', text: written },
    adjustment: fault === undefined ? undefined : { asked, why: fault },
  }
}

/** The amount of a choice, or what is wrong with it. */
export function amountOf(
  choice: Choice,
  { limits, read }: { readonly limits: AmountLimits; readonly read: ReadAmount },
): { readonly amount: number } | { readonly fault: AmountFault } {
  if (choice.kind === 'other' && choice.text.trim() === '') return { fault: 'missing' }
  const amount = choice.kind === 'chip' ? choice.amount : read(choice.text)
  if (amount === undefined)
    return { fault: choice.kind === 'other' && isTooFine(choice.text) ? 'decimals' : 'unreadable' }
  const fault = faultOf(amount, limits)
  return fault === undefined ? { amount } : { fault }
}

/** For a text that could not be read: an amount above zero, so it was the decimals. */
function isTooFine(text: string): boolean {
  return /^\d{1,12}[.,]\d+$/.test(text.trim()) && /[1-9]/.test(text)
}

function faultOf(
  amount: number,
  { minimum, maximum }: AmountLimits,
): 'below' | 'above' | undefined {
  if (amount < minimum) return 'below'
  return amount > maximum ? 'above' : undefined
}

function chip(amount: number): Choice {
  return { kind: 'chip', amount }
}
