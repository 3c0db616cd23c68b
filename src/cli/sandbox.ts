/**
 * `sandbox`: what a bank or a card holder does after a payment, for the test cards: refund in part,
 * a refund that fails, a dispute and its end. The running service delivers the webhooks.
 * Never: touches the ledger or a real payment; with Stripe its dashboard does this.
 */
import type { Command } from 'commander'
import { readConfig, type Config } from '../config.js'
import { balanceMaxMinor, formatMoney, parseAmount } from '../domain/money.js'
import { SandboxRefusal } from '../top-ups/sandbox/rows.js'
import { Sandbox } from '../top-ups/sandbox/sandbox.js'
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import { withDatabase } from './opened-database.js'
import { CommandError, print, printJson } from './terminal.js'

export function registerSandbox(program: Command): void {
  const sandbox = program
    .command('sandbox')
    .description('refund and dispute payments that were made with test cards')
  sandbox
    .command('refund <paymentIntentId>')
    .description('refund a payment (pi_…), in full or in part')
    .option('--amount <amount>', 'in major units; all that is left when it is not given')
    .option('--json', 'print one JSON object')
    .action(refund)
  sandbox
    .command('fail-refund <refundId>')
    .description('the bank sends a refund (re_…) back')
    .option('--json', 'print one JSON object')
    .action(failRefund)
  sandbox
    .command('dispute <paymentIntentId>')
    .description('the card holder disputes a payment (pi_…); the funds are withdrawn')
    .option('--json', 'print one JSON object')
    .action(dispute)
  sandbox
    .command('close-dispute <disputeId>')
    .description('a dispute (dp_…) is lost, or won: then the funds come back')
    .option('--won', 'won instead of lost')
    .option('--json', 'print one JSON object')
    .action(closeDispute)
}

interface Options {
  readonly json?: true
  readonly amount?: string
  readonly won?: true
}

async function refund(paymentIntentId: string, options: Options): Promise<void> {
  await withSandbox(async (sandbox, config) => {
    const amountMinor = options.amount === undefined ? undefined : amountOf(options.amount, config)
    const refundId = await sandbox.refund(paymentIntentId, amountMinor)
    const { currency } = config
    const part = amountMinor === undefined ? 'the rest' : formatMoney(amountMinor, currency)
    tell(options, { refundId }, `Refunded ${part}: ${refundId}`)
  })
}

async function failRefund(refundId: string, options: Options): Promise<void> {
  await withSandbox(async (sandbox) => {
    await sandbox.failRefund(refundId)
    tell(options, { refundId, status: 'failed' }, `The refund has failed: ${refundId}`)
  })
}

async function dispute(paymentIntentId: string, options: Options): Promise<void> {
  await withSandbox(async (sandbox) => {
    const disputeId = await sandbox.dispute(paymentIntentId)
    tell(options, { disputeId }, `Disputed, and the funds are withdrawn: ${disputeId}`)
  })
}

async function closeDispute(disputeId: string, options: Options): Promise<void> {
  const status = options.won === true ? 'won' : 'lost'
  await withSandbox(async (sandbox) => {
    await sandbox.closeDispute(disputeId, status)
    tell(options, { disputeId, status }, `The dispute is ${status}: ${disputeId}`)
  })
}

async function withSandbox(
  work: (sandbox: Sandbox, config: Config) => Promise<void>,
): Promise<void> {
  const config = readConfig()
  if (config.payments.kind !== 'sandbox')
    throw new CommandError(
      'Payments are not the sandbox here.',
      'It is there with PAYMENTS=sandbox; payments of Stripe are refunded in its dashboard.',
    )
  try {
    await withDatabase(
      async ({ database: { pool } }) => {
        await work(new Sandbox({ pool, clock: systemClock, random: systemRandom }), config)
      },
      { config },
    )
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error
    throw new CommandError(error.message, 'Nothing was changed. Check the id and the amount.')
  }
}

function amountOf(text: string, { currency }: Config): number {
  const value = /^[0-9]{1,15}(\.[0-9]{1,4})?$/.test(text) ? Number(text) : NaN
  const parsed = parseAmount(value, { currency, maxMinor: balanceMaxMinor })
  if ('minor' in parsed) return parsed.minor
  throw new CommandError(`--amount is '${text}'.`, 'Give an amount such as 5.00.')
}

function tell(options: Options, result: object, sentence: string): void {
  if (options.json === true) printJson(result)
  else print(sentence)
}
