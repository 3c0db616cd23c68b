/**
 * `audit …`: what auditors ask on the command line. `verify` and `statement` live here; checkpoints
 * and exports have files of their own. Exit codes of `verify`: 0 everything agrees, 1 something
 * differs (named on stdout), 2 it was unable to look.
 * Never: writes to the ledger, or lets text of others control the terminal.
 */
import type { Command } from 'commander'
import { isKeyId } from '../audit/proofs/checkpoint-format.js'
import type { StatementLine, StatementRange } from '../audit/books/statement.js'
import { readStatement } from '../audit/books/statement.js'
import { openWitnesses } from '../audit/proofs/witness-places.js'
import type { VerifyReport } from '../audit/verifying/verifier.js'
import { verifyLedger, verifyWallet } from '../audit/verifying/verifier.js'
import type { WalletId } from '../domain/ids.js'
import type { Currency } from '../domain/money.js'
import { formatMoney, toMajor } from '../domain/money.js'
import { sealingKeyOf } from '../identity/users.js'
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import { registerAuditCheckpoints } from './audit-checkpoints.js'
import { registerAuditExports } from './audit-exports.js'
import { csvLine } from '../audit/books/csv.js'
import { explain } from './explained-errors.js'
import { collect, printable } from './identity.js'
import { findWallet, withLedgerData } from './opened-ledger.js'
import { withPayments } from './opened-payments.js'
import { periodOf, timeOf } from './period.js'
import { CommandError, counted, notice, print, printJson, Progress } from './terminal.js'
import { registerVerifyBundle } from './verify-bundle.js'

export function registerAudit(program: Command): Command {
  const audit = program.command('audit').description('replay, explain and prove wallets')
  audit
    .command('verify')
    .description('check every event, id, hash, row and total; exit 0 agree, 1 differ, 2 unable')
    .option('--wallet <id>', 'only this wallet: a walletId or a serviceUserId')
    .option('--trust-key <keyId>', 'a signing key that you vouch for; may be repeated', collect, [])
    .option('--json', 'print the result as JSON')
    .action(verify)
  audit
    .command('statement <wallet>')
    .description('every event of a wallet (walletId or serviceUserId) with the running balance')
    .option('--from <time>', 'only events at or after this ISO 8601 time')
    .option('--to <time>', 'only events before this ISO 8601 time')
    .option('--at <time or revision>', 'only the state at this time, or after this revision')
    .option('--format <format>', 'table, csv or json', 'table')
    .action(statement)
  registerAuditExports(audit)
  registerAuditCheckpoints(audit)
  registerVerifyBundle(program)
  return audit
}

interface VerifyCommandOptions {
  readonly wallet?: string
  readonly trustKey: readonly string[]
  readonly json?: true
}

async function verify(options: VerifyCommandOptions): Promise<void> {
  try {
    refuseTrustKey(options)
    const report = await withLedgerData((work) =>
      withPayments(work, async (payments) => {
        const { pool, store, config, log } = work
        const trustedKeys = [...config.checkpoints.trustedKeys, ...options.trustKey]
        const witnesses = openWitnesses(config.checkpoints.witnesses, { random: systemRandom, log })
        const parts = { pool, store, clock: systemClock, trustedKeys, witnesses, payments }
        if (options.wallet !== undefined)
          return verifyWallet(parts, await findWallet(work, options.wallet))
        const progress = new Progress('Verifying')
        const result = await verifyLedger(parts, {
          onProgress: ({ events, done }) => progress.show({ done, count: events }),
        })
        progress.end()
        return result
      }),
    )
    if (options.json) printJson({ ...report, position: String(report.position) })
    else print(sentenceOf(report))
    const isAllChecked = [sayWitness(report.witness), sayUnchecked(report)].every(Boolean)
    process.exitCode = report.divergence !== undefined ? 1 : isAllChecked ? 0 : 2
  } catch (error) {
    process.exitCode = 2
    for (const line of explain(error) ?? [String(error)]) notice(line)
  }
}

