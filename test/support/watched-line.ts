/** The line of logins, and the places that were given in it. */
import { LoginLine, type PlaceInLine } from '../../src/identity/login-line.js'

export class WatchedLine extends LoginLine {
  readonly places: PlaceInLine[] = []
  #waiting: (() => void)[] = []

  override run<T>(place: PlaceInLine, work: () => Promise<T>): Promise<T> {
    const result = super.run(place, work)
    this.places.push(place)
    for (const resume of this.#waiting.splice(0)) resume()
    return result
  }

  /** Until so many have come into the line. */
  async reached(count: number): Promise<void> {
    while (this.places.length < count)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
