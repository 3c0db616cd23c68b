/**
 * Holds events to what lies outside of the log: the database's clock, the client apps that identity
 * knows, the intents of top-ups and the payments behind them. All of it may change and be wrong, so
 * it is a finding of an audit and never a rule that stops a wallet.
 * Promises: an event that was written while the check runs is judged by what is known after it; a
 * card processor is asked only about top-ups that no intent vouches for, of those only so many and
 * for so long, and what nobody could tell is counted, not accused.
 */
import type { WalletEvent } from '../../domain/wallet-events.js'
import type { EventPlace } from '../../event-store/event-store.js'
import { findKnownApps } from '../../identity/known-apps.js'
import { clockLeadMaxMs } from '../../limits.js'
import { databaseTimeMs } from '../../platform/bounded-time.js'
import type { Clock } from '../../platform/clock.js'
import type { Pool } from '../../platform/postgres.js'
import { diverges } from './divergence.js'
import type { PaymentRecords, ToppedUp } from './top-up-check.js'
import { TopUpCheck } from './top-up-check.js'
import { placeOf } from './wallet-fold.js'

export interface OutsideParts {
  readonly pool: Pool
  readonly clock: Clock
  /** Left out where nobody knows of payments: top-ups are then not held to them. */
  readonly payments?: PaymentRecords
}

/** What waits to be judged. */
export interface Waiting {
  readonly late: readonly LateEvent[]
  readonly issued: ReadonlyMap<string, EventPlace>
  readonly toppedUp: readonly ToppedUp[]
}

interface LateEvent {
  readonly time: string
  readonly place: EventPlace
}

export class OutsideCheck {
  readonly #pool: Pool
  readonly #topUps: TopUpCheck | undefined
  readonly #knownIssuers = new Set<string>(['service'])
  /** The latest time that an event may have, as far as the database was asked. */
  #latestTime = ''
  #late: LateEvent[] = []
  #issued = new Map<string, EventPlace>()
  #toppedUp: ToppedUp[] = []

  constructor({ pool, clock, payments }: OutsideParts) {
    this.#pool = pool
    this.#topUps = payments && new TopUpCheck({ clock, payments })
  }

  /** Top-ups whose payment could not be looked up. */
  get uncheckedTopUps(): number {
    return this.#topUps?.unchecked ?? 0
  }

  see({ type, data }: WalletEvent, place: EventPlace): void {
    if (data.time > this.#latestTime) this.#late.push({ time: data.time, place })
    if (type === 'WalletOpened') return
    const { issuer } = data
    if (!this.#knownIssuers.has(issuer) && !this.#issued.has(issuer))
      this.#issued.set(issuer, place)
    if (type === 'WalletToppedUp' && this.#topUps !== undefined)
      this.#toppedUp.push({ reference: data, amountMinor: data.amountMinor, place })
  }

  /** What was seen since the last call. */
  take(): Waiting {
    const waiting = { late: this.#late, issued: this.#issued, toppedUp: this.#toppedUp }
    this.#late = []
    this.#issued = new Map()
    this.#toppedUp = []
    return waiting
  }

  async judge({ late, issued, toppedUp }: Waiting): Promise<void> {
    if (late.length > 0) await this.#judgeTimes(late)
    if (issued.size > 0) await this.#judgeIssuers(issued)
    await this.#topUps?.compare(toppedUp)
  }

  /** After everything was judged. */
  async finish(): Promise<void> {
    await this.#topUps?.askAboutTheRest()
  }

  async #judgeTimes(late: readonly LateEvent[]): Promise<void> {
    // Asked after the events were read, so none of them was written later than this.
    const latest = new Date((await databaseTimeMs(this.#pool)) + clockLeadMaxMs).toISOString()
    if (latest > this.#latestTime) this.#latestTime = latest
    const ahead = late.find(({ time }) => time > latest)
    if (ahead === undefined) return
    const { time, place } = ahead
    diverges('event', placeOf(place), `has a time in the future: ${time}`)
  }

  async #judgeIssuers(issued: ReadonlyMap<string, EventPlace>): Promise<void> {
    const clientIds = [...issued.keys()].map((issuer) => issuer.replace(/^client-app:/, ''))
    const known = await findKnownApps(this.#pool, clientIds)
    for (const clientId of known) this.#knownIssuers.add(`client-app:${clientId}`)
    for (const [issuer, place] of issued)
      if (!this.#knownIssuers.has(issuer))
        diverges('event', placeOf(place), `is issued by ${issuer}, which nobody knows`)
  }
}
