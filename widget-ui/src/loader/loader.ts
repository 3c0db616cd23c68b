/**
 * /widget/loader.js: puts the wallet into an element of a host page. Promises: the frame has the
 * attributes that the wallet needs; a message counts only from the service's origin and from this
 * very frame; a new session is fetched before the old one ends. Renewal and height go through a
 * MessageChannel port that is handed to the frame at each of its loads. Never: stores a token, or
 * gives the frame's own token to the host page.
 * States of a mounted widget: mounted → unmounted.
 */
import type {
  WalletWidgetHandle,
  WalletWidgetLoader,
  WalletWidgetOptions,
} from './wallet-widget.js'

/** As widget/host-port.ts expects it. */
const handover = 'wallet-widget-port'

const sandboxPermissions =
  'allow-same-origin allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox'

const firstHeightPx = 480
const heightMaxPx = 4_000
const popup = 'popup,width=480,height=760'

const script = document.currentScript
// As a module there is no current script; import.meta is not there for a classic one.
const scriptOrigin = script instanceof HTMLScriptElement ? new URL(script.src).origin : undefined

class MountedWidget implements WalletWidgetHandle {
  readonly iframe = document.createElement('iframe')
  readonly #options: WalletWidgetOptions
  readonly #origin: string
  readonly #element: Element
  /** The last token that the host page gave; the frame may have one of its own after a login. */
  #session: string | undefined
  #port: MessagePort | undefined
  #isMounted = true
  #topUpWaiting: { readonly amount: number | undefined } | undefined

  constructor(element: Element, options: WalletWidgetOptions) {
    const { serviceUrl, session, getSession, title, sandbox } = options
    const service = serviceUrl ?? scriptOrigin
    if (service === undefined) throw new Error('WalletWidget.mount needs serviceUrl here')
    this.#options = options
    this.#origin = new URL(service, location.href).origin
    this.#element = element
    this.#session = session
    const { iframe } = this
    iframe.title = title ?? 'Wallet'
    iframe.allow = 'payment *'
    if (sandbox === true) iframe.setAttribute('sandbox', sandboxPermissions)
    Object.assign(iframe.style, { width: '100%', border: '0', display: 'block' })
    iframe.style.height = `${firstHeightPx}px`
    iframe.style.colorScheme = 'normal'
    iframe.addEventListener('load', () => this.#handPort())
    window.addEventListener('message', this.#onMessage)
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
    this.#port?.close()
    this.iframe.remove()
  }

  /** The host's backend decides whether the wallet or the login comes first. */
  async #start(): Promise<void> {
    const token = await this.#newSession()
    if (this.#isMounted) this.#show(token)
  }

  #show(sessionToken: string | undefined): void {
    if (!this.#isMounted) return
    this.#session = sessionToken
    this.iframe.src = this.#address('wallet', sessionToken)
    if (!this.iframe.isConnected) this.#element.append(this.iframe)
  }

  #address(page: 'wallet' | 'topup', session: string | undefined, amount?: number): string {
    const { clientId, theme } = this.#options
    const query = new URLSearchParams({ clientId })
    if (session !== undefined) query.set('session', session)
    if (amount !== undefined) query.set('amount', String(amount))
    if (theme !== undefined) query.set('theme', theme)
    if (getComputedStyle(this.#element).direction === 'rtl') query.set('dir', 'rtl')
    return `${this.#origin}/widget/${page}?${query.toString()}`
  }

  /** Opened at once, within the click; the address follows when a fresh session is there. */
  #openWindow(amount: number | undefined): boolean {
    const { getSession } = this.#options
    if (getSession === undefined && this.#session === undefined) return false
    const opened = window.open('', '_blank', popup)
    if (opened === null) return false
    void this.#newSession().then((token) => {
      const session = token ?? this.#session
      if (session !== undefined) opened.location.replace(this.#address('topup', session, amount))
      else {
        opened.close()
        this.openTopUp(amount === undefined ? {} : { amount })
      }
    })
    return true
  }

  async #newSession(): Promise<string | undefined> {
    try {
      const answer = await this.#options.getSession?.()
      const token = typeof answer === 'object' ? answer.sessionToken : answer
      if (token !== undefined) this.#session = token
      return token
    } catch (error) {
      console.error('WalletWidget: getSession failed', error)
      return undefined
    }
  }

  /** At each load: the frame goes from the wallet to the top-up page and back. */
  #handPort(): void {
    const frame = this.iframe.contentWindow
    if (frame === null || !this.#isMounted) return
    this.#port?.close()
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.onmessage = ({ data }: MessageEvent<unknown>) => void this.#hear(data, port1)
    // Only the service itself gets the port, whatever the frame shows by now.
    frame.postMessage({ type: handover }, this.#origin, [port2])
    this.#sendTopUp()
  }

  #sendTopUp(): void {
    if (this.#port === undefined || this.#topUpWaiting === undefined) return
    this.#port.postMessage({ type: 'topup', ...this.#topUpWaiting })
    this.#topUpWaiting = undefined
  }

  async #hear(data: unknown, port: MessagePort): Promise<void> {
    const { type, heightPx } = (data ?? {}) as { type?: unknown; heightPx?: unknown }
    if (type === 'session')
      port.postMessage({ type: 'session', sessionToken: await this.#newSession() })
    if (type === 'height' && typeof heightPx === 'number' && heightPx > 0)
      this.iframe.style.height = `${Math.min(Math.ceil(heightPx), heightMaxPx)}px`
  }

  readonly #onMessage = (event: MessageEvent<unknown>): void => {
    if (event.origin !== this.#origin || event.source !== this.iframe.contentWindow) return
    const message = (event.data ?? {}) as Record<string, unknown>
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
}

const loader: WalletWidgetLoader = {
  mount: (element, options) => new MountedWidget(element, options),
}

window.WalletWidget = loader
