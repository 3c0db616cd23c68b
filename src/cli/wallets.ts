/**
 * `wallets show`: one wallet as the streams say it is now, with its newest entries.
 * Never: lets text of others control the terminal.
 */
import type { Command } from 'commander'
import { openLedger } from '../compose.js'
import { readConfig } from '../config.js'
import { isUuid, walletIdOf } from '../domain/ids.js'
import type { Currency } from '../domain/money.js'
import { formatMoney, toMajor } from '../domain/money.js'
import { signOf } from '../domain/wallet-events.js'
import { sealingKeyOf } from '../identity/users.js'
import { createLog, stderrLines } from '../platform/log.js'
import { unseal } from '../platform/sealing.js'
import type { Entry, WalletView } from '../reading/wallet-reader.js'
import { CommandError, notice, print, printJson } from './terminal.js'

export function registerWallets(program: Command): void {
  const wallets = program.command('wallets').description('look at wallets')
  wallets
    .command('show <walletId>')
    .description('balance, status and newest entries, declined ones too')
    .option('--limit <count>', 'how many entries, 1 to 500', '20')
    .option('--json', 'print the wallet as JSON')
    .action(show)
}

interface ShowOptions {
  readonly limit: string
  readonly json?: true
}

/** An entry as it is shown: `description` is null when there is none, or when it was erased. */
interface ShownEntry extends Omit<Entry, 'description'> {
  readonly description: string | null
}

async function show(walletId: string, options: ShowOptions): Promise<void> {
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw new CommandError(`--limit is ${options.limit}.`, 'Give a whole number from 1 to 500.')
  if (!isUuid(walletId))
    throw new CommandError(`'${walletId}' is no wallet id.`, 'A wallet id is a UUID in lower case.')
  const config = readConfig()
  const log = createLog({ level: config.logLevel, destination: stderrLines() })
  const ledger = await openLedger(config, { log, notice, mustExist: true })
  try {
    const id = walletIdOf(walletId)
    const wallet = await ledger.reader.read(id, { limit })
    const key = await sealingKeyOf(ledger.pool, id)
    if (wallet.revision === -1 && key === undefined)
      throw new CommandError(`There is no wallet ${walletId}.`, 'Check the id.')
    const entries = wallet.entries.map(({ description, ...entry }): ShownEntry => {
      const text = description && unseal(description, { key, entryId: entry.entryId })
      return { ...entry, description: text ?? null }
    })
    if (options.json) printJson(toJson(wallet, entries, config.currency))
    else print(toText(wallet, entries, config.currency))
  } finally {
    await ledger.close()
  }
}

function toJson(wallet: WalletView, entries: readonly ShownEntry[], currency: Currency) {
  return {
    walletId: wallet.walletId,
    revision: wallet.revision,
    balance: toMajor(wallet.balanceMinor, currency),
    currency: currency.code,
    isActive: wallet.isActive,
    statusReason: wallet.statusReason ?? null,
    entries: entries.map((entry) => ({
      id: entry.entryId,
      revision: entry.revision,
      event: entry.type,
      outcome: entry.code === undefined ? 'applied' : 'declined',
      code: entry.code ?? null,
      amount: toMajor(entry.amountMinor, currency),
      balanceAfter: toMajor(entry.balanceMinor, currency),
      referenceType: entry.referenceType,
      referenceId: entry.referenceId,
      issuer: entry.issuer,
      description: entry.description,
      createdAt: entry.time,
    })),
  }
}

function toText(wallet: WalletView, entries: readonly ShownEntry[], currency: Currency): string {
  const status = wallet.isActive ? 'active' : `inactive (${wallet.statusReason ?? 'no reason'})`
  const head = [
    `Wallet ${wallet.walletId}`,
    `Balance ${formatMoney(wallet.balanceMinor, currency)}, ${status}, revision ${wallet.revision}`,
  ]
  if (entries.length === 0) return [...head, 'No entries yet.'].join('\n')
  return [...head, '', ...entries.map((entry) => line(entry, currency))].join('\n')
}

function line(entry: ShownEntry, currency: Currency): string {
  const sign = { '1': '+', '-1': '−', '0': '×' }[signOf[entry.type]]
  const amount = `${sign}${formatMoney(entry.amountMinor, currency)}`.padStart(16)
  const result = entry.code ?? `= ${formatMoney(entry.balanceMinor, currency)}`
  const pair = `${entry.referenceType} ${entry.referenceId}`
  const text = entry.description === null ? '' : `  ${printable(entry.description)}`
  return `${entry.time}  ${amount}  ${result.padEnd(22)}  ${printable(pair)}${text}`
}

// References and descriptions are free text of others: no escape sequence reaches the terminal.
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '·')
}
