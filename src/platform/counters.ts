/**
 * Counters of the process: how often something that an operator wants to know has happened.
 * Promises: names are fixed in code, so there are few; values only grow, and start at 0.
 */
export class Counters {
  readonly #values = new Map<string, number>()

  increment(name: string, by = 1): void {
    this.#values.set(name, this.get(name) + by)
  }

  get(name: string): number {
    return this.#values.get(name) ?? 0
  }
}
