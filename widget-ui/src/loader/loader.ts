/**
 * /widget/loader.js: puts the wallet into an element of a host page. Promises: the frame has the
 * attributes that the wallet needs; a message counts only from the service's origin and from this
 * very frame, or from a top-up window that was opened here; a new session is fetched before the old
 * one ends; a frame that stays silent is replaced by words (recovery.ts). Renewal and height go
 * through a MessageChannel port that is handed over at each load. Never: stores a token, or gives
 * the frame's own token to the host page.
 * States of a mounted widget: mounted → unmounted.
 */
import { failureOf, ownWords } from './diagnosis.js'
import { FrameWatch } from './frame-watch.js'
import { firstHeightPx, heightMaxPx, windowsMax } from './limits.js'
import { Recovery } from './recovery.js'
import { fetchSession, type FetchedSession } from './session-source.js'
import type {
  WalletWidgetHandle,
  WalletWidgetLoader,
  WalletWidgetOptions,
} from './wallet-widget.js'

/** As widget/host-port.ts expects them. */
const handover = 'wallet-widget-port'
const windowHello = 'wallet-widget-window'

const sandboxPermissions =
  'allow-same-origin allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox ' +
  // For statements, receipts and proofs; without it they open in a window of their own.
  'allow-downloads'

const popup = 'popup,width=480,height=760'

const script = document.currentScript
// As a module there is no current script; import.meta is not there for a classic one.
const scriptOrigin = script instanceof HTMLScriptElement ? new URL(script.src).origin : undefined

class MountedWidget implements WalletWidgetHandle {
  readonly iframe = document.createElement('iframe')
  readonly #options: WalletWidgetOptions
  readonly #origin: string
  readonly #element: Element
  readonly #watch = new FrameWatch(() => void this.#recovery.fails(() => this.#isSilent))
  readonly #recovery: Recovery
  /** The last token that the host page gave; the frame may have one of its own after a login. */
  #session: string | undefined
  #port: MessagePort | undefined
  #windows: { readonly opened: Window; port?: MessagePort }[] = []
  #isMounted = true
  #topUpWaiting: { readonly amount: number | undefined } | undefined

