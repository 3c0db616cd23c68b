/**
 * Whether the page inside the frame is alive. A frame tells nobody that it shows the browser's own
 * error page, so silence is what counts: a page of the wallet speaks at once when it is loaded.
 * States: waiting → speaking or silent; speaking → waiting by leaving or a load; silent → speaking
 * by a late word. Held while a bank's own page may stand in the frame: that one never speaks.
 */
import { frameAnswerMs, loadedAnswerMs } from './limits.js'

export class FrameWatch {
  readonly #onSilent: () => void
  #timer = 0
  #isHeld = false
  isSpeaking = false

  constructor(onSilent: () => void) {
    this.#onSilent = onSilent
  }

  /** A page is on its way. */
  waits(): void {
    this.#wait(frameAnswerMs)
  }

  /** The browser has finished loading something: ours, or its error page. */
  loads(): void {
    this.#wait(loadedAnswerMs)
  }

  speaks(): void {
    this.isSpeaking = true
    clearTimeout(this.#timer)
  }

  /** While a payment runs the frame may be led to a page that is neither ours nor an error. */
  holds(isHeld: boolean): void {
    this.#isHeld = isHeld
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #wait(limitMs: number): void {
    this.isSpeaking = false
    clearTimeout(this.#timer)
    if (!this.#isHeld) this.#timer = window.setTimeout(this.#onSilent, limitMs)
  }
}
