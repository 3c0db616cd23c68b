/**
 * The types of the loader, served as /widget/loader.d.ts. `WalletWidget.mount` puts the wallet into
 * an element of your page. Save this file beside your sources and import it for its types.
 */
export interface WalletWidgetOptions {
  /** Public identifier of your client app. */
  clientId: string
  /** Where the wallet service answers; the origin of the loader script when left out. */
  serviceUrl?: string
  /** A token from POST /api/widget/session, made by your backend. Without one: login first. */
  session?: string
  /**
   * Asks your backend for a session token: at the start when `session` is left out, and again
   * before the old one ends. `undefined`: this user is not linked, the widget shows its login. A
   * try that throws is made again, twice with a pause, before anybody is asked to log in.
   */
  getSession?: () => Promise<string | { sessionToken: string } | undefined>
  /** Puts the iframe into a sandbox with exactly the permissions that the wallet needs. */
  sandbox?: boolean
  /** The system's choice when left out. */
  theme?: 'light' | 'dark'
  /**
   * Words, amounts and dates, such as 'de-AT': English, German, French, Spanish, Portuguese or
   * Polish. When left out, or another one: what the person has chosen, else the browser's.
   */
  locale?: string
  /**
   * 'transparent', also when left out: beside its cards the frame shows what is behind it.
   * 'plain': the quiet ground of the wallet's own pages.
   */
  background?: 'transparent' | 'plain'
  /** Of the corners of cards, in pixels from 0 to 32; 12 when left out. */
  radius?: number
  /** The frame is at least so high, in pixels: nothing below it moves while it loads. */
  minHeight?: number
  /** What a screen reader calls the frame; "Wallet" in its language when left out. */
  title?: string

  /** The wallet is drawn. */
  onLoaded?: () => void
  /** The balance or the entries have changed: ask your backend, and refresh what you show. */
  onUpdated?: () => void
  /**
   * The person asks to top up. When left out, the top-up page opens inside the frame; otherwise
   * call `openTopUp` yourself.
   */
  onOpenTopup?: () => void
  /** The login is shown: make sure that the widget can be seen. */
  onAuthRequired?: () => void
  /**
   * The person has logged in. Send both to your backend; it checks the proof with
   * POST /api/server/links/verify and stores the serviceUserId on your user.
   */
  onAuthSuccess?: (account: { serviceUserId: string; linkProof: string }) => void
  /** The person leaves this account: remove the stored link. The widget shows its login. */
  onLogoutRequest?: () => void
  /**
   * The wallet cannot be shown, or your `getSession` keeps failing. The loader shows a card with
   * what happened and "Try again" by itself; it heals by itself too. Once for each reason.
   */
  onError?: (error: WalletWidgetError) => void
}

export interface WalletWidgetError {
  /**
   * OFFLINE, SERVICE_UNREACHABLE: no connection. ORIGIN_NOT_ALLOWED: this page is not among the
   * allowed iframe parents. APP_UNKNOWN: no such clientId. FRAME_SILENT: the service answers, the
   * frame does not. SESSION_FAILED: `getSession` threw each time; the login is shown.
   */
  readonly code:
    | 'OFFLINE'
    | 'SERVICE_UNREACHABLE'
    | 'ORIGIN_NOT_ALLOWED'
    | 'APP_UNKNOWN'
    | 'FRAME_SILENT'
    | 'SESSION_FAILED'
  /** What the person is told, in a sentence. */
  readonly message: string
}

export interface WalletWidgetHandle {
  readonly iframe: HTMLIFrameElement
  /** Shows the wallet of another token, or, without one, the login. */
  setSession(sessionToken?: string): void
  /**
   * Shows the top-up page in the frame; with `window: true` in a window of its own, which a browser
   * allows only while it handles a click. True when the page opens; a window needs a session that
   * your page knows, and where there is none the frame is used.
   */
  openTopUp(options?: { amount?: number; window?: boolean }): boolean
  /** Removes the frame and everything that listens. */
  unmount(): void
}

export interface WalletWidgetLoader {
  mount(element: Element, options: WalletWidgetOptions): WalletWidgetHandle
}

declare global {
  interface Window {
    WalletWidget: WalletWidgetLoader
  }
  const WalletWidget: WalletWidgetLoader
}
