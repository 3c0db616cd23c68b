/**
 * The time of a simulated world: a heap of timers, run one after the other as fast as they come.
 * Between two of them everything that follows from the first settles completely: nothing in a
 * simulated world waits for anything but promises and timers, so an empty microtask queue means
 * that nothing more can happen now. Node drains that queue before the next tick, which is how the
 * next step is known to come after everything else, without a turn of the event loop.
 * States of a timer: waiting → run, or waiting → cancelled.
 */

interface Timer {
  readonly dueMs: number
  readonly order: number
  task: (() => void) | undefined
}

export class VirtualTime {
  nowMs: number
  steps = 0
  readonly #heap: Timer[] = []
  #made = 0

  constructor(startMs: number) {
    this.nowMs = startMs
  }

  after(delayMs: number, task: () => void): () => void {
    const timer: Timer = { dueMs: this.nowMs + Math.max(0, delayMs), order: this.#made, task }
    this.#made += 1
    this.#push(timer)
    return () => (timer.task = undefined)
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, resolve))
  }

  /** Steps until `isOver`, or until nothing waits any more. Rejects with what a task threw. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          if (isOver() || !this.step()) {
            resolve()
            return
          }
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
          return
        }
        queueMicrotask(afterAll)
      }
      const afterAll = (): void => process.nextTick(step)
      process.nextTick(step)
    })
  }

  /** Runs the next timer; false when there is none. */
  step(): boolean {
    for (let timer = this.#pop(); timer !== undefined; timer = this.#pop()) {
      if (timer.task === undefined) continue
      this.nowMs = timer.dueMs
      this.steps += 1
      timer.task()
      return true
    }
    return false
  }

  #push(timer: Timer): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(timer)
    while (at > 0) {
      const parentAt = (at - 1) >> 1
      const parent = heap[parentAt]
      if (parent === undefined || isBefore(parent, timer)) break
      heap[at] = parent
      at = parentAt
    }
    heap[at] = timer
  }

  #pop(): Timer | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      let childAt = 2 * at + 1
      let child = heap[childAt]
      if (child === undefined) break
      const right = heap[childAt + 1]
      if (right !== undefined && isBefore(right, child)) {
        childAt += 1
        child = right
      }
      if (isBefore(last, child)) break
      heap[at] = child
      at = childAt
    }
    heap[at] = last
    return first
  }
}

/** Timers that are due together run in the order of their making. */
function isBefore(one: Timer, other: Timer): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order)
}
