/**
 * Amounts of an export: minor units as the exact decimal text with the currency's decimals, of any
 * size and without a float in between, and the two columns of double entry.
 */
import type { Currency } from '../../domain/money.js'

export function decimalText(minor: bigint | number, { decimals }: Currency): string {
  const value = BigInt(minor)
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0')
  const sign = value < 0n ? '-' : ''
  if (decimals === 0) return sign + digits
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** What the platform owes is a credit, what it is owed a debit; the other column is undefined. */
export function columnsOf(amountMinor: bigint): {
  readonly debitMinor?: bigint
  readonly creditMinor?: bigint
} {
  return amountMinor < 0n ? { debitMinor: -amountMinor } : { creditMinor: amountMinor }
}
