/**
 * The tables of webhooks in memory, for simulations: the real feeder and sender work on them.
 * test/webhooks/tables.test.ts does the same things to them and to the PostgreSQL ones.
 * Promises: one transaction of the feed at a time, and nobody sees what is not committed. Apps,
 * links and thresholds are given and do not change; a `snapshot` is all that a copy would hold.
 */
import type { LinkedWallet } from '../../src/identity/linked-wallets.js'
import { Audience } from '../../src/webhooks/audience.js'
import type { Listener } from '../../src/webhooks/audience.js'
import type { FeedCheckpoint } from '../../src/webhooks/checkpoint.js'
import { lineAfter } from '../../src/webhooks/delivery-rows.js'
import type {
  ClaimedLine,
  FinishedLine,
  LineClaim,
  WaitingDelivery,
} from '../../src/webhooks/delivery-rows.js'
import * as limits from '../../src/webhooks/limits.js'
import type { OutboxRow } from '../../src/webhooks/outbox.js'
import type { PlannedDelivery } from '../../src/webhooks/planned-deliveries.js'
import type { SealedTarget } from '../../src/webhooks/targets.js'
import type { FeedTables, LineTables, OpenFeedTables } from '../../src/webhooks/webhook-tables.js'

export interface MemoryEndpoint extends Listener {
  readonly target: SealedTarget
}

export interface KnownApps {
  readonly endpoints: readonly MemoryEndpoint[]
  readonly wallets: ReadonlyMap<string, LinkedWallet>
  readonly thresholds: (clientId: string) => readonly number[]
}

interface DeliveryRow extends PlannedDelivery {
  readonly deliveryId: number
  readonly giveUpMs: number
  readonly state: 'waiting' | 'delivered' | 'dead'
}

interface LineRow {
  readonly endpointId: string
  readonly walletId: string
  readonly nextMs: number
  readonly failures: number
  readonly lease: string | null
}

interface OutboxEntry {
  readonly row: OutboxRow
  readonly isFed: boolean
}

/** Rows are replaced and never changed, so a copy of the maps is a copy of all. */
interface Snapshot {
  readonly checkpoint: FeedCheckpoint
  readonly deliveries: ReadonlyMap<string, DeliveryRow>
  readonly lines: ReadonlyMap<string, LineRow>
  readonly outbox: ReadonlyMap<number, OutboxEntry>
}

