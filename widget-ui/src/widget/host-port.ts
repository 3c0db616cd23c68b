/**
 * The private line to the loader of the host page: renewal of the session and the frame's height
 * go here, so that the window messages stay the six of the contract. Promises: a port is taken only
 * from the parent window and from an origin that the server listed; whatever else arrives is
 * ignored. Without a loader every question is answered with undefined.
 * States: alone → joined (a later port replaces the earlier one).
 */
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { timedAnswer } from '../shared/timed-answer.js'

/** What the loader says first, with the port; the rest goes through the port. */
export const handover = 'wallet-widget-port'

/** The host's backend may need a moment for a new session. */
const sessionAnswerMs = 15_000

/** From the start of the page. */
const joinMs = 2_500

export class HostPort {
  #port: MessagePort | undefined
  #answer: (token: string | undefined) => void = () => undefined
  #height = 0
  readonly #onTopUp: (amount: number | undefined) => void
  #onJoined: () => void = () => undefined

  /** `onTopUp`: the host page asks this frame to show the top-up page. */
  constructor(
    { parentOrigins }: Pick<PageData, 'parentOrigins'>,
    onTopUp: (amount: number | undefined) => void,
  ) {
    this.#onTopUp = onTopUp
    window.addEventListener('message', (event: MessageEvent<unknown>) => {
      const [port] = event.ports
      if (port === undefined || event.source !== window.parent || window.parent === window) return
      if (!parentOrigins.includes(event.origin)) return
      if ((event.data as { type?: unknown } | null)?.type === handover) this.#join(port)
    })
  }

  get isJoined(): boolean {
    return this.#port !== undefined
  }

  /** Called at once when there is a port already. */
  whenJoined(listener: () => void): void {
    this.#onJoined = listener
    if (this.isJoined) listener()
  }

  /** The loader comes with the frame's load event: a young page waits for it a little. */
  async mayJoin(): Promise<boolean> {
    while (window.parent !== window && !this.isJoined && performance.now() < joinMs)
      await new Promise((resolve) => setTimeout(resolve, 100))
    return this.isJoined
  }

  /** A new session token from the host page; undefined when it has none to give. */
  newSession(): Promise<string | undefined> {
    const port = this.#port
    if (port === undefined) return Promise.resolve(undefined)
    this.#answer(undefined)
    const limitMs = sessionAnswerMs
    const { answered, answer } = timedAnswer<string | undefined>({ limitMs, late: undefined })
    this.#answer = answer
    port.postMessage({ type: 'session' })
    return answered
  }

  /** Tells the loader how high the content is, now and whenever that changes. */
  followHeight(content: HTMLElement): void {
    new ResizeObserver(() => {
      this.#height = Math.ceil(content.getBoundingClientRect().height)
      this.#tellHeight()
    }).observe(content)
  }

  #join(port: MessagePort): void {
    this.#port?.close()
    this.#port = port
    port.onmessage = ({ data }: MessageEvent<unknown>) => this.#hear(data)
    this.#tellHeight()
    this.#onJoined()
  }

  #hear(data: unknown): void {
    const { type, sessionToken, amount } = (data ?? {}) as Record<string, unknown>
    if (type === 'session')
      this.#answer(typeof sessionToken === 'string' ? sessionToken : undefined)
    if (type === 'topup') this.#onTopUp(typeof amount === 'number' ? amount : undefined)
  }

  #tellHeight(): void {
    if (this.#height > 0) this.#port?.postMessage({ type: 'height', heightPx: this.#height })
  }
}
