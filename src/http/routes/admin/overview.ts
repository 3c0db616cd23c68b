/**
 * The overview: today, a month of days, what is held and what is owed, from the read models.
 * Promises: exact sums; balances of past days are today's total less what came after, of one
 * snapshot. Bounded: finished days are asked for once and remembered, a day a statement; the
 * others are read each time, and wallets are counted every ten seconds at most.
 * States of a day: unfinished (entries may still arrive) → finished (remembered for a month).
 */
import { countWallets, readStanding, readVolumes } from '../../../../projections/queries/admin.js'
import type { DayVolume, Standing } from '../../../../projections/queries/admin.js'
import { lastCheck } from '../../../audit/verifying/integrity-checks.js'
import type { EntryType } from '../../../domain/wallet-events.js'
import { signOf } from '../../../domain/wallet-events.js'
import { overviewDayGraceMs, overviewDays, walletCountsCacheMs } from '../../../limits.js'
import type { App } from '../../app.js'
import { overviewReadSchema } from '../../schemas/admin.js'
import type { Day, Overview as OverviewBody } from '../../schemas/answers/admin.js'
import type { GuardedParts } from './admin-parts.js'
import { describeLostEvents } from './lost-events.js'

export function registerOverview(app: App, parts: GuardedParts): void {
  const overview = new Overview(parts)
  const look = { onRequest: parts.guard.look, schema: overviewReadSchema }
  app.get('/api/admin/overview', look, () => overview.read())
}

const dayMs = 24 * 60 * 60_000

class Overview {
  readonly #parts: GuardedParts
  readonly #finished = new Map<string, readonly DayVolume[]>()
  #generation = 0
  #counts: { readonly wallets: { count: number; inactive: number }; sinceMs: number } | undefined

  constructor(parts: GuardedParts) {
    this.#parts = parts
  }

  async read(): Promise<OverviewBody> {
    const { clientApps, clock, currency, lostEvents, pool, projectionLagMs } = this.#parts
    this.#forgetOtherHistory()
    const lagMs = await projectionLagMs()
    const days = lastDays(clock.now())
    // Entries of before this time stand in the read models, whatever the clocks of others say.
    const settledMs = clock.now() - lagMs - overviewDayGraceMs
    const isFinished = (day: string): boolean => startOf(day) + dayMs <= settledMs
    const firstOpen = days.find((day) => !isFinished(day)) ?? days[0] ?? ''
    const finished = await this.#finishedVolumes(days.filter(isFinished))
    const standing = await readStanding(pool, new Date(startOf(firstOpen)))
    const summed = sumDays(days, [...finished, ...standing.volumes], standing)
    const shown = summed.map((day) => describeDay(day, (minor) => this.#major(minor)))
    const last = shown.at(-1)
    if (last === undefined) throw new Error('a month has no days')
    const { day: _day, heldBalance, ...today } = last
    return {
      currency: { code: currency.code, decimals: currency.decimals },
      heldBalance,
      today,
      days: shown,
      projectionLagMs: lagMs,
      owed: this.#owed(standing, await clientApps.list()),
      wallets: await this.#walletCounts(),
      integrity: (await lastCheck(pool)) ?? null,
      lostEvents: await describeLostEvents(lostEvents, currency),
    }
  }

  /** A finished day changes for one reason: the database was set back to before its end. */
  #forgetOtherHistory(): void {
    const { generation } = this.#parts.store
    if (generation !== this.#generation) this.#finished.clear()
    this.#generation = generation
  }

  async #finishedVolumes(days: readonly string[]): Promise<DayVolume[]> {
    for (const day of this.#finished.keys()) if (!days.includes(day)) this.#finished.delete(day)
    const volumes: DayVolume[] = []
    for (const day of days) {
      const fromTime = new Date(startOf(day))
      const toTime = new Date(startOf(day) + dayMs)
      const known = this.#finished.get(day)
      const ofDay = known ?? (await readVolumes(this.#parts.pool, { fromTime, toTime }))
      this.#finished.set(day, ofDay)
      volumes.push(...ofDay)
    }
    return volumes
  }

  async #walletCounts() {
    const { clock, pool } = this.#parts
    const nowMs = clock.now()
    // A clock that was set back must not keep an old count alive.
    const ageMs = this.#counts === undefined ? Infinity : Math.abs(nowMs - this.#counts.sinceMs)
    if (this.#counts === undefined || ageMs >= walletCountsCacheMs)
      this.#counts = { wallets: await countWallets(pool), sinceMs: nowMs }
    return this.#counts.wallets
  }

  #owed({ owedMinor }: Standing, apps: readonly { clientId: string; name: string }[]) {
    return apps
      .map(({ clientId, name }) => ({
        clientId,
        name,
        amount: this.#major(owedMinor.get(clientId) ?? 0n),
      }))
      .sort((a, b) => a.name.localeCompare(b.name) || a.clientId.localeCompare(b.clientId))
  }

  // Sums over everybody may pass what a double holds exactly; a chart does not mind the last cent.
  #major(minor: bigint): number {
    return Number(minor) / 10 ** this.#parts.currency.decimals
  }
}

interface DaySums {
  readonly day: string
  readonly sums: ReadonlyMap<EntryType, { count: number; amountMinor: bigint }>
  readonly heldMinor: bigint
}

/** From today backwards: what was held at the end of a day is what is held less what came after. */
function sumDays(
  days: readonly string[],
  volumes: readonly DayVolume[],
  { heldMinor }: Standing,
): DaySums[] {
  const today = days.at(-1) ?? ''
  const summed: DaySums[] = []
  let held = heldMinor
  for (const day of days.toReversed()) {
    const sums = new Map<EntryType, { count: number; amountMinor: bigint }>()
    let moved = 0n
    for (const volume of volumes) {
      // The clock of another process may already be in tomorrow: that counts as today.
      if (volume.day !== day && !(day === today && volume.day > today)) continue
      const sum = sums.get(volume.type) ?? { count: 0, amountMinor: 0n }
      const amountMinor = sum.amountMinor + volume.amountMinor
      sums.set(volume.type, { count: sum.count + volume.count, amountMinor })
      moved += BigInt(signOf[volume.type]) * volume.amountMinor
    }
    summed.push({ day, sums, heldMinor: held })
    held -= moved
  }
  return summed.reverse()
}

const declines = [
  'DebitDeclined',
  'CreditDeclined',
  'HoldDeclined',
  'CaptureDeclined',
  'ReleaseDeclined',
] as const satisfies readonly EntryType[]

function describeDay({ day, sums, heldMinor }: DaySums, major: (minor: bigint) => number): Day {
  const sumOf = (...types: readonly EntryType[]) => {
    const found = types.flatMap((type) => sums.get(type) ?? [])
    return {
      count: found.reduce((count, sum) => count + sum.count, 0),
      amount: major(found.reduce((amount, sum) => amount + sum.amountMinor, 0n)),
    }
  }
  return {
    day,
    debits: sumOf('WalletDebited', 'HoldCaptured'),
    credits: sumOf('WalletCredited'),
    topUps: sumOf('WalletToppedUp'),
    reversals: sumOf('TopUpReversed'),
    reinstatements: sumOf('TopUpReinstated'),
    bonuses: sumOf('BonusGranted'),
    declines: sumOf(...declines),
    heldBalance: major(heldMinor),
  }
}

/** In UTC, oldest first, today last. */
function lastDays(nowMs: number): string[] {
  return Array.from({ length: overviewDays }, (_, index) =>
    new Date(nowMs - (overviewDays - 1 - index) * dayMs).toISOString().slice(0, 10),
  )
}

function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`)
}
