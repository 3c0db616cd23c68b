/**
 * A wallet's statement of a period, as its person gets it: what stood at the beginning, everything
 * that moved money, and what stood at the end. Promises: made of the one statement (books), so it
 * is replayed from the stream and checked on the way; the sums are exact and agree with both
 * balances. Never: holds more than so many entries.
 */
import type { WalletId } from '../../domain/ids.js'
import { streamOf } from '../../domain/ids.js'
import { invariant } from '../../domain/invariant.js'
import type { EventStore } from '../../event-store/event-store.js'
import { readStatement, type StatementLine } from '../books/statement.js'
import { documentEventsMax } from '../limits.js'

export interface PeriodStatement {
  readonly walletId: WalletId
  /** Inclusive. */
  readonly from: string
  /** Exclusive. */
  readonly to: string
  readonly openingMinor: number
  readonly inMinor: number
  readonly outMinor: number
  readonly closingMinor: number
  /** Only what moved money, oldest first. */
  readonly lines: readonly StatementLine[]
  /** The last event that it takes in; −1 and empty before the first. */
  readonly revision: number
  readonly hash: string
}

/** More than one document holds: a shorter period may do, or another way to ask. */
export class TooManyEntriesError extends Error {
  override readonly name = 'TooManyEntriesError'
}

export interface PeriodOf {
  readonly walletId: WalletId
  readonly sealingKey: Buffer | undefined
  readonly from: string
  readonly to: string
  readonly linesMax: number
}

/** Throws TooManyEntriesError, and DivergenceError at an event that breaks a rule. */
export async function readPeriod(store: EventStore, of: PeriodOf): Promise<PeriodStatement> {
  const { walletId, sealingKey, from, to, linesMax } = of
  await requireBounded(store, walletId)
  let openingMinor = 0
  let end = { revision: -1, hash: '', balanceMinor: 0 }
  const sums = { in: 0, out: 0 }
  const lines: StatementLine[] = []
  for await (const line of readStatement(store, { walletId, sealingKey }, { to })) {
    end = line
    if (line.time < from) openingMinor = line.balanceMinor
    else if (line.changeMinor !== 0) {
      if (lines.length === linesMax) throw new TooManyEntriesError('the period is too long')
      lines.push(line)
      sums[line.changeMinor > 0 ? 'in' : 'out'] += Math.abs(line.changeMinor)
    }
  }
  const closingMinor = end.balanceMinor
  invariant(openingMinor + sums.in - sums.out === closingMinor, 'a statement adds up')
  const { revision, hash } = end
  const balances = { openingMinor, inMinor: sums.in, outMinor: sums.out, closingMinor }
  return { walletId, from, to, ...balances, lines, revision, hash }
}

/** Whatever is replayed for one person is replayed beside everybody's debits. */
export async function requireBounded(store: EventStore, walletId: WalletId): Promise<void> {
  const head = await store.readHead(streamOf(walletId))
  if (head !== undefined && head.revision >= documentEventsMax)
    throw new TooManyEntriesError(`the wallet has more than ${documentEventsMax} events`)
}
