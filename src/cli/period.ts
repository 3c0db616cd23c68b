/**
 * Times and periods as people give them on the command line: ISO 8601 with a zone, or a day.
 * Promises: what is returned is in UTC with milliseconds; a day that does not exist is refused.
 */
import { printable } from './identity.js'
import { CommandError } from './terminal.js'

/** What --from and --to say, where either may be left out. */
export function periodOf({ from, to }: { from?: string | undefined; to?: string | undefined }): {
  readonly from?: string
  readonly to?: string
} {
  const period = {
    ...(from !== undefined && { from: timeOf('--from', from) }),
    ...(to !== undefined && { to: timeOf('--to', to) }),
  }
  if (period.from !== undefined && period.to !== undefined && period.from >= period.to)
    throw new CommandError('--from is not before --to.', 'A period begins before it ends.')
  return period
}

/** A day is its first moment in UTC. `orElse` is what the option takes beside a time. */
export function timeOf(option: string, text: string, orElse = 'or a day'): string {
  const [, day] = timePattern.exec(text) ?? []
  const ms = day !== undefined && isDay(day) ? Date.parse(text) : NaN
  if (!Number.isNaN(ms)) return new Date(ms).toISOString()
  const remedy = `Give an ISO 8601 time with its zone, such as 2026-01-31T12:00:00Z, ${orElse}.`
  const isMissing = day !== undefined && !isDay(day)
  const problem = isMissing ? ', a day that does not exist' : ''
  throw new CommandError(`${option} is '${printable(text)}'${problem}.`, remedy)
}

const timePattern = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

/** `Date` takes 30 February for 2 March. */
function isDay(day: string): boolean {
  const ms = Date.parse(day)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
}
