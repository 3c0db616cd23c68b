/**
 * A command that waits for its answer, with its deadline; waiting-commands.ts watches the time.
 * Promises: exactly one answer or one failure. Never: takes part in a new decision once it is
 * answered, or holds on to whoever has the answer: a lane remembers its last command, and with it
 * would otherwise remember a whole request.
 */
import type { ExpireHolds } from '../domain/holds.js'
import type { Outcome, WalletCommand } from '../domain/wallet.js'

/** To a command with a reference. */
export interface EntryAnswer {
  readonly replayed: boolean
  readonly outcome: Outcome
}

/** To a command without a reference: it was done, whatever there was to do. */
export interface StatusAnswer {
  readonly replayed: false
}

/** What a lane takes. */
export type LaneCommand = WalletCommand | ExpireHolds

export type Answer = EntryAnswer | StatusAnswer

/** The same, to whoever comes second. */
export function repeated(answer: Answer): Answer {
  return 'outcome' in answer ? { ...answer, replayed: true } : answer
}

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

/** Who waits for the answer: first `onEnd` is called, then one of the other two, once. */
export interface Caller {
  readonly onEnd: () => void
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: CommandUnavailableError) => void
}

export class WaitingCommand {
  readonly command: LaneCommand
  readonly deadlineMs: number
  /** Undefined once it is answered. */
  #caller: Caller | undefined
  #onEnd: (() => void)[] | undefined

  constructor(command: LaneCommand, deadlineMs: number, caller: Caller) {
    this.command = command
    this.deadlineMs = deadlineMs
    this.#caller = caller
  }

  get isAnswered(): boolean {
    return this.#caller === undefined
  }

  /** The look at the deadline may be late; the clock decides. */
  mayBeDecided(nowMs: number): boolean {
    return this.#caller !== undefined && nowMs < this.deadlineMs
  }

  answer(answer: Answer): void {
    this.#end()?.resolve(answer)
  }

  fail(error: CommandUnavailableError): void {
    this.#end()?.reject(error)
  }

  /** Resolves when it is answered, by a failure too. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isAnswered) resolve()
      else (this.#onEnd ??= []).push(resolve)
    })
  }

  /** Undefined the second time. */
  #end(): Caller | undefined {
    const caller = this.#caller
    this.#caller = undefined
    caller?.onEnd()
    for (const onEnd of this.#onEnd ?? []) onEnd()
    this.#onEnd = undefined
    return caller
  }
}
