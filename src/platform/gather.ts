/**
 * Gathers requests of many callers into one statement: while one is under way the next ones wait
 * together. States: idle, or as many statements under way as it may have, which is one unless it is
 * told otherwise. Promises: each caller gets its own result, in a group of at most `max`; a failed
 * statement fails only its group.
 */
export class Gatherer<Request, Result> {
  readonly #run: (requests: readonly Request[]) => Promise<readonly Result[]>
  readonly #max: number
  readonly #atOnce: number
  #waiting: Waiting<Request, Result>[] = []
  #running = 0

  /** `run` answers with one result a request, in the same order. */
  constructor(
    run: (requests: readonly Request[]) => Promise<readonly Result[]>,
    { max, atOnce = 1 }: { max: number; atOnce?: number },
  ) {
    this.#run = run
    this.#max = max
    this.#atOnce = atOnce
  }

  ask(request: Request): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      if (this.#running >= this.#atOnce) return
      this.#running += 1
      void this.#work()
    })
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      await turnOfEventLoop()
      const group = this.#waiting.splice(0, this.#max)
      // Somebody else has taken them all.
      if (group.length === 0) break
      try {
        const results = await this.#run(group.map((waiting) => waiting.request))
        for (const [index, waiting] of group.entries()) settle(waiting, results[index])
      } catch (error) {
        for (const waiting of group) waiting.reject(error)
      }
    }
    this.#running -= 1
  }
}

/**
 * Resolves when everything that has arrived by now was looked at: whoever gathers waits for it, so
 * that requests which came in together share one statement instead of the first one going alone.
 */
export function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

interface Waiting<Request, Result> {
  readonly request: Request
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

function settle<Request, Result>(
  waiting: Waiting<Request, Result>,
  result: Result | undefined,
): void {
  if (result === undefined) waiting.reject(new Error('a gathered statement left a request out'))
  else waiting.resolve(result)
}
