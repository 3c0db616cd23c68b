/**
 * The invariants of holds in a simulated world, by arithmetic of their own: a hold is placed once
 * out of what is there and not held, never more is captured than it has left, it is closed once,
 * none expires before its time, and nothing later is written while one that has expired is open.
 */
import { entryIdOf } from '../../src/domain/ids.js'
import type { EntryId, WalletId } from '../../src/domain/ids.js'
import type { Wallet } from '../../src/domain/wallet.js'
import type { EntryEvent, WalletEvent } from '../../src/domain/wallet-events.js'
import { Violation } from './violation.js'

interface Held {
  leftMinor: number
  readonly expiresAt: string
}

type Holds = Map<EntryId, Held>

export class HoldCheck {
  readonly #open = new Map<WalletId, Holds>()

  clear(): void {
    this.#open.clear()
  }

  /** An event in the order of its stream, and the wallet before and after it. */
  see(walletId: WalletId, event: WalletEvent, before: Wallet, after: Wallet): void {
    const holds = this.#open.get(walletId) ?? new Map<EntryId, Held>()
    this.#open.set(walletId, holds)
    for (const [entryId, { expiresAt }] of holds)
      if (event.type !== 'HoldExpired' && event.data.time >= expiresAt)
        throw new Violation(`${entryId} has expired, and ${text(event)} came before its release`)
    const freeMinor = before.balanceMinor - sumOf(holds)
    if (event.type === 'WalletDebited' || event.type === 'HoldPlaced')
      if (event.data.amountMinor > freeMinor)
        throw new Violation(`only ${freeMinor} was free: ${text(event)}`)
    if ('entryId' in event.data) settle(walletId, holds, event as EntryEvent)
    const heldMinor = sumOf(holds)
    const isTold = !('entryId' in event.data) || (event.data.heldMinor ?? 0) === heldMinor
    if (!isTold || after.heldMinor !== heldMinor)
      throw new Violation(`${heldMinor} is held after ${text(event)}, not ${after.heldMinor}`)
  }

  /** Whether the hold is open, and how much it has left. */
  leftMinor(walletId: WalletId, entryId: EntryId): number {
    return this.#open.get(walletId)?.get(entryId)?.leftMinor ?? 0
  }
}

function settle(walletId: WalletId, holds: Holds, event: EntryEvent): void {
  const { amountMinor, issuer, time } = event.data
  if (event.type === 'HoldPlaced') {
    const { entryId, expiresAt } = event.data
    if (holds.has(entryId)) throw new Violation(`placed twice: ${text(event)}`)
    holds.set(entryId, { leftMinor: amountMinor, expiresAt })
    return
  }
  const isExpiry = event.type === 'HoldExpired'
  if (!isExpiry && event.type !== 'HoldCaptured' && event.type !== 'HoldReleased') return
  const entryId = isExpiry
    ? (event.data.referenceId as EntryId)
    : entryIdOf({ issuer, walletId, reference: event.data.holdOf })
  const hold = holds.get(entryId)
  if (hold === undefined) throw new Violation(`no hold is open for ${text(event)}`)
  if (isExpiry && time < hold.expiresAt) throw new Violation(`too early: ${text(event)}`)
  if (amountMinor > hold.leftMinor) throw new Violation(`more than is held: ${text(event)}`)
  hold.leftMinor -= amountMinor
  if (event.type === 'HoldCaptured') hold.leftMinor -= event.data.releasedMinor ?? 0
  if (event.type !== 'HoldCaptured' && hold.leftMinor !== 0)
    throw new Violation(`${hold.leftMinor} is left after ${text(event)}`)
  if (hold.leftMinor === 0) holds.delete(entryId)
}

function sumOf(holds: Holds): number {
  let sum = 0
  for (const { leftMinor } of holds.values()) sum += leftMinor
  return sum
}

function text(event: WalletEvent): string {
  return `${event.type} ${JSON.stringify(event.data)}`
}
