/**
 * The periods that a person chooses entries and statements by, as moments: whole days of the
 * person's own zone, the end being the first moment that no longer counts. Values only.
 */
export const periodNames = ['always', 'thisMonth', 'lastMonth', 'thisYear', 'ownTime'] as const

export type PeriodName = (typeof periodNames)[number]

export interface Period {
  readonly from?: string
  readonly to?: string
}

/** Days as a date field gives them, such as 2026-03-01; empty ones are open. */
export interface Days {
  readonly first: string
  readonly last: string
}

export function periodOf(name: PeriodName, days: Days, now: Date): Period {
  const [year, month] = [now.getFullYear(), now.getMonth()]
  switch (name) {
    case 'always':
      return {}
    case 'thisMonth':
      return between(new Date(year, month, 1), new Date(year, month + 1, 1))
    case 'lastMonth':
      return between(new Date(year, month - 1, 1), new Date(year, month, 1))
    case 'thisYear':
      return between(new Date(year, 0, 1), new Date(year + 1, 0, 1))
    case 'ownTime':
      return {
        ...(dayOf(days.first, 0) && { from: dayOf(days.first, 0) ?? '' }),
        ...(dayOf(days.last, 1) && { to: dayOf(days.last, 1) ?? '' }),
      }
  }
}

function between(from: Date, to: Date): Period {
  return { from: from.toISOString(), to: to.toISOString() }
}

/** The beginning of the day so many days later, here and not in Greenwich. */
function dayOf(text: string, later: number): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (day === undefined) return undefined
  return new Date(Number(year), Number(month) - 1, Number(day) + later).toISOString()
}