  constructor(element: Element, options: WalletWidgetOptions) {
    const { clientId, serviceUrl, session, getSession } = options
    const service = serviceUrl ?? scriptOrigin
    if (service === undefined) throw new Error('WalletWidget.mount needs serviceUrl here')
    this.#options = options
    this.#origin = new URL(service, location.href).origin
    this.#element = element
    this.#session = session
    const { iframe } = this
    const asked = { origin: this.#origin, clientId }
    this.#recovery = new Recovery({ asked, options, iframe, load: () => void this.#start() })
    dress(iframe, options)
    iframe.addEventListener('load', () => this.#handPort())
    window.addEventListener('message', this.#onMessage)
    element.append(iframe)
    if (session === undefined && getSession !== undefined) void this.#start()
    else this.#show(session)
  }

  setSession(sessionToken?: string): void {
    this.#show(sessionToken)
  }

  openTopUp({ amount, window: inWindow }: { amount?: number; window?: boolean } = {}): boolean {
    if (inWindow === true && this.#openWindow(amount)) return true
    this.#topUpWaiting = { amount }
    this.#sendTopUp()
    return this.#isMounted
  }

  unmount(): void {
    this.#isMounted = false
    window.removeEventListener('message', this.#onMessage)
    this.#watch.stop()
    this.#recovery.stop()
    this.#port?.close()
    for (const { port } of this.#windows) port?.close()
    this.iframe.remove()
  }

  get #isSilent(): boolean {
    return this.#isMounted && !this.#watch.isSpeaking
  }

  /** The host's backend decides whether the wallet or the login comes first. */
  async #start(): Promise<void> {
    const { token, isFailed } = await this.#newSession()
    // Without an answer the old one may still do; the frame renews it when it can.
    const isAsked = this.#options.getSession !== undefined && !isFailed
    if (this.#isMounted) this.#show(isAsked ? token : this.#session)
  }

  #show(sessionToken: string | undefined): void {
    if (!this.#isMounted) return
    this.#session = sessionToken
    this.#watch.holds(false)
    this.#watch.waits()
    this.iframe.src = this.#address('wallet', { session: sessionToken })
  }

  #address(page: 'wallet' | 'topup', more: Readonly<Record<string, unknown>>): string {
    const { clientId, theme, locale, background, radius } = this.#options
    const isRtl = getComputedStyle(this.#element).direction === 'rtl'
    const dir = isRtl ? 'rtl' : undefined
    const all = { clientId, ...more, theme, locale, background, radius, dir }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(all))
      if (value !== undefined) query.set(name, String(value))
    return `${this.#origin}/widget/${page}?${query.toString()}`
  }

  /** Opened at once, within the click; the address follows when a fresh session is there. */
  #openWindow(amount: number | undefined): boolean {
    const { getSession } = this.#options
    if (getSession === undefined && this.#session === undefined) return false
    const opened = window.open('', '_blank', popup)
    if (opened === null) return false
    this.#windows = [...this.#windows, { opened }].slice(-windowsMax)
    void this.#newSession().then(({ token }) => {
      const session = token ?? this.#session
      // It asks for a port of its own, so that its session is renewed as the frame's is.
      const address = this.#address('topup', { session, amount, loader: 1 })
      if (session !== undefined) opened.location.replace(address)
      else {
        opened.close()
        this.openTopUp(amount === undefined ? {} : { amount })
      }
    })
    return true
  }

  async #newSession(): Promise<FetchedSession> {
    const { getSession, onError, locale } = this.#options
    const fetched = await fetchSession(getSession)
    if (fetched.token !== undefined) this.#session = fetched.token
    const { code, message } = failureOf('SESSION_FAILED', locale)
    if (fetched.isFailed && this.#isMounted) onError?.({ code, message })
    return fetched
  }

  /** At each load: the frame goes from the wallet to the top-up page and back. */
  #handPort(): void {
    const frame = this.iframe.contentWindow
    // An iframe that was just put into the page loads nothing, and says that it has.
    if (frame === null || !this.#isMounted || this.iframe.src === '') return
    this.#watch.loads()
    this.#port?.close()
    this.#port = this.#portTo(frame)
  }

  /** Only the service itself gets the port, whatever stands there by now. */
  #portTo(target: Window): MessagePort {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }: MessageEvent<unknown>) => void this.#hear(data, port1)
    target.postMessage({ type: handover }, this.#origin, [port2])
    return port1
  }

  #sendTopUp(): void {
    if (!this.#watch.isSpeaking || this.#topUpWaiting === undefined) return
    this.#port?.postMessage({ type: 'topup', ...this.#topUpWaiting })
    this.#topUpWaiting = undefined
  }

  async #hear(data: unknown, port: MessagePort): Promise<void> {
    const message = (data ?? {}) as Readonly<Record<string, unknown>>
    if (message['type'] === 'session')
      port.postMessage({ type: 'session', sessionToken: (await this.#newSession()).token })
    // A top-up in a window has changed what the wallet shows.
    if (message['type'] === 'changed') this.#port?.postMessage({ type: 'look' })
    if (port === this.#port) this.#hearFrame(message)
  }

  #hearFrame({ type, heightPx, isPaying }: Readonly<Record<string, unknown>>): void {
    if (type === 'leaving') {
      this.#watch.waits()
      return
    }
    this.#watch.speaks()
    this.#recovery.isWell()
    this.#sendTopUp()
    // A bank's own page may follow: it never speaks, and must not be taken for an error page.
    if (type === 'hello' || type === 'paying') this.#watch.holds(isPaying === true)
    if (type !== 'height' || typeof heightPx !== 'number' || !(heightPx > 0)) return
    const wantedPx = Math.max(Math.ceil(heightPx), this.#options.minHeight ?? 0)
    this.iframe.style.height = `${Math.min(wantedPx, heightMaxPx)}px`
  }

  readonly #onMessage = (event: MessageEvent<unknown>): void => {
    if (event.origin !== this.#origin) return
    const message = (event.data ?? {}) as Record<string, unknown>
    if (message['type'] === windowHello) this.#meetWindow(event.source)
    if (event.source !== this.iframe.contentWindow) return
    const { onOpenTopup, onLogoutRequest, ...on } = this.#options
    switch (message['type']) {
      case 'SERVICE_WALLET_LOADED':
        return on.onLoaded?.()
      case 'SERVICE_WALLET_UPDATED':
        return on.onUpdated?.()
      case 'SERVICE_AUTH_REQUIRED':
        return on.onAuthRequired?.()
      case 'SERVICE_AUTH_SUCCESS':
        return on.onAuthSuccess?.({
          serviceUserId: String(message['serviceUserId']),
          linkProof: String(message['linkProof']),
        })
      case 'SERVICE_OPEN_TOPUP':
        if (onOpenTopup === undefined) this.openTopUp()
        return onOpenTopup?.()
      case 'SERVICE_LOGOUT_REQUEST':
        // The frame has ended its token and shows the login by itself.
        this.#session = undefined
        return onLogoutRequest?.()
    }
  }

  /** A top-up window that was opened here is ready; it asks again after each of its loads. */
  #meetWindow(source: MessageEventSource | null): void {
    const known = this.#windows.find(({ opened }) => opened === source)
    if (known === undefined) return
    known.port?.close()
    known.port = this.#portTo(known.opened)
  }
}

function dress(iframe: HTMLIFrameElement, options: WalletWidgetOptions): void {
  const { title, sandbox, theme, minHeight, locale } = options
  iframe.title = title ?? ownWords(locale).wallet
  iframe.allow = 'payment *'
  if (sandbox === true) iframe.setAttribute('sandbox', sandboxPermissions)
  Object.assign(iframe.style, { width: '100%', border: '0', display: 'block' })
  iframe.style.height = `${Math.max(firstHeightPx, minHeight ?? 0)}px`
  // As the page inside: where the two differ a browser paints a ground behind it.
  iframe.style.colorScheme = theme ?? 'light dark'
}

const loader: WalletWidgetLoader = {
  mount: (element, options) => new MountedWidget(element, options),
}

window.WalletWidget = loader
