/**
 * The JSON block that the server writes into a page of the widget: whose it is, whom it may post
 * to, how it pays. Types only: the server makes it and the page reads it (widget/page-data.ts).
 */

/** Amounts in major units. */
export interface PagePayments {
  readonly kind: 'stripe' | 'sandbox' | 'off'
  readonly publishableKey: string | null
  readonly testMode: boolean
  readonly minimum: number
  readonly maximum: number
}

/** Who runs the service; null where the operator has not said it. */
export interface PageService {
  readonly name: string | null
  /** Its address. */
  readonly logo: string | null
  /** An email, or an address to open. */
  readonly support: string | null
  readonly terms: string | null
  readonly privacy: string | null
}

export interface PageData {
  readonly service: PageService
  /** What the person of this session has chosen; the page needs it for its first word. */
  readonly language: string | null
  readonly clientId: string | null
  readonly brand: string | null
  /** '#rrggbb'; the page makes it readable. */
  readonly accent: string | null
  /** Whom it may post to as a frame. */
  readonly parentOrigins: readonly string[]
  /** Who may have opened it in a window of its own. */
  readonly openerOrigins: readonly string[]
  readonly session: 'none' | 'live' | 'ended'
  /** The person made it by logging in; it is asked again at every call. */
  readonly isPersons: boolean
  readonly currency: { readonly code: string; readonly decimals: number }
  readonly payments: PagePayments
  /** Whether a forgotten password is answered by a mail. */
  readonly sendsMail: boolean
  readonly problem: null | 'APP_UNKNOWN' | 'APP_INACTIVE'
}
