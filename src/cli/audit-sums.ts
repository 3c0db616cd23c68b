/**
 * `audit trial-balance` and `audit settlement`: the sums of the journal as a table, as CSV or as
 * JSON. Promises: amounts are exact in table and CSV; the columns of a trial balance have the same
 * sum, or the command fails and says so.
 */
import type { Command } from 'commander'
import { decimalText } from '../audit/books/decimal-text.js'
import { DivergenceError } from '../audit/verifying/divergence.js'
import type { SettlementLine } from '../audit/books/settlement.js'
import { settle } from '../audit/books/settlement.js'
import type { TrialLine, TrialTotals } from '../audit/books/trial-balance.js'
import { trialBalance } from '../audit/books/trial-balance.js'
import type { Currency } from '../domain/money.js'
import { csvLine } from '../audit/books/csv.js'
import type { CsvValue } from '../audit/books/csv.js'
import { findClientApp, printable } from './identity.js'
import { withJournal, writingOut } from './opened-journal.js'
import { periodOf, timeOf } from './period.js'
import { CommandError } from './terminal.js'

export function registerAuditSums(audit: Command): void {
  audit
    .command('trial-balance')
    .description('every account of the journal, debit and credit; the sums are equal')
    .option('--at <time>', 'as it was at this ISO 8601 time, inclusive')
    .option('--wallets', 'one line a wallet instead of one for all')
    .option('--format <format>', 'table, csv or json', 'table')
    .option('--json', 'the same as --format json')
    .action(runTrialBalance)
  audit
    .command('settlement')
    .description('what each client app debited, credited and is owed for a period')
    .requiredOption('--from <time>', 'the first moment of the period, an ISO 8601 time or a day')
    .requiredOption('--to <time>', 'the first moment after the period')
    .option('--client-app <clientId>', 'only this client app')
    .option('--format <format>', 'table, csv or json', 'table')
    .option('--json', 'the same as --format json')
    .action(runSettlement)
}

interface FormatOptions {
  readonly format: string
  readonly json?: true
}

interface TrialOptions extends FormatOptions {
  readonly at?: string
  readonly wallets?: true
}

async function runTrialBalance(options: TrialOptions): Promise<void> {
  const shape = trialShapes[formatOf(options)]
  const at = options.at === undefined ? undefined : timeOf('--at', options.at)
  await withJournal(({ client, config: { currency } }) =>
    writingOut(async (write) => {
      await write(shape.head)
      const asked = { wallets: options.wallets === true, ...(at !== undefined && { at }) }
      let isFirst = true
      const totals = await trialBalance(client, asked, async (lines) => {
        const texts = lines.map((line) => {
          const text = shape.line(line, { currency, isFirst })
          isFirst = false
          return text
        })
        await write(texts.join(''))
      }).catch((error: unknown) => {
        if (!(error instanceof DivergenceError)) throw error
        throw new CommandError(`${error.message}.`, 'Run: npm run -s wallet -- audit verify')
      })
      await write(shape.foot({ ...totals, at: at ?? null }, currency))
    }),
  )
}

interface TrialShape {
  readonly head: string
  line(line: TrialLine, of: { currency: Currency; isFirst: boolean }): string
  foot(totals: TrialTotals & { at: string | null }, currency: Currency): string
}

const trialShapes: Record<Format, TrialShape> = {
  table: {
    head: tableLine(['Account', 'Debit', 'Credit'], trialWidths()),
    line: ({ account, debitMinor, creditMinor }, { currency }) =>
      tableLine(
        [printable(account), text(debitMinor, currency), text(creditMinor, currency)],
        trialWidths(),
      ),
    foot: ({ debitMinor, creditMinor, position }, currency) =>
      tableLine(
        [
          `Sum, ${currency.code.toUpperCase()}, position ${position}`,
          text(debitMinor, currency),
          text(creditMinor, currency),
        ],
        trialWidths(),
      ),
  },
  csv: {
    head: `${csvLine(['account', 'debit', 'credit', 'currency'])}\n`,
    line: ({ account, debitMinor, creditMinor }, { currency }) => {
      const amounts = [debitMinor, creditMinor].map((minor) => csvAmount(minor, currency))
      return `${csvLine([account, ...amounts, currency.code])}\n`
    },
    foot: () => '',
  },
  // One value, as --json is everywhere, but written line by line: wallets may be many.
  json: {
    head: '{"accounts":[',
    line: ({ account, debitMinor, creditMinor }, { currency, isFirst }) => {
      const debit = number(debitMinor ?? 0n, currency)
      const credit = number(creditMinor ?? 0n, currency)
      return `${isFirst ? '' : ','}\n${JSON.stringify({ account, debit, credit })}`
    },
    foot: ({ at, position, debitMinor, creditMinor }, currency) => {
      const sums = { debit: number(debitMinor, currency), credit: number(creditMinor, currency) }
      const rest = { ...sums, currency: currency.code, at, position: String(position) }
      return `\n],${JSON.stringify(rest).slice(1)}\n`
    },
  },
}

