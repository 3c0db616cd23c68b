/**
 * The line before the password hashes, which are few at once. Whoever tries a password waits out
 * the delay of the account, then for a turn. Promises: the delay is the same whether or not the
 * account exists; of those whose delay is over the address with the fewest tries is next, and of
 * equals the newest; the line is bounded, in all and for each address; nobody waits for longer than
 * the delay and `loginTurnWaitMs`. Never: lengthens a delay because others wait.
 * States of a try: delayed → due → running → done, or refused (OverloadedError) before it runs.
 */
import type { Clock } from '../platform/clock.js'
import { OverloadedError } from '../platform/turns.js'
import {
  loginDelayMaxMs,
  loginDelayMinMs,
  loginsAtOnceMax,
  loginsWaitingMax,
  loginsWaitingPerAddressMax,
  loginTriesWithoutDelay,
  loginTurnWaitMs,
} from './limits.js'

export interface PlaceInLine {
  readonly address: string
  readonly delayMs: number
  /** How many tries the address has made; the fewest are next. */
  readonly rank: number
}

/**
 * Why a person gets through an attack on their account from a thousand addresses: the delay is
 * bounded, and the tries of an address rank it. Each attacking address is the person's equal once,
 * with its first try; all its later ones are behind. Among equals the newest is next: in a flood
 * that no order can serve the first in line have given up, and a person who tries again is served
 * in a moment. One line in each process; the counts that rank it are shared by all.
 */
export class LoginLine {
  readonly #clock: Clock
  /** In order of arrival. */
  readonly #waiting: Waiting[] = []
  #running = 0

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock
  }

  async run<T>(place: PlaceInLine, work: () => Promise<T>): Promise<T> {
    await this.#turn(place)
    try {
      return await work()
    } finally {
      this.#running -= 1
      this.#begin()
    }
  }

  #turn(place: PlaceInLine): Promise<void> {
    const ofAddress = this.#waiting.filter(({ address }) => address === place.address)
    if (ofAddress.length >= loginsWaitingPerAddressMax) return Promise.reject(busy())
    return new Promise((resolve, reject) => {
      const becomeDue = (): void => {
        waiting.isDue = true
        this.#begin()
      }
      const refuse = (): void => {
        this.#remove(waiting)
        reject(busy())
      }
      const { delayMs } = place
      const cancelDue = delayMs > 0 ? this.#clock.after(delayMs, becomeDue) : undefined
      const cancelEnd = this.#clock.after(delayMs + loginTurnWaitMs, refuse)
      const cancel = (): void => {
        cancelDue?.()
        cancelEnd()
      }
      const waiting: Waiting = { ...place, isDue: delayMs <= 0, begin: resolve, refuse, cancel }
      this.#waiting.push(waiting)
      this.#begin()
      if (this.#waiting.length > loginsWaitingMax) worstOf(this.#waiting)?.refuse()
    })
  }

  #begin(): void {
    while (this.#running < loginsAtOnceMax) {
      const next = nextOf(this.#waiting)
      if (next === undefined) return
      this.#remove(next)
      this.#running += 1
      next.begin()
    }
  }

  #remove(waiting: Waiting): void {
    waiting.cancel()
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
  }
}

/** How long a try waits that follows so many for its account since the last that was right. */
export function loginDelayMs(earlierTries: number): number {
  const delayed = earlierTries - loginTriesWithoutDelay
  return delayed < 0 ? 0 : Math.min(loginDelayMinMs * 2 ** delayed, loginDelayMaxMs)
}

interface Waiting extends PlaceInLine {
  isDue: boolean
  readonly begin: () => void
  readonly refuse: () => void
  readonly cancel: () => void
}

function nextOf(line: readonly Waiting[]): Waiting | undefined {
  let next: Waiting | undefined
  for (const waiting of line)
    if (waiting.isDue && (next === undefined || waiting.rank <= next.rank)) next = waiting
  return next
}

/** Who came last of those who have tried the most. */
function worstOf(line: readonly Waiting[]): Waiting | undefined {
  let worst: Waiting | undefined
  for (const waiting of line) if (worst === undefined || waiting.rank >= worst.rank) worst = waiting
  return worst
}

function busy(): OverloadedError {
  return new OverloadedError('too many logins wait for their turn already')
}
