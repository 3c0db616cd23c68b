/**
 * One batch of a lane: commands decided in order against the lane's state, as events to append and
 * answers to give once they are written. Pure but for the lane's memory, which learns each decided
 * outcome at once, so that a reference repeated within the batch is a replay; the lane takes them
 * back when the batch is not written.
 */
import type { EntryId, WalletId } from '../domain/ids.js'
import { entryIdOf } from '../domain/ids.js'
import type { Circumstances, Outcome, Wallet, WalletCommand } from '../domain/wallet.js'
import { decide, open, outcomeOf } from '../domain/wallet.js'
import type { WalletEvent } from '../domain/wallet-events.js'
import { isEntry } from '../domain/wallet-events.js'
import type { StoredEvent } from '../domain/wallet-stream.js'
import { writeNext } from '../domain/wallet-stream.js'
import { batchBytesMax } from '../limits.js'
import type { Hit } from '../reading/read-models.js'
import type { WarmState } from './lane.js'
import type { Answer, WaitingCommand } from './waiting-command.js'

export interface Batch {
  /** The wallet after the batch. */
  readonly wallet: Wallet
  readonly events: readonly StoredEvent[]
  /** One for each command that found room, in order. */
  readonly answers: readonly { readonly waiting: WaitingCommand; readonly answer: Answer }[]
}

export interface BatchInput {
  readonly warm: WarmState
  readonly commands: readonly WaitingCommand[]
  /** The outcomes that the rows know, up to the lane's base. */
  readonly found: ReadonlyMap<EntryId, Hit>
  readonly currency: string
  readonly nowMs: number
}

export function decideBatch(input: BatchInput): Batch {
  const { memory } = input.warm
  const now = new Date(input.nowMs).toISOString()
  const events: StoredEvent[] = []
  const answers: Batch['answers'][number][] = []
  let wallet = input.warm.wallet
  let bytes = 0

  for (const waiting of input.commands) {
    // Times within a stream never run back, whatever the clock of this machine does.
    const time = now > wallet.time ? now : wallet.time
    const known = circumstances(input, waiting.command, time)
    const decision = decide(wallet, waiting.command, known)
    if (decision.kind === 'replay') {
      answers.push({ waiting, answer: { replayed: true, outcome: decision.outcome } })
      continue
    }
    const first = wallet.revision === -1 ? [open(wallet, { currency: input.currency, time })] : []
    const next = writeAll(wallet, [...first, decision.event])
    bytes += next.bytes
    if (bytes > batchBytesMax && events.length > 0) break
    wallet = next.wallet
    events.push(...next.stored)
    const outcome = outcomeIn(wallet, decision.event)
    if (outcome !== undefined) memory.add(outcome)
    answers.push({ waiting, answer: { replayed: false, ...(outcome && { outcome }) } })
  }
  return { wallet, events, answers }
}

/** Every reference that deciding these commands depends on. */
export function referencesOf(walletId: WalletId, commands: readonly WaitingCommand[]): EntryId[] {
  return commands.flatMap(({ command }) => {
    if (!('entryId' in command)) return []
    const target = refundTarget(walletId, command)
    return target === undefined ? [command.entryId] : [command.entryId, target]
  })
}

function circumstances(input: BatchInput, command: WalletCommand, time: string): Circumstances {
  if (!('entryId' in command)) return { time }
  const { warm, found } = input
  const earlier: Outcome | undefined =
    warm.memory.get(command.entryId) ?? found.get(command.entryId)?.outcome
  const target = refundTarget(warm.wallet.walletId, command)
  if (target === undefined) return { time, earlier }
  return { time, earlier, refundableMinor: refundable(input, target) }
}

// An unknown pair, another app's (its entry id differs), a credit or a declined debit has 0 left.
function refundable({ warm, found }: BatchInput, debitEntryId: EntryId): number {
  const hit = found.get(debitEntryId)
  const debit = warm.memory.get(debitEntryId) ?? hit?.outcome
  if (debit?.type !== 'WalletDebited') return 0
  // The row counts refunds up to the base, the memory exactly those above it.
  const refundedMinor = (hit?.refundedMinor ?? 0) + warm.memory.refundedMinor(debitEntryId)
  return debit.amountMinor - refundedMinor
}

function refundTarget(walletId: WalletId, command: WalletCommand): EntryId | undefined {
  if (command.type !== 'Credit' || command.refundOf === undefined) return undefined
  return entryIdOf({ issuer: command.issuer, walletId, reference: command.refundOf })
}

function writeAll(start: Wallet, events: readonly WalletEvent[]) {
  const stored: StoredEvent[] = []
  let wallet = start
  let bytes = 0
  for (const event of events) {
    const next = writeNext(wallet, event)
    wallet = next.wallet
    stored.push(next.stored)
    bytes += Buffer.byteLength(next.stored.data) + next.stored.metadata.length + event.type.length
  }
  return { wallet, stored, bytes }
}

function outcomeIn(wallet: Wallet, event: WalletEvent): Outcome | undefined {
  return isEntry(event) ? outcomeOf(wallet.walletId, event, wallet.revision) : undefined
}
