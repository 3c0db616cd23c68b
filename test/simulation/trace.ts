/**
 * The trace of a simulated world as one number: two runs with the same digest did the same things
 * at the same times. The lines themselves are kept by nobody unless somebody asks for them.
 */
export class Trace {
  readonly #onLine: ((line: string) => void) | undefined
  #low = 0x811c9dc5
  #high = 0x9dc5811c

  constructor(onLine?: (line: string) => void) {
    this.#onLine = onLine
  }

  add(line: string): void {
    for (let at = 0; at < line.length; at += 1) {
      const code = line.charCodeAt(at)
      this.#low = Math.imul(this.#low ^ code, 0x01000193)
      this.#high = Math.imul(this.#high ^ code, 0x85ebca6b) ^ (this.#low >>> 13)
    }
    this.#onLine?.(line)
  }

  get digest(): string {
    return [this.#high, this.#low]
      .map((half) => (half >>> 0).toString(16).padStart(8, '0'))
      .join('')
  }
}
