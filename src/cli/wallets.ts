/**
 * `wallets show`: one wallet as the streams say it is now, with its newest entries; named by its
 * walletId, or as a client app names it: by serviceUserId, and by its own clientId too.
 * Never: lets text of others control the terminal.
 */
import type { Command } from 'commander'
import { openIdentity } from '../compose/identity.js'
import { openLedger } from '../compose/ledger.js'
import { readConfig } from '../config.js'
import { availableMinor } from '../domain/holds.js'
import type { WalletId } from '../domain/ids.js'
import type { Currency } from '../domain/money.js'
import { formatMoney, toMajor } from '../domain/money.js'
import { signOf } from '../domain/wallet-events.js'
import { sealingKeyOf } from '../identity/users.js'
import { createLog, stderrLines } from '../platform/log.js'
import { unseal } from '../platform/sealing.js'
import type { Entry, WalletView } from '../reading/wallet-reader.js'
import { findClientApp, printable } from './identity.js'
import type { AuditWork } from './opened-ledger.js'
import { findWallet } from './opened-ledger.js'
import { CommandError, notice, print, printJson } from './terminal.js'

export function registerWallets(program: Command): void {
  const wallets = program.command('wallets').description('look at wallets')
  wallets
    .command('show <wallet>')
    .description('balance, status and newest entries of a wallet (walletId or serviceUserId)')
    .option('--client-app <clientId>', 'only if the person is linked to this client app')
    .option('--limit <count>', 'how many entries, declined ones too, 1 to 500', '20')
    .option('--json', 'print the wallet as JSON')
    .action(show)
}

interface ShowOptions {
  readonly clientApp?: string
  readonly limit: string
  readonly json?: true
}

/** An entry as it is shown: `description` is null when there is none, or when it was erased. */
interface ShownEntry extends Omit<Entry, 'description'> {
  readonly description: string | null
}

async function show(wallet: string, options: ShowOptions): Promise<void> {
  const limit = Number(options.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw new CommandError(`--limit is ${options.limit}.`, 'Give a whole number from 1 to 500.')
  const config = readConfig()
  const log = createLog({ level: config.logLevel, destination: stderrLines() })
  const ledger = await openLedger(config, { log, notice, mustExist: true })
  const identity = openIdentity(ledger, config, { log })
  try {
    const parts = { ...ledger, identity }
    const walletId = await findWallet(parts, wallet)
    if (options.clientApp !== undefined) await requireLink(parts, walletId, options.clientApp)
    const view = await ledger.reader.read(walletId, { limit })
    const key = await sealingKeyOf(ledger.pool, walletId)
    const entries = view.entries.map(({ description, ...entry }): ShownEntry => {
      const text = description && unseal(description, { key, entryId: entry.entryId })
      return { ...entry, description: text ?? null }
    })
    if (options.json) printJson(toJson(view, entries, config.currency))
    else print(toText(view, entries, config.currency))
  } finally {
    await identity.close()
    await ledger.close()
  }
}

async function requireLink(
  { identity }: Pick<AuditWork, 'identity'>,
  walletId: WalletId,
  clientId: string,
): Promise<void> {
  const { name } = await findClientApp(identity, clientId)
  const user = await identity.users.findByWallet(walletId)
  const linked = user && (await identity.links.findUser(clientId, user.serviceUserId))
  if (linked !== undefined) return
  throw new CommandError(
    `The owner of this wallet is not linked to the client app '${printable(name)}' (${clientId}).`,
    'Check both ids; to that client app this person is unknown. Or leave --client-app out.',
  )
}

function toJson(wallet: WalletView, entries: readonly ShownEntry[], currency: Currency) {
  return {
    walletId: wallet.walletId,
    revision: wallet.revision,
    balance: toMajor(wallet.balanceMinor, currency),
    ...(wallet.heldMinor !== 0 && {
      available: toMajor(availableMinor(wallet), currency),
      held: toMajor(wallet.heldMinor, currency),
    }),
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
  const events = wallet.revision === -1 ? 'no events yet' : `revision ${wallet.revision}`
  const head = [
    `Wallet ${wallet.walletId}`,
    `Balance ${formatMoney(wallet.balanceMinor, currency)}, ${status}, ${events}`,
    ...(wallet.heldMinor === 0 ? [] : [heldLine(wallet, currency)]),
  ]
  if (entries.length === 0) return [...head, 'No entries yet.'].join('\n')
  return [...head, '', ...entries.map((entry) => line(entry, currency))].join('\n')
}

function heldLine(wallet: WalletView, currency: Currency): string {
  const [held, free] = [wallet.heldMinor, availableMinor(wallet)]
  return `Reserved ${formatMoney(held, currency)}, available ${formatMoney(free, currency)}`
}

function line(entry: ShownEntry, currency: Currency): string {
  // A hold that was placed, released or has expired moves nothing.
  const still = entry.code === undefined ? '·' : '×'
  const sign = { '1': '+', '-1': '−', '0': still }[signOf[entry.type]]
  const amount = `${sign}${formatMoney(entry.amountMinor, currency)}`.padStart(16)
  const result = entry.code ?? `= ${formatMoney(entry.balanceMinor, currency)}`
  const pair = `${entry.referenceType} ${entry.referenceId}`
  const text = entry.description === null ? '' : `  ${printable(entry.description)}`
  return `${entry.time}  ${amount}  ${result.padEnd(22)}  ${printable(pair)}${text}`
}
