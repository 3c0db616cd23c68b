/**
 * One life of a simulated process, and its calls over a network that delays, loses and repeats.
 * Promises: after its end nothing of a life runs any more: its timers and answers are dropped, and
 * what it had sent arrives or does not. While it is frozen everything waits; while it is cut off
 * nothing gets through. Every call is answered, fails, or belongs to a life that has ended.
 */
import type { Clock } from '../../src/platform/clock.js'
import { sleepBy } from '../support/fake-clock.js'
import type { World } from './world.js'

export class Life {
  readonly name: string
  readonly #world: World
  readonly #breaks = new Set<() => void>()
  #isAlive = true
  #losesRequests = false
  #frozenUntilMs = 0
  isCutOff = false
  /** How often its connections broke. */
  breaks = 0

  constructor(world: World, name: string) {
    this.#world = world
    this.name = name
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Whether what is on its way from this life still arrives. */
  get isHeard(): boolean {
    return !this.isCutOff && (this.#isAlive || !this.#losesRequests)
  }

  /** Now, when it thaws, or never. */
  run(task: () => void): void {
    if (!this.#isAlive) return
    const leftMs = this.#frozenUntilMs - this.#world.time.nowMs
    if (leftMs > 0) this.#world.time.after(leftMs, () => this.run(task))
    else task()
  }

  freeze(forMs: number): void {
    this.#frozenUntilMs = this.#world.time.nowMs + forMs
  }

  /** Every connection breaks. */
  disconnect(): void {
    this.breaks += 1
    for (const listener of [...this.#breaks]) listener()
  }

  end(options: { readonly losesRequests: boolean }): void {
    this.#isAlive = false
    this.#losesRequests = options.losesRequests
    this.disconnect()
  }

  /** The returned function takes the listener away again. */
  onBreak(listener: () => void): () => void {
    this.#breaks.add(listener)
    return () => this.#breaks.delete(listener)
  }
}

export interface Call<T> {
  /** What the server does, in one moment. */
  readonly work: () => T | Promise<T>
  /** What the caller is told when there is no answer. */
  readonly lost: () => Error
  readonly timeoutMs: number
  /** A network that repeats it does no harm by the server's own promise. */
  readonly mayArriveTwice?: boolean
}

export class Line {
  readonly #world: World
  readonly life: Life

  constructor(world: World, life: Life) {
    this.#world = world
    this.life = life
  }

  call<T>(call: Call<T>): Promise<T> {
    const { time, chance } = this.#world
    const { life } = this
    if (!life.isAlive) return new Promise(() => undefined)
    return new Promise<T>((resolve, reject) => {
      let isSettled = false
      const settle = (act: () => void): void => {
        if (isSettled) return
        isSettled = true
        cancel()
        stopListening()
        life.run(act)
      }
      const fail = (): void => settle(() => reject(call.lost()))
      const cancel = time.after(call.timeoutMs, fail)
      const stopListening = life.onBreak(fail)
      const { faults, generation } = this.#world
      if (life.isCutOff || chance.happens(faults.lostRequest)) {
        this.#world.fault('lost request')
        // Refused at once, or never heard of again.
        if (chance.happens(0.5)) time.after(this.latencyMs(), fail)
        return
      }
      const isAnswerLost = chance.happens(faults.lostAnswer)
      this.#arrive(call, (answer) => {
        if (isAnswerLost) this.#world.fault('lost answer')
        if (isAnswerLost && chance.happens(0.5)) time.after(this.latencyMs(), fail)
        if (isAnswerLost) return
        time.after(this.latencyMs(), () => {
          answer.then(
            // A frozen process finds it only when it thaws: what was true then may be gone, and an
            // answer of before would be forgiven. Here it is lost instead, which can be checked.
            (value) =>
              settle(() => {
                if (generation === this.#world.generation) resolve(value)
                else reject(call.lost())
              }),
            (error: unknown) => settle(() => reject(asError(error))),
          )
        })
      })
      if (call.mayArriveTwice === true && chance.happens(faults.deliveredTwice)) {
        this.#world.fault('delivered twice')
        this.#arrive(call, () => undefined)
      }
    })
  }

  /** A round trip in which the server does nothing. */
  async trip(lost: () => Error, timeoutMs: number): Promise<void> {
    return this.call({ work: () => undefined, lost, timeoutMs })
  }

  /**
   * A new connection from a pool: a break before it is there does not fail it, and the server that
   * answers may be another one than whoever asks has read from.
   */
  connect(lost: () => Error): Promise<void> {
    const { time, chance, faults } = this.#world
    return new Promise((resolve, reject) => {
      const isLost = chance.happens(faults.lostRequest)
      time.after(this.latencyMs(), () =>
        this.life.run(() => {
          if (isLost || this.life.isCutOff) reject(lost())
          else resolve()
        }),
      )
    })
  }

  latencyMs(): number {
    const { chance, faults, plan } = this.#world
    if (!chance.happens(faults.slowCall)) return chance.fraction() * plan.latencyMs
    this.#world.fault('slow call')
    return chance.fraction() * 5_000
  }

  #arrive<T>({ work }: Call<T>, onDone: (answer: Promise<T>) => void): void {
    const { generation } = this.#world
    this.#world.time.after(this.latencyMs(), () => {
      if (!this.life.isHeard || this.#world.generation !== generation) return
      const answer = attempt(work)
      // Told where it is awaited, if anybody does.
      answer.catch(() => undefined)
      onDone(answer)
    })
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

async function attempt<T>(work: () => T | Promise<T>): Promise<T> {
  return work()
}

/** The clock of a process: it differs from the others' and jumps; timers do not. */
export class ProcessClock implements Clock {
  readonly #world: World
  readonly #life: Life
  readonly #machine: { clockOffsetMs: number }

  constructor(world: World, life: Life, machine: { clockOffsetMs: number }) {
    this.#world = world
    this.#life = life
    this.#machine = machine
  }

  now(): number {
    return Math.floor(this.#world.time.nowMs) + this.#machine.clockOffsetMs
  }

  after(delayMs: number, task: () => void): () => void {
    return this.#world.time.after(delayMs, () => this.#life.run(task))
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, delayMs, signal)
  }
}
