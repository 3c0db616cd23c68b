/**
 * A command that waits for its answer, with its deadline. Promises: exactly one answer or one
 * failure, at the deadline at the latest. Never: takes part in a new decision once it is answered.
 */
import type { Outcome, WalletCommand } from '../domain/wallet.js'
import { commandDeadlineMs } from '../limits.js'
import type { Clock } from '../platform/clock.js'

/** To a command with a reference. */
export interface EntryAnswer {
  readonly replayed: boolean
  readonly outcome: Outcome
}

/** To a change of status: it has no reference, so it is recorded each time. */
export interface StatusAnswer {
  readonly replayed: false
}

export type Answer = EntryAnswer | StatusAnswer

export type UnavailableReason =
  | 'overloaded'
  | 'deadline'
  | 'refused'
  | 'not-writable'
  | 'broken'
  | 'projections-behind'
  | 'shutting-down'

/**
 * No answer could be given. Nothing is lost or half done: the command may be sent again with the
 * same reference, and if it was written after all, the repeat answers with its outcome.
 */
export class CommandUnavailableError extends Error {
  override readonly name = 'CommandUnavailableError'
  readonly reason: UnavailableReason

  constructor(reason: UnavailableReason) {
    super(`the command got no answer: ${reason}`)
    this.reason = reason
  }
}

export class WaitingCommand {
  readonly command: WalletCommand
  readonly answered: Promise<Answer>
  readonly #deadlineMs: number
  readonly #cancelDeadline: () => void
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: CommandUnavailableError) => void
  #isAnswered = false

  /** `sinceMs`: when the time for the answer began to run; now when left out. */
  constructor(command: WalletCommand, clock: Clock, sinceMs = clock.now()) {
    const { promise, resolve, reject } = withResolvers<Answer>()
    this.command = command
    this.answered = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#deadlineMs = sinceMs + commandDeadlineMs
    this.#cancelDeadline = clock.after(this.#deadlineMs - clock.now(), () =>
      this.fail(new CommandUnavailableError('deadline')),
    )
  }

  get isAnswered(): boolean {
    return this.#isAnswered
  }

  /** The timer may run late; the clock decides. */
  mayBeDecided(nowMs: number): boolean {
    return !this.#isAnswered && nowMs < this.#deadlineMs
  }

  answer(answer: Answer): void {
    if (this.#close()) this.#resolve(answer)
  }

  fail(error: CommandUnavailableError): void {
    if (this.#close()) this.#reject(error)
  }

  #close(): boolean {
    if (this.#isAnswered) return false
    this.#isAnswered = true
    this.#cancelDeadline()
    return true
  }
}

// Promise.withResolvers came with Node 22.
function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
