/**
 * The six window messages of the contract, and beside them two about the session for pages that
 * embed the wallet by hand. Promises: each is posted once to each origin that the
 * server listed, never to `*`; the browser delivers only where the origin matches exactly. A page
 * that is not framed posts to nobody, except the top-up window to the page that opened it.
 * Never: carries anything about the wallet; `serviceUserId` and `linkProof` go with
 * SERVICE_AUTH_SUCCESS only.
 */
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'

export type Message =
  | { readonly type: 'SERVICE_WALLET_LOADED' }
  | { readonly type: 'SERVICE_WALLET_UPDATED' }
  | { readonly type: 'SERVICE_OPEN_TOPUP' }
  | { readonly type: 'SERVICE_AUTH_REQUIRED' }
  | {
      readonly type: 'SERVICE_AUTH_SUCCESS'
      readonly serviceUserId: string
      readonly linkProof: string
    }
  | { readonly type: 'SERVICE_LOGOUT_REQUEST' }
  | SessionMessage

/** Answered with `{ type: 'SERVICE_SESSION', sessionToken }` the page goes on as it is. */
export type SessionMessage =
  | { readonly type: 'SERVICE_SESSION_EXPIRING'; readonly expiresAt: string }
  | { readonly type: 'SERVICE_SESSION_EXPIRED' }

/** What a top-up window says to the loader that opened it; the loader then hands it a port. */
export interface WindowHello {
  readonly type: 'wallet-widget-window'
}

export function isFramed(): boolean {
  return window.parent !== window
}

/** To the page that frames this one. */
export function postToParent(
  message: Message,
  { parentOrigins }: Pick<PageData, 'parentOrigins'>,
): void {
  if (isFramed()) postTo(window.parent, message, parentOrigins)
}

/** To the page that opened this one as a window of its own. */
export function postToOpener(
  message: Message | WindowHello,
  { openerOrigins }: Pick<PageData, 'openerOrigins'>,
): void {
  const opener = window.opener as Window | null
  if (!isFramed() && opener !== null) postTo(opener, message, openerOrigins)
}

function postTo(target: Window, message: Message | WindowHello, origins: readonly string[]): void {
  for (const origin of new Set(origins)) {
    // The server lists exact origins; a wildcard would hand the message to anybody.
    if (origin === '*' || origin === '') continue
    target.postMessage({ ...message, source: 'wallet-service', version: 1 }, origin)
  }
}
