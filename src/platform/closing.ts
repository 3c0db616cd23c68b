/**
 * The way down of whatever was started piece by piece: last started, first stopped.
 * Promises: one that fails does not spare the others; asked twice, it happens once.
 */

export class Closing {
  readonly #steps: (() => Promise<unknown>)[] = []
  #done: Promise<void> | undefined

  add(step: () => Promise<unknown>): void {
    this.#steps.push(step)
  }

  /** What works beside everything else until it is stopped. */
  start(part: { start(): void; stop(): Promise<unknown> }): void {
    this.add(() => part.stop())
    part.start()
  }

  run(): Promise<void> {
    this.#done ??= this.#run()
    return this.#done
  }

  async #run(): Promise<void> {
    const failures: unknown[] = []
    for (const step of this.#steps.reverse()) {
      try {
        await step()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some parts did not stop cleanly')
  }
}