function refuseTrustKey({ trustKey, wallet }: VerifyCommandOptions): void {
  if (trustKey.length > 0 && wallet !== undefined)
    throw new CommandError('With --wallet no key is checked.', 'Leave out --trust-key or --wallet.')
  const wrong = trustKey.find((keyId) => !isKeyId(keyId))
  if (wrong === undefined) return
  const remedy = 'Give 64 digits from 0 to f, as `audit keys list` shows them.'
  throw new CommandError(`--trust-key is '${printable(wrong)}', which is no keyId.`, remedy)
}

/** What nobody could compare is said; false when that was not for want of a witness. */
function sayWitness(witness: VerifyReport['witness']): boolean {
  if (witness === undefined) return true
  const { newest, witnessed, unreachable } = witness
  if (unreachable !== null) notice(`Not compared with its witness: ${printable(unreachable)}.`)
  else if (newest !== null && witnessed === null) {
    notice('No witness of checkpoints is here: that the newest were removed, or all was signed')
    notice('again, would not be noticed. Set CHECKPOINT_WITNESS, or run this beside the key.')
  }
  return unreachable === null
}

/** What could not be looked at is said; false when there was any. */
function sayUnchecked({ uncheckedTopUps, isViewCompared }: VerifyReport): boolean {
  if (uncheckedTopUps > 0) {
    const topUps = `${counted(uncheckedTopUps, 'top-up')} that no intent vouches for`
    notice(`Not checked: ${topUps}, as the card processor could not be asked.`)
  }
  if (!isViewCompared)
    notice("Not checked: the definition of the journal's view, as none can be made to compare.")
  return uncheckedTopUps === 0 && isViewCompared
}

function sentenceOf(report: VerifyReport): string {
  const { events, wallets, unprojectedEvents, unrememberedOutcomes, divergence } = report
  const seen = `${counted(events, 'event')} of ${counted(wallets, 'wallet')}`
  if (divergence === undefined) {
    const agrees = `All agrees: ${seen}, and the read models with them`
    if (unprojectedEvents === 0) return `${agrees}.`
    const are = unprojectedEvents === 1 ? 'is' : 'are'
    const lag = `${counted(unprojectedEvents, 'event')} ${are} not in the read models yet`
    const sentence = `${agrees}, as far as they are: ${lag}.`
    if (unrememberedOutcomes === 0) return sentence
    // A refund of one of them, or its reference used again, could be among what comes after.
    const tooMany = `${counted(unrememberedOutcomes, 'outcome')} more than can be remembered`
    return `${sentence}\nNot all is told: they are ${tooMany}. Run it again when they are there.`
  }
  const { kind, place, problem } = divergence
  return `DIFFERS (${kind})\n${place}: ${printable(problem)}\nChecked until then: ${seen}.`
}

interface StatementOptions {
  readonly from?: string
  readonly to?: string
  readonly at?: string
  readonly format: string
}

async function statement(wallet: string, options: StatementOptions): Promise<void> {
  const { format } = options
  if (format !== 'table' && format !== 'csv' && format !== 'json')
    throw new CommandError(`'${printable(format)}' is no format.`, 'Give table, csv or json.')
  const range = rangeOf(options)
  await withLedgerData(async (work) => {
    const { pool, store, config } = work
    const walletId = await findWallet(work, wallet)
    const sealingKey = await sealingKeyOf(pool, walletId)
    const lines = readStatement(store, { walletId, sealingKey }, range)
    if (options.at === undefined) await printers[format](lines, config.currency)
    else {
      const last = await lastOf(lines, range.throughRevision)
      printState(walletId, last, { format, currency: config.currency })
    }
  })
}

function rangeOf({ from, to, at }: StatementOptions): StatementRange {
  if (at !== undefined && (from !== undefined || to !== undefined))
    throw new CommandError('--at stands alone.', 'Leave out --from and --to.')
  if (at === undefined) return periodOf({ from, to })
  return /^[0-9]{1,15}$/.test(at)
    ? { throughRevision: Number(at) }
    : { throughTime: timeOf('--at', at, 'a day, or a revision, such as 7') }
}

