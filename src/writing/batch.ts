/**
 * One batch of a lane: commands decided in order against the lane's state, as events to append and
 * answers to give once they are written; before each of them the holds that have expired. Pure but
 * for the lane's memory, which learns each decided outcome at once, so that a reference repeated
 * within the batch is a replay; the lane takes them back when the batch is not written.
 */
import { expiryDue } from '../domain/holds.js'
import type { EntryId } from '../domain/ids.js'
import type { Decision, Wallet } from '../domain/wallet.js'
import { decide, open, outcomeOf } from '../domain/wallet.js'
import type { StoredEvent } from '../domain/wallet-stream.js'
import { writeNext } from '../domain/wallet-stream.js'
import { batchBytesMax } from '../limits.js'
import { isoTime } from '../platform/iso-time.js'
import type { Hit } from '../reading/read-models.js'
import type { Answer, WaitingCommand } from './waiting-command.js'
import type { WarmState } from './warm-state.js'
import { LaneReferences } from './warm-state.js'

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
  const references = new LaneReferences(memory, input.found)
  const now = isoTime(input.nowMs)
  const events: StoredEvent[] = []
  const answers: Batch['answers'][number][] = []
  let wallet = input.warm.wallet
  let bytes = 0

  for (const waiting of input.commands) {
    const { command } = waiting
    // Times within a stream never run back, whatever the clock of this machine does.
    const time = now > wallet.time ? now : wallet.time
    if (wallet.revision === -1 && command.type !== 'ExpireHolds') {
      // The first command of a wallet: no reference is used yet, so it is recorded, right after.
      const opened = writeNext(wallet, open(wallet, { currency: input.currency, time }))
      wallet = opened.wallet
      bytes += sizeOf(opened.stored)
      events.push(opened.stored)
    }
    // Whatever is decided now is decided without them; few at most, so they always find room.
    for (let due = expiryDue(wallet, time); due !== undefined; due = expiryDue(wallet, time)) {
      const expired = writeNext(wallet, due)
      wallet = expired.wallet
      bytes += sizeOf(expired.stored)
      events.push(expired.stored)
      memory.add(outcomeOf(wallet.walletId, due, wallet.revision))
    }
    if (command.type === 'ExpireHolds') {
      answers.push({ waiting, answer: { replayed: false } })
      continue
    }
    const decision = decide(wallet, command, references, time)
    if (decision.kind === 'replay') {
      answers.push({ waiting, answer: { replayed: true, outcome: decision.outcome } })
      continue
    }
    const next = writeNext(wallet, decision.event)
    bytes += sizeOf(next.stored)
    // One event too large for a batch goes by itself.
    if (bytes > batchBytesMax && answers.length > 0) break
    wallet = next.wallet
    events.push(next.stored)
    if (decision.kind === 'record') memory.add(decision.outcome)
    answers.push({ waiting, answer: answerTo(decision) })
  }
  return { wallet, events, answers }
}

function answerTo(decision: Exclude<Decision, { kind: 'replay' }>): Answer {
  if (decision.kind === 'change') return { replayed: false }
  return { replayed: false, outcome: decision.outcome }
}

function sizeOf({ data, metadata, type }: StoredEvent): number {
  return Buffer.byteLength(data) + metadata.length + type.length
}
