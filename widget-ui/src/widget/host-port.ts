/**
 * The line to the host page: to its loader a private port (renewal of the session, the frame's
 * height), to a page that embeds by hand two window messages about the session and its answer, so
 * that the others stay the six of the contract. Promises: a port or a session is taken only from
 * the window that framed or opened this one, and from an origin that the server listed; whatever
 * else arrives is ignored. Without a loader every question is answered with undefined.
 * States: alone → joined (a later port replaces the earlier one).
 */
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { timedAnswer } from '../shared/timed-answer.js'
import { isFramed, postToOpener, postToParent, type SessionMessage } from './messages.js'

/** What the loader says first, with the port; the rest goes through the port. */
export const handover = 'wallet-widget-port'

/** The host's backend may need a moment for a new session, and a second and third try. */
const sessionAnswerMs = 40_000

/** From the start of the page. */
const joinMs = 2_500

export interface HostPortOptions {
  /** The host page asks this frame to show the top-up page. */
  readonly onTopUp: (amount: number | undefined) => void
  /** This window was opened by a loader. */
  readonly hasLoader?: boolean
  /** Before that the page cannot show itself, and says no word to the loader. */
  readonly whenReady: Promise<unknown>
}

type Host = Pick<PageData, 'parentOrigins' | 'openerOrigins' | 'problem'>

export class HostPort {
  readonly #data: Host
  readonly #options: HostPortOptions
  #port: MessagePort | undefined
  #answer: (token: string | undefined) => void = () => undefined
  #height = 0
  #onJoined: () => void = () => undefined
  #onGiven: (token: string) => void = () => undefined
  #onLook: () => void = () => undefined

  constructor(data: Host, options: HostPortOptions) {
    this.#data = data
    this.#options = options
    window.addEventListener('message', (event: MessageEvent<unknown>) => this.#meet(event))
    // The browser's own error page may follow, which says nothing: the loader waits for a word.
    window.addEventListener('pagehide', () => this.#tell({ type: 'leaving' }))
    if (options.hasLoader === true) postToOpener({ type: 'wallet-widget-window' }, data)
  }

  get isJoined(): boolean {
    return this.#port !== undefined
  }

  /** Called at once when there is a port already. */
  whenJoined(listener: () => void): void {
    this.#onJoined = listener
    if (this.isJoined) listener()
  }

  /** A page that embeds by hand gives a new session, asked or not. */
  whenGiven(listener: (token: string) => void): void {
    this.#onGiven = listener
  }

  /** Something outside of this page has changed what the wallet shows. */
  whenToLook(listener: () => void): void {
    this.#onLook = listener
  }

  /** The loader comes with the frame's load event: a young page waits for it a little. */
  async mayJoin(): Promise<boolean> {
    const mayCome = isFramed() || (this.#options.hasLoader === true && window.opener !== null)
    while (mayCome && !this.isJoined && performance.now() < joinMs)
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

  /** For pages that embed by hand; a loader renews by itself and hears nothing of it. */
  tellSession(message: SessionMessage): void {
    if (this.isJoined) return
    postToParent(message, this.#data)
    postToOpener(message, this.#data)
  }

  /** While it is true, a bank's own page may come into this frame. */
  tellPaying(isPaying: boolean): void {
    this.#tell({ type: 'paying', isPaying })
  }

  /** The wallet in the page that opened this window may show something new. */
  tellChanged(): void {
    this.#tell({ type: 'changed' })
  }

  /** Tells the loader how high the content is, now and whenever that changes. */
  followHeight(content: HTMLElement): void {
    new ResizeObserver(() => {
      this.#height = Math.ceil(content.getBoundingClientRect().height)
      this.#tellHeight()
    }).observe(content)
  }

  #meet({ source, origin, data, ports }: MessageEvent<unknown>): void {
    const host = isFramed() ? window.parent : (window.opener as Window | null)
    if (host === null || source !== host || !this.#isListed(origin)) return
    const { type, sessionToken } = (data ?? {}) as Record<string, unknown>
    const [port] = ports
    if (type === handover && port !== undefined) this.#join(port)
    if (type === 'SERVICE_SESSION' && typeof sessionToken === 'string') this.#onGiven(sessionToken)
  }

  #isListed(origin: string): boolean {
    const { parentOrigins, openerOrigins, problem } = this.#data
    // The page of an inactive app posts to nobody, but may say to whoever may frame it that it is
    // there and how high: only allowed parents frame it, by the header that it came with.
    if (problem === 'APP_INACTIVE' && isFramed()) return true
    return (isFramed() ? parentOrigins : openerOrigins).includes(origin)
  }

  #join(port: MessagePort): void {
    this.#port?.close()
    this.#port = port
    port.onmessage = ({ data }: MessageEvent<unknown>) => this.#hear(data)
    void this.#options.whenReady.then(() => {
      if (this.#port !== port) return
      this.#tell({ type: 'hello' })
      this.#tellHeight()
      this.#onJoined()
    })
  }

  #hear(data: unknown): void {
    const { type, sessionToken, amount } = (data ?? {}) as Record<string, unknown>
    if (type === 'session')
      this.#answer(typeof sessionToken === 'string' ? sessionToken : undefined)
    if (type === 'topup') this.#options.onTopUp(typeof amount === 'number' ? amount : undefined)
    if (type === 'look') this.#onLook()
  }

  #tellHeight(): void {
    if (this.#height > 0) this.#tell({ type: 'height', heightPx: this.#height })
  }

  #tell(message: object): void {
    this.#port?.postMessage(message)
  }
}