interface SettlementOptions extends FormatOptions {
  readonly from: string
  readonly to: string
  readonly clientApp?: string
}

async function runSettlement(options: SettlementOptions): Promise<void> {
  const format = formatOf(options)
  const range = periodOf(options)
  await withJournal(({ client, identity, config: { currency } }) =>
    writingOut(async (write) => {
      const lines = await settle(client, range, options.clientApp)
      // Nothing to settle is an answer only about an app that exists.
      if (options.clientApp !== undefined && lines.length === 0)
        await findClientApp(identity, options.clientApp)
      await write(settlementShapes[format](lines, { currency, ...range }))
    }),
  )
}

interface SettlementOf {
  readonly currency: Currency
  readonly from?: string
  readonly to?: string
}

const settlementShapes: Record<
  Format,
  (lines: readonly SettlementLine[], of: SettlementOf) => string
> = {
  table(lines, { currency }) {
    if (lines.length === 0) return 'No client app debited or credited in this period.\n'
    const head = ['Client app', 'Entries', 'Debits', 'Credits', 'Of them refunds', 'Net owed']
    const rows = lines.map((line) => [
      printable(line.clientId),
      String(line.debitCount + line.creditCount),
      ...[line.debitsMinor, line.creditsMinor, line.refundsMinor, line.netOwedMinor].map((minor) =>
        text(minor, currency),
      ),
    ])
    return [head, ...rows].map((row) => tableLine(row, [41, 9, 20, 20, 20, 20])).join('')
  },
  csv(lines, of) {
    const records = lines.map((line) => ({
      ...settlementKeys(line, of),
      debits: csvAmount(line.debitsMinor, of.currency),
      credits: csvAmount(line.creditsMinor, of.currency),
      refunds: csvAmount(line.refundsMinor, of.currency),
      // A number: a minus in front of a text would be taken for a formula.
      netOwed: number(line.netOwedMinor, of.currency),
      currency: of.currency.code,
    }))
    const names =
      'clientId,from,to,debitCount,creditCount,debits,credits,refunds,netOwed,currency'.split(',')
    const rows = records.map((record) => Object.values<CsvValue>(record))
    return [names, ...rows].map((row) => `${csvLine(row)}\n`).join('')
  },
  json(lines, of) {
    const records = lines.map((line) => ({
      ...settlementKeys(line, of),
      debits: number(line.debitsMinor, of.currency),
      credits: number(line.creditsMinor, of.currency),
      refunds: number(line.refundsMinor, of.currency),
      netOwed: number(line.netOwedMinor, of.currency),
      currency: of.currency.code,
    }))
    return `${JSON.stringify(records)}\n`
  },
}

function settlementKeys(line: SettlementLine, { from, to }: SettlementOf) {
  const { clientId, debitCount, creditCount } = line
  return { clientId, from: from ?? null, to: to ?? null, debitCount, creditCount }
}

type Format = 'table' | 'csv' | 'json'

function formatOf({ format, json }: FormatOptions): Format {
  if (json === true) return 'json'
  if (format === 'table' || format === 'csv' || format === 'json') return format
  throw new CommandError(`'${printable(format)}' is no format.`, 'Give table, csv or json.')
}

/** The first column to the left, amounts to the right. */
function tableLine(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, index) => {
    const width = widths[index] ?? 0
    return index === 0 ? cell.padEnd(width) : cell.padStart(width)
  })
  return `${padded.join('  ')}\n`
}

function trialWidths(): readonly number[] {
  return [52, 20, 20]
}

function text(minor: bigint | undefined, currency: Currency): string {
  return minor === undefined ? '' : decimalText(minor, currency)
}

function csvAmount(minor: bigint | undefined, currency: Currency): string | null {
  return minor === undefined ? null : decimalText(minor, currency)
}

/** For JSON, as everywhere; beyond 15 digits the table and CSV are exact and this is not. */
function number(minor: bigint, { decimals }: Currency): number {
  return Number(minor) / 10 ** decimals
}
