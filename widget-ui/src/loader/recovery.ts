/**
 * What the loader does about a silent frame: asks why, shows its own card instead, tells the host
 * page once, and tries again by itself while there is hope. Promises: tries are bounded, with
 * longer and longer pauses, and at once when the connection is back; a frame that speaks late after
 * all takes its place again.
 * States: well → failing (the card stands) → well; stopped is the end.
 */
import { diagnose, failureOf, tellMakers, type Asked } from './diagnosis.js'
import { failureCard, type FailureCard } from './failure-card.js'
import { healPausesMs } from './limits.js'
import type { WalletWidgetError, WalletWidgetOptions } from './wallet-widget.js'

export interface RecoveryParts {
  readonly asked: Asked
  readonly options: WalletWidgetOptions
  readonly iframe: HTMLIFrameElement
  /** Loads the wallet into the frame again. */
  readonly load: () => void
}

export class Recovery {
  readonly #parts: RecoveryParts
  #card: FailureCard | undefined
  #code: WalletWidgetError['code'] | undefined
  #tries = 0
  #timer = 0
  #isStopped = false

  constructor(parts: RecoveryParts) {
    this.#parts = parts
    window.addEventListener('online', this.#onOnline)
  }

  get isFailing(): boolean {
    return this.#card !== undefined
  }

  /** The frame is silent. `isStill`: asked when the reason is known; it may have spoken since. */
  async fails(isStill: () => boolean): Promise<void> {
    const code = await diagnose(this.#parts.asked)
    if (this.#isStopped || !isStill()) return
    this.#show(code)
    this.#plan()
  }

  /** The frame speaks. */
  isWell(): void {
    clearTimeout(this.#timer)
    this.#tries = 0
    this.#code = undefined
    this.#card?.element.remove()
    this.#card = undefined
    this.#parts.iframe.style.display = 'block'
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    window.removeEventListener('online', this.#onOnline)
    this.#card?.element.remove()
  }

  #show(code: WalletWidgetError['code']): void {
    this.#card?.setBusy(false)
    if (code === this.#code) return
    const { asked, options, iframe } = this.#parts
    const failure = failureOf(code, options.locale)
    const card = failureCard(failure, options, () => this.#again())
    if (this.#card === undefined) iframe.before(card.element)
    else this.#card.element.replaceWith(card.element)
    // It goes on loading unseen: a slow one may still come.
    iframe.style.display = 'none'
    this.#card = card
    this.#code = code
    tellMakers(code, asked)
    options.onError?.({ code, message: `${failure.title}. ${failure.message}` })
  }

  #again(): void {
    clearTimeout(this.#timer)
    this.#card?.setBusy(true)
    this.#parts.load()
  }

  #plan(): void {
    const pauseMs = healPausesMs[this.#tries]
    clearTimeout(this.#timer)
    if (pauseMs !== undefined) this.#timer = window.setTimeout(() => void this.#heal(), pauseMs)
  }

  async #heal(): Promise<void> {
    this.#tries += 1
    const code = await diagnose(this.#parts.asked)
    if (this.#isStopped || !this.isFailing) return
    // The service answers and would let this page in: the frame has a chance again.
    if (code === 'FRAME_SILENT') {
      this.#parts.load()
      return
    }
    this.#show(code)
    this.#plan()
  }

  readonly #onOnline = (): void => {
    if (this.isFailing) this.#again()
  }
}