export class MemoryWebhookTables implements FeedTables, LineTables {
  checkpoint: FeedCheckpoint
  /** By webhook id, in the order of their making. */
  deliveries = new Map<string, DeliveryRow>()
  lines = new Map<string, LineRow>()
  outbox = new Map<number, OutboxEntry>()
  readonly known: KnownApps
  #made = 0
  #noted = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(known: KnownApps, marker: string) {
    this.known = known
    this.checkpoint = { marker, position: 0n, eventId: null }
  }

  snapshot(): Snapshot {
    const { checkpoint, deliveries, lines, outbox } = this
    return {
      checkpoint,
      deliveries: new Map(deliveries),
      lines: new Map(lines),
      outbox: new Map(outbox),
    }
  }

  restore({ checkpoint, deliveries, lines, outbox }: Snapshot): void {
    this.checkpoint = checkpoint
    this.deliveries = new Map(deliveries)
    this.lines = new Map(lines)
    this.outbox = new Map(outbox)
  }

  /** As a trigger would, in the transaction of what it tells. */
  note(row: Omit<OutboxRow, 'outboxId' | 'afterPosition'>): OutboxRow {
    this.#noted += 1
    const noted = { ...row, outboxId: this.#noted, afterPosition: undefined }
    this.outbox.set(noted.outboxId, { row: noted, isFed: false })
    return noted
  }

  async hasEndpoints(): Promise<boolean> {
    return this.known.endpoints.length > 0
  }

  async hasUnfed(): Promise<boolean> {
    return [...this.outbox.values()].some(({ isFed }) => !isFed)
  }

  async readCheckpoint(): Promise<FeedCheckpoint> {
    return this.checkpoint
  }

  async transaction<T>(work: (tables: OpenFeedTables) => Promise<T>): Promise<T> {
    const before = this.#last
    let leave: () => void = () => undefined
    this.#last = new Promise<void>((resolve) => (leave = resolve))
    await before
    const writes: (() => void)[] = []
    try {
      const result = await work(this.#open(writes))
      for (const write of writes) write()
      return result
    } finally {
      leave()
    }
  }

  async claimLines(claim: LineClaim): Promise<ClaimedLine[]> {
    const { nowMs, lease, max } = claim
    const active = new Map(claim.active)
    const hasRoom = (endpointId: string): boolean =>
      (active.get(endpointId) ?? 0) < limits.sendsPerEndpointMax
    const due = [...this.lines.values()]
      .filter(({ nextMs, endpointId }) => nextMs <= nowMs && hasRoom(endpointId))
      .sort((one, other) => one.nextMs - other.nextMs)
      .slice(0, limits.claimRowsMax)
    const claimed: ClaimedLine[] = []
    const untilMs = nowMs + limits.leaseMs
    for (const line of due) {
      const { endpointId, walletId } = line
      if (claimed.length >= max || !hasRoom(endpointId)) continue
      active.set(endpointId, (active.get(endpointId) ?? 0) + 1)
      this.lines.set(keyOf(line), { ...line, lease, nextMs: untilMs })
      claimed.push({ endpointId, walletId, lease, untilMs })
    }
    return claimed
  }

  async readTarget(endpointId: string): Promise<SealedTarget | undefined> {
    return this.known.endpoints.find((endpoint) => endpoint.endpointId === endpointId)?.target
  }

  async mayRead(): Promise<boolean> {
    return true
  }

  async readWaiting(line: ClaimedLine): Promise<WaitingDelivery[]> {
    return this.#waiting(line)
      .slice(0, limits.lineDeliveriesMax)
      .map(({ deliveryId, webhookId, body }) => ({ deliveryId, webhookId, body }))
  }

  async finishLine({ line, results, nowMs, random }: FinishedLine): Promise<void> {
    const held = this.lines.get(keyOf(line))
    if (held?.lease !== line.lease) return
    const delivered = new Set(
      results.flatMap(({ isDelivered, deliveryId }) => (isDelivered ? [deliveryId] : [])),
    )
    for (const row of this.#waiting(line))
      if (delivered.has(row.deliveryId)) this.#set({ ...row, state: 'delivered' })
    const { isFailed, failures, pauseMs } = lineAfter(results, { failures: held.failures, random })
    if (isFailed)
      for (const row of this.#waiting(line))
        if (row.giveUpMs <= nowMs) this.#set({ ...row, state: 'dead' })
    if (this.#waiting(line).length === 0) this.lines.delete(keyOf(line))
    else
      this.lines.set(keyOf(line), {
        ...held,
        ...{ lease: null, failures, nextMs: Math.trunc(nowMs + pauseMs) },
      })
  }

  async putBack(line: ClaimedLine, nextMs: number): Promise<void> {
    const held = this.lines.get(keyOf(line))
    if (held?.lease === line.lease) this.lines.set(keyOf(line), { ...held, lease: null, nextMs })
  }

  #open(writes: (() => void)[]): OpenFeedTables {
    const { endpoints, wallets, thresholds } = this.known
    return {
      readCheckpoint: () => this.readCheckpoint(),
      readListeners: async () => endpoints,
      readUnfed: async () =>
        [...this.outbox.values()]
          .flatMap(({ row, isFed }) => (isFed ? [] : [row]))
          .slice(0, limits.outboxBatchRows),
      placeRows: async (rows, position) => {
        const placed = rows.map((row) => ({ ...row, afterPosition: position }))
        writes.push(() => this.#setRows(placed, { isFed: false }))
        return placed
      },
      markFed: async (rows) => {
        writes.push(() => this.#setRows(rows, { isFed: true }))
      },
      readAudience: async ({ listeners }) => {
        const readers = new Set(listeners.map(({ clientId }) => clientId))
        return new Audience({ listeners, readers, wallets, ended: new Map(), thresholds })
      },
      insertDeliveries: async (planned, nowMs) => {
        writes.push(() => {
          for (const each of planned) this.#insert(each, nowMs)
        })
      },
      moveCheckpoint: async (place) => {
        writes.push(() => (this.checkpoint = { ...this.checkpoint, ...place }))
      },
    }
  }

  #insert(planned: PlannedDelivery, nowMs: number): void {
    const { endpointId, walletId } = planned
    const line = { endpointId, walletId, nextMs: nowMs, failures: 0, lease: null }
    if (!this.lines.has(keyOf(planned))) this.lines.set(keyOf(planned), line)
    if (this.deliveries.has(planned.webhookId)) return
    this.#made += 1
    const giveUpMs = nowMs + limits.giveUpAfterMs
    this.#set({ ...planned, deliveryId: this.#made, giveUpMs, state: 'waiting' })
  }

  #setRows(rows: readonly OutboxRow[], { isFed }: { readonly isFed: boolean }): void {
    for (const row of rows) this.outbox.set(row.outboxId, { row, isFed })
  }

  #set(row: DeliveryRow): void {
    this.deliveries.set(row.webhookId, row)
  }

  /** Oldest first. */
  #waiting(line: ClaimedLine): DeliveryRow[] {
    return [...this.deliveries.values()].filter(
      ({ endpointId, walletId, state }) =>
        state === 'waiting' && endpointId === line.endpointId && walletId === line.walletId,
    )
  }
}

function keyOf(of: { readonly endpointId: string; readonly walletId: string }): string {
  return `${of.endpointId} ${of.walletId}`
}
