/**
 * What the accounts of the journal are called in the files of accountants. hledger takes our own
 * names; Beancount wants a kind in front, capitals, and nothing but letters, digits and dashes.
 * Promises: two accounts never get one name, and the same account has the same name for ever.
 */
import { sha256Hex } from '../../domain/digest.js'

/** In double entry: what is owed (L), what is had (A), what was spent (X). */
export const accountKinds: Readonly<Record<string, 'L' | 'A' | 'X'>> = {
  wallet: 'L',
  'client-app': 'L',
  processor: 'A',
  reversal: 'A',
  bonus: 'X',
  service: 'X',
}

/** `wallet:<walletId>`, `client-app:<clientId>`, `processor`, `reversal`, `bonus`. */
export function hledgerAccount(account: string): string {
  const { kind, id } = partsOf(account)
  return id === undefined ? kind : `${kind}:${safe(id, /[^A-Za-z0-9_-]/g)}`
}

/** `Liabilities:Wallet:W-<walletId>`, `Liabilities:ClientApp:A-<clientId>`, `Assets:Processor`. */
export function beancountAccount(account: string): string {
  const { kind, id } = partsOf(account)
  const name = beancountNames[kind] ?? `Expenses:Other:O-${safe(kind, /[^A-Za-z0-9-]/g)}`
  if (id === undefined) return name
  // Every clientId that the service makes has one underscore at one place: no two become one.
  const readable = /^app_[0-9a-f-]{36}$/.test(id) ? id.replace('_', '-') : id
  return `${name}-${safe(readable, /[^A-Za-z0-9-]/g)}`
}

const beancountNames: Readonly<Record<string, string>> = {
  wallet: 'Liabilities:Wallet:W',
  'client-app': 'Liabilities:ClientApp:A',
  processor: 'Assets:Processor',
  reversal: 'Assets:Reversal',
  bonus: 'Expenses:Bonus',
  service: 'Expenses:Service',
}

function partsOf(account: string): { kind: string; id: string | undefined } {
  const colon = account.indexOf(':')
  if (colon === -1) return { kind: account, id: undefined }
  return { kind: account.slice(0, colon), id: account.slice(colon + 1) }
}

/** Without what the format refuses; a digest then tells apart what would look the same. */
function safe(id: string, refused: RegExp): string {
  const cleaned = id.replaceAll(refused, '-')
  return cleaned === id ? id : `${cleaned}-${sha256Hex(Buffer.from(id)).slice(0, 12)}`
}
