/**
 * Who is told: which endpoints may hear a notice about a wallet at a time. Promises: an app hears
 * only of wallets that were linked to it when it happened, of its own entries always (a link made
 * them possible), and only while it is active and may read; an endpoint hears of nothing that stood
 * in the log before it was made. Never: asks the cache of links; the rows themselves, in the
 * transaction that makes the deliveries.
 */
import type { Currency } from '../domain/money.js'
import { readLinkedWallets, readReadingApps } from '../identity/linked-wallets.js'
import type { LinkedWallet } from '../identity/linked-wallets.js'
import type { Client } from '../platform/postgres.js'
import { readThresholds } from './endpoints.js'
import { linkSlackMs } from './limits.js'
import { readEndedLinks } from './outbox.js'
import type { EndedLink } from './outbox.js'
import type { WebhookType } from './webhook-types.js'

export interface Listener {
  readonly endpointId: string
  readonly clientId: string
  readonly types: readonly WebhookType[]
  readonly fromPosition: bigint
}

export interface KnownAudience {
  readonly listeners: readonly Listener[]
  /** The apps that are active and may read. */
  readonly readers: ReadonlySet<string>
  readonly wallets: ReadonlyMap<string, LinkedWallet>
  readonly ended: ReadonlyMap<string, readonly EndedLink[]>
  /** In minor units, by client app. */
  readonly thresholds: (clientId: string) => readonly number[]
}

export class Audience {
  readonly #wallets: ReadonlyMap<string, LinkedWallet>
  readonly #ended: ReadonlyMap<string, readonly EndedLink[]>
  readonly #listeners: readonly Listener[]
  readonly #thresholds: (clientId: string) => readonly number[]

  /** Of these listeners, those whose app may read; with what is known of the wallets. */
  constructor(known: KnownAudience) {
    this.#wallets = known.wallets
    this.#ended = known.ended
    this.#listeners = known.listeners.filter(({ clientId }) => known.readers.has(clientId))
    this.#thresholds = known.thresholds
  }

  static async read(
    client: Client,
    given: {
      readonly listeners: readonly Listener[]
      readonly walletIds: readonly string[]
      readonly currency: Currency
    },
  ): Promise<Audience> {
    const { listeners, walletIds, currency } = given
    const clientIds = [...new Set(listeners.map(({ clientId }) => clientId))]
    const readers = await readReadingApps(client, clientIds)
    const wallets = await readLinkedWallets(client, walletIds)
    const ended = await readEndedLinks(client, walletIds)
    const thresholds = await readThresholds(client, clientIds, currency)
    return new Audience({ wallets, ended, listeners, readers, thresholds })
  }

  ownerOf(walletId: string): string | undefined {
    return this.#wallets.get(walletId)?.serviceUserId
  }

  thresholdsOf(clientId: string): readonly number[] {
    return this.#thresholds(clientId)
  }

  /** For one app alone, whatever its links are by now. */
  of(clientId: string, type: WebhookType): Listener[] {
    return this.#listeners.filter(
      (listener) => listener.clientId === clientId && listener.types.includes(type),
    )
  }

  /** For every app that was linked then. */
  linked(walletId: string, type: WebhookType, atMs: number): Listener[] {
    return this.#listeners.filter(
      (listener) =>
        listener.types.includes(type) && this.#wasLinked(walletId, listener.clientId, atMs),
    )
  }

  #wasLinked(walletId: string, clientId: string, atMs: number): boolean {
    const began = ({ sinceMs }: { readonly sinceMs: number }): boolean =>
      sinceMs <= atMs + linkSlackMs
    const isLinked = this.#wallets
      .get(walletId)
      ?.links.some((link) => link.clientId === clientId && began(link))
    if (isLinked === true) return true
    const ended = this.#ended.get(walletId) ?? []
    return ended.some((link) => link.clientId === clientId && began(link) && atMs <= link.untilMs)
  }
}

export async function readListeners(client: Client): Promise<Listener[]> {
  const { rows } = await client.query<{
    endpoint_id: string
    client_id: string
    types: WebhookType[]
    from_position: string
  }>(
    'select endpoint_id, client_id, types, from_position from webhooks.endpoints ' +
      'order by created_at, endpoint_id',
  )
  return rows.map((row) => ({
    endpointId: row.endpoint_id,
    clientId: row.client_id,
    types: row.types,
    fromPosition: BigInt(row.from_position),
  }))
}
