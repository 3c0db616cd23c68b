/**
 * What a seed makes of its world: how many processes and wallets, how large the bounds, and which
 * faults come how often. Every seed draws its own few faults at their own strength, because a world
 * in which everything breaks at once never gets far enough to break in an interesting way.
 */
import { Chance } from './chance.js'

export interface Plan {
  readonly processes: number
  readonly wallets: number
  readonly clients: number
  /** Executions that clients ask for, repeats included. */
  readonly commands: number
  /** References a wallet: few, so that clients meet each other. */
  readonly references: number
  /** The share of commands that ask for a top-up by card. */
  readonly topUps: number
  /** The share of commands that place, capture or release a hold. */
  readonly holds: number
  /** Undefined: no client app asks to be told of anything. */
  readonly webhooks: ReceiverPlan | undefined
  readonly thinkMs: number
  readonly latencyMs: number
  readonly bounds: {
    readonly lanesMax: number
    readonly smallWalletEventsMax: number
    readonly laneReferencesMax: number
  }
  /** Whether the store compares the id of the event that an append follows; not all do. */
  readonly storeComparesIds: boolean
  readonly faults: Faults
}

/** What becomes of a webhook that arrives: probabilities. */
export interface ReceiverPlan {
  readonly fails: number
  readonly hangs: number
  readonly goesDown: number
}

/** Probabilities of each call, or of each round of the storm (about one a second). */
export interface Faults {
  readonly lostRequest: number
  readonly lostAnswer: number
  readonly slowCall: number
  readonly deliveredTwice: number
  readonly refusedContent: number
  /** Rows that answer from an older moment, as a lagging replica would. */
  readonly staleRows: number
  readonly crash: number
  readonly freeze: number
  readonly partition: number
  readonly clockJump: number
  readonly rebuild: number
  readonly goesBack: number
}

export const noFaults: Faults = {
  lostRequest: 0,
  lostAnswer: 0,
  slowCall: 0,
  deliveredTwice: 0,
  refusedContent: 0,
  staleRows: 0,
  crash: 0,
  freeze: 0,
  partition: 0,
  clockJump: 0,
  rebuild: 0,
  goesBack: 0,
}

/** Drawn apart, so that half of the seeds are the worlds that they were before there were holds. */
export function holdsOf(seed: number): number {
  return new Chance(seed * 2 + 1).pick([0, 0, 0.2, 0.5])
}

/** Drawn apart for the same reason. */
export function webhooksOf(seed: number): ReceiverPlan | undefined {
  const chance = new Chance(seed * 2 + 1_000_003)
  if (chance.happens(0.65)) return undefined
  return {
    fails: chance.pick([0, 0.1, 0.4]),
    hangs: chance.pick([0, 0.1]),
    goesDown: chance.pick([0, 0, 0.1]),
  }
}

export function planOf(chance: Chance, commands: number): Omit<Plan, 'holds' | 'webhooks'> {
  const some = (strongest: number): number =>
    chance.happens(0.45) ? chance.fraction() * strongest : 0
  const smallWalletEventsMax = chance.pick([1, 3, 8, 64])
  return {
    processes: chance.integer(1, 3),
    wallets: chance.pick([1, 1, 2, 3, 5]),
    clients: chance.integer(2, 12),
    commands,
    references: chance.pick([4, 8, 16, 40]),
    topUps: chance.pick([0, 0, 0.05, 0.2]),
    thinkMs: chance.pick([5, 50, 500]),
    latencyMs: chance.pick([2, 10, 60]),
    bounds: {
      lanesMax: chance.pick([2, 3, 100]),
      smallWalletEventsMax,
      // Above the small ones, as in limits.ts: else a small wallet would wait for rows in vain.
      laneReferencesMax: smallWalletEventsMax + chance.pick([8, 1_000, 1_000]),
    },
    storeComparesIds: chance.happens(0.7),
    faults: {
      lostRequest: some(0.1),
      lostAnswer: some(0.1),
      slowCall: some(0.1),
      deliveredTwice: some(0.2),
      refusedContent: some(0.05),
      staleRows: some(0.3),
      crash: some(0.3),
      freeze: some(0.2),
      partition: some(0.2),
      clockJump: some(0.3),
      rebuild: some(0.2),
      goesBack: chance.happens(0.25) ? chance.fraction() * 0.3 : 0,
    },
  }
}