type Lines = AsyncIterable<StatementLine>

const printers: Record<'table' | 'csv' | 'json', (lines: Lines, of: Currency) => Promise<void>> = {
  async table(lines, currency) {
    let count = 0
    for await (const line of lines) {
      if (count === 0) print(tableHead)
      count += 1
      print(tableLine(line, currency))
    }
    if (count === 0) print('No events.')
  },
  async csv(lines, currency) {
    let isFirst = true
    for await (const line of lines) {
      const record = recordOf(line, currency)
      if (isFirst) print(csvLine(Object.keys(record)))
      isFirst = false
      print(csvLine(Object.values(record)))
    }
  },
  // One value, as --json is everywhere, but written line by line: it may be long.
  async json(lines, currency) {
    let separator = '['
    for await (const line of lines) {
      const { heldMinor = 0 } = line
      const held = heldMinor === 0 ? {} : { held: toMajor(heldMinor, currency) }
      print(separator + JSON.stringify({ ...recordOf(line, currency), ...held }))
      separator = ','
    }
    print(separator === '[' ? '[]' : ']')
  },
}

/** The state that was asked for; a revision that the wallet has not reached is no state. */
async function lastOf(lines: Lines, revision: number | undefined) {
  let last: StatementLine | undefined
  for await (const line of lines) last = line
  if (revision === undefined || last?.revision === revision) return last
  throw new CommandError(
    `--at is ${revision}, which this wallet has not reached.`,
    last === undefined ? 'It has no events.' : `Its last revision is ${last.revision}.`,
  )
}

function printState(
  walletId: WalletId,
  last: StatementLine | undefined,
  { format, currency }: { format: string; currency: Currency },
): void {
  const { balanceMinor = 0, isActive = true, revision = -1, time = null } = last ?? {}
  if (format === 'table') {
    const moment = time === null ? 'before its first event' : `after revision ${revision} (${time})`
    print(`${formatMoney(balanceMinor, currency)} ${moment}`)
  } else {
    const state = { walletId, balance: toMajor(balanceMinor, currency), isActive, revision, time }
    if (format === 'json') printJson({ ...state, hash: last?.hash ?? null })
    else print(`${csvLine(Object.keys(state))}\n${csvLine(Object.values(state))}`)
  }
}

function recordOf(line: StatementLine, currency: Currency) {
  const { changeMinor, amountMinor, balanceMinor, heldMinor: _, ...rest } = line
  const money = {
    change: toMajor(changeMinor, currency),
    amount: amountMinor === null ? null : toMajor(amountMinor, currency),
    balance: toMajor(balanceMinor, currency),
    currency: currency.code,
  }
  const { revision, time, event, outcome, code, ...others } = rest
  return { revision, time, event, outcome, code, ...money, ...others }
}

/** As wide as the columns of `tableLine`. */
const tableHead = [
  '   rev',
  'time'.padEnd(24),
  'event'.padEnd(17),
  'change'.padStart(16),
  'balance'.padStart(16),
  'outcome'.padEnd(20),
  'issuer, reference, description',
].join('  ')

function tableLine(line: StatementLine, currency: Currency): string {
  const sign = line.changeMinor > 0 ? '+' : line.changeMinor < 0 ? '−' : ' '
  const change = line.changeMinor === 0 ? '' : formatMoney(Math.abs(line.changeMinor), currency)
  const pair = line.referenceType === null ? '' : `${line.referenceType} ${line.referenceId ?? ''}`
  return [
    String(line.revision).padStart(6),
    line.time,
    line.event.padEnd(17),
    `${sign}${change}`.padStart(16),
    formatMoney(line.balanceMinor, currency).padStart(16),
    (line.code ?? line.outcome).padEnd(20),
    printable(line.issuer ?? ''),
    printable(pair),
    printable(line.description ?? ''),
  ].join('  ')
}
