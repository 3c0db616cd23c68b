/**
 * What this process has lately written or folded, so that it can be named should the store ever
 * turn out not to hold it any more (a failover to a replica that was behind, a restored backup).
 * Promises: bounded; adding costs a debit next to nothing: an event becomes bytes, which no garbage
 * collection has to copy or to walk, and is read again only when somebody looks for it. The oldest
 * are forgotten first, a block of them at a time.
 * Never: asked for a decision; the lanes have their own memory.
 */
import { walletIdOf, type WalletId } from '../domain/ids.js'
import { suspectWalletsMax } from '../limits.js'
import { recentBlockBytes, recentBlocksMax } from './limits.js'

/** An event as a lane knew it, and the one that it followed. */
export interface RecentEvent {
  readonly walletId: WalletId
  readonly revision: number
  readonly eventId: string
  /** As stored. */
  readonly type: string
  readonly data: string
  /** Undefined: the first of its stream. */
  readonly previousId: string | undefined
}

/** The head of a lane's state that the store does not have. */
export interface KnownHead {
  readonly walletId: WalletId
  readonly revision: number
  readonly eventId: string
}

export class RecentHistory {
  readonly #bounds: { readonly blockBytes: number; readonly blocksMax: number }
  /** Oldest first; the last one is written to. */
  readonly #blocks: Block[] = []
  #suspects = new Map<WalletId, KnownHead>()

  constructor(bounds = { blockBytes: recentBlockBytes, blocksMax: recentBlocksMax }) {
    this.#bounds = bounds
  }

  add({ walletId, revision, eventId, type, data, previousId = '' }: RecentEvent): void {
    const text = `${walletId} ${revision} ${eventId} ${previousId} ${type} ${data}`
    const bytesMax = headBytes + text.length * utf8BytesMax
    let block = this.#blocks.at(-1)
    if (block === undefined || block.end + bytesMax > block.bytes.length)
      block = this.#newBlock(bytesMax)
    const length = block.bytes.write(text, block.end + headBytes)
    block.bytes.writeUInt32LE(length, block.end)
    block.bytes[block.end + forgottenAt] = 0
    block.end += headBytes + length
  }

  /** A lane has found that the store has another history of this wallet, or none. */
  suspect(head: KnownHead): void {
    // Beyond the bound the wallet is still found by its recent events.
    if (this.#suspects.size < suspectWalletsMax && !this.#suspects.has(head.walletId))
      this.#suspects.set(head.walletId, head)
  }

  get hasSuspects(): boolean {
    return this.#suspects.size > 0
  }

  takeSuspects(): ReadonlyMap<WalletId, KnownHead> {
    const taken = this.#suspects
    this.#suspects = new Map()
    return taken
  }

  /** Of each wallet its events, oldest first. */
  byWallet(): Map<WalletId, RecentEvent[]> {
    const wallets = new Map<WalletId, RecentEvent[]>()
    for (const { event } of this.#remembered()) {
      const ofWallet = wallets.get(event.walletId)
      if (ofWallet === undefined) wallets.set(event.walletId, [event])
      else ofWallet.push(event)
    }
    return wallets
  }

  /** They were named: nobody needs to hear of them again. */
  forget(eventIds: ReadonlySet<string>): void {
    for (const { block, at, event } of this.#remembered())
      if (eventIds.has(event.eventId)) block.bytes[at + forgottenAt] = 1
  }

  /** The oldest block's bytes serve again, unless this event would not fit. */
  #newBlock(bytesMin: number): Block {
    const { blockBytes, blocksMax } = this.#bounds
    const oldest = this.#blocks.length < blocksMax ? undefined : this.#blocks.shift()
    const bytes =
      oldest !== undefined && oldest.bytes.length >= bytesMin
        ? oldest.bytes
        : Buffer.allocUnsafeSlow(Math.max(blockBytes, bytesMin))
    const block = { bytes, end: 0 }
    this.#blocks.push(block)
    return block
  }

  *#remembered(): Generator<{ block: Block; at: number; event: RecentEvent }> {
    for (const block of this.#blocks) {
      let next = 0
      for (let at = 0; at < block.end; at = next) {
        const start = at + headBytes
        next = start + block.bytes.readUInt32LE(at)
        if (block.bytes[at + forgottenAt] === 0)
          yield { block, at, event: eventIn(block.bytes.toString('utf8', start, next)) }
      }
    }
  }
}

/** Events one after the other: the length of one, whether it is forgotten, and its text. */
interface Block {
  readonly bytes: Buffer
  end: number
}

const forgottenAt = 4
const headBytes = 5
const utf8BytesMax = 3

/** Only the data may hold a space. */
function eventIn(text: string): RecentEvent {
  const [walletId = '', revision, eventId = '', previousId, type = ''] = text.split(' ', 5)
  const data = text.slice([walletId, revision, eventId, previousId, type, ''].join(' ').length)
  return {
    walletId: walletIdOf(walletId),
    revision: Number(revision),
    ...{ eventId, type, data },
    previousId: previousId === '' ? undefined : previousId,
  }
}
