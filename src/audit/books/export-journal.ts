/**
 * The journal as a file for accountants: double entry, every applied entry with its two postings,
 * in the order of time. Promises: one snapshot, whose position of the log the head names; page by
 * page, so that any length needs little memory; descriptions only when asked for, and `erased`
 * where the person's key is destroyed. Never: a decline, which moved nothing.
 */
import type { JournalEntry, TimeRange } from '../../../projections/queries/books.js'
import {
  inSnapshot,
  listCounterAccounts,
  pageJournal,
  pageJournalWallets,
} from '../../../projections/queries/books.js'
import type { WalletId } from '../../domain/ids.js'
import type { EntryId } from '../../domain/ids.js'
import type { Currency } from '../../domain/money.js'
import type { Client } from '../../platform/postgres.js'
import { unseal } from '../../platform/sealing.js'
import { exportPageRows } from '../limits.js'

export interface ExportedEntry extends Omit<JournalEntry, 'description'> {
  /** Missing when not asked for, null where there never was a text. */
  readonly description?: string | null
}

export interface ExportHead {
  readonly currency: Currency
  readonly position: bigint
  readonly range: TimeRange
}

/** A kind of file. Every text ends with a line break, or is empty. */
export interface JournalFormat {
  head(head: ExportHead): string
  /** How an account is introduced; without it accounts are not listed. */
  account?(account: string, currency: Currency): string
  entry(entry: ExportedEntry, currency: Currency): string
}

export interface ExportParts {
  /** Without a time limit on statements. */
  readonly client: Client
  readonly currency: Currency
  /** The keys of these wallets' people; left out when descriptions are not wanted. */
  readonly keysOf?: (walletIds: readonly WalletId[]) => Promise<ReadonlyMap<WalletId, Buffer>>
  /** Resolves when more may come. */
  readonly write: (text: string) => Promise<void>
}

/** How many entries were written. */
export async function exportJournal(
  parts: ExportParts,
  format: JournalFormat,
  range: TimeRange = {},
): Promise<number> {
  const { client, currency, write } = parts
  return inSnapshot(client, async (position) => {
    await write(format.head({ currency, position, range }))
    if (format.account !== undefined) {
      const introduce = (accounts: readonly string[]): Promise<void> =>
        write(accounts.map((account) => format.account?.(account, currency)).join(''))
      await introduce(await listCounterAccounts(client))
      for await (const walletIds of pageJournalWallets(client, range, exportPageRows))
        await introduce(walletIds.map((walletId) => `wallet:${walletId}`))
    }
    let count = 0
    for await (const page of pageJournal(client, range, exportPageRows)) {
      const entries = await opened(page, parts)
      await write(entries.map((entry) => format.entry(entry, currency)).join(''))
      count += entries.length
    }
    return count
  })
}

/** Text of others on one line of any file: whatever could end or control a line is written out. */
export function oneLine(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0
      return `\\u{${code.toString(16)}}`
    })
}

async function opened(
  page: readonly JournalEntry[],
  { keysOf }: ExportParts,
): Promise<ExportedEntry[]> {
  const sealed = page.filter((entry) => entry.description !== null)
  const keys = await keysOf?.([...new Set(sealed.map(({ walletId }) => walletId))])
  return page.map(({ description, ...entry }) => {
    if (keys === undefined) return entry
    if (description === null) return { ...entry, description }
    const entryId = entry.entryId as EntryId
    const text = unseal(description, { key: keys.get(entry.walletId), entryId })
    return { ...entry, description: text ?? 'erased' }
  })
}
