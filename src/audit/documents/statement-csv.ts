/**
 * A statement of a period as CSV: one line an entry, oldest first. Promises: amounts are numbers in
 * major units that a spreadsheet can sum; text of others is never taken for a formula (csv.ts); the
 * columns and their names are the same in every language, for programs read them.
 */
import type { Currency } from '../../domain/money.js'
import { toMajor } from '../../domain/money.js'
import { csvLine, type CsvValue } from '../books/csv.js'
import type { StatementLine } from '../books/statement.js'
import type { PeriodStatement } from './period-statement.js'

export interface CsvSurroundings {
  readonly currency: Currency
  /** By clientId. */
  readonly brands: ReadonlyMap<string, string>
}

export function statementCsv(
  { lines }: Pick<PeriodStatement, 'lines'>,
  { currency, brands }: CsvSurroundings,
): string {
  const rows = lines.map((line) => rowOf(line, currency, brands))
  return [columns, ...rows].map((row) => `${csvLine(row)}\r\n`).join('')
}

const columns = [
  'time',
  'event',
  'amount',
  'balance',
  'currency',
  'app',
  'referenceType',
  'referenceId',
  'description',
  'revision',
]

function rowOf(
  line: StatementLine,
  currency: Currency,
  brands: ReadonlyMap<string, string>,
): CsvValue[] {
  return [
    line.time,
    line.event,
    toMajor(line.changeMinor, currency),
    toMajor(line.balanceMinor, currency),
    currency.code.toUpperCase(),
    appOf(line, brands) ?? null,
    line.referenceType,
    line.referenceId,
    line.description,
    line.revision,
  ]
}

/** The brand of the client app that booked it; undefined for the service's own entries. */
export function appOf(
  { issuer }: Pick<StatementLine, 'issuer'>,
  brands: ReadonlyMap<string, string>,
): string | undefined {
  if (issuer === null || !issuer.startsWith(appPrefix)) return undefined
  return brands.get(issuer.slice(appPrefix.length))
}

const appPrefix = 'client-app:'
