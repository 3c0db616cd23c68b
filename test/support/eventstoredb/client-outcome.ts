/**
 * What the real client makes of an answer, as a value to compare: for tests of the stand-in and of
 * whatever is built on the client.
 */

/** `open` means that neither answer nor error came in time. */
export type Outcome =
  | { readonly kind: 'answered'; readonly value: unknown }
  | {
      readonly kind: 'failed'
      /** The error's class; plain gRPC errors of the client are `Error`. */
      readonly error: string
      readonly code: unknown
      readonly message: string
    }
  | { readonly kind: 'open' }

/** For what must come: even a busy machine is done long before. */
const patienceMs = 20_000
/** For what must not come: waiting longer would only cost time. */
const glanceMs = 60

/** How it ends, when it must end. */
export async function outcomeOf(promise: Promise<unknown>): Promise<Outcome> {
  return outcomeWithin(promise, patienceMs)
}

/** How it stands now, when it may stay open. */
export async function glanceAt(promise: Promise<unknown>): Promise<Outcome> {
  return outcomeWithin(promise, glanceMs)
}

async function outcomeWithin(promise: Promise<unknown>, withinMs: number): Promise<Outcome> {
  const settled = promise.then(
    (value): Outcome => ({ kind: 'answered', value }),
    (error: unknown): Outcome => {
      if (!(error instanceof Error)) throw error
      const { code } = error as { code?: unknown }
      return { kind: 'failed', error: error.constructor.name, code, message: error.message }
    },
  )
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<Outcome>((resolve) => {
    timer = setTimeout(resolve, withinMs, { kind: 'open' })
  })
  const outcome = await Promise.race([settled, timeout])
  clearTimeout(timer)
  return outcome
}
