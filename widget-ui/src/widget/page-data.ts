/**
 * What the server wrote into this page: whose it is, whom it may post to, how it pays. Promises:
 * every field is there, whatever the block holds; a page opened without a server (or with a block
 * that is no JSON) knows no app, posts to nobody and cannot pay. Never: reads the address; that is
 * opening.ts.
 */
import type { Currency } from '../shared/formats.js'

export interface PageData {
  readonly clientId: string | null
  readonly brand: string | null
  /** '#rrggbb'; theme.ts makes it readable. */
  readonly accent: string | null
  /** Whom the page may post to as a frame. */
  readonly parentOrigins: readonly string[]
  /** Whom the top-up window may post to. */
  readonly openerOrigins: readonly string[]
  readonly session: 'none' | 'live' | 'ended'
  readonly currency: Currency
  readonly payments: Payments
  /** Whether a forgotten password is answered by a mail. */
  readonly sendsMail: boolean
  readonly problem: null | 'APP_UNKNOWN' | 'APP_INACTIVE'
}

export interface Payments {
  readonly kind: 'stripe' | 'sandbox' | 'off'
  readonly publishableKey: string | null
  readonly testMode: boolean
  /** Major units. */
  readonly minimum: number
  readonly maximum: number
}

const nothing: PageData = {
  clientId: null,
  brand: null,
  accent: null,
  parentOrigins: [],
  openerOrigins: [],
  session: 'none',
  currency: { code: 'usd', decimals: 2 },
  payments: { kind: 'off', publishableKey: null, testMode: false, minimum: 0, maximum: 0 },
  sendsMail: false,
  problem: 'APP_UNKNOWN',
}

export function readPageData(): PageData {
  const text = document.getElementById('page-data')?.textContent
  if (text === undefined) return nothing
  try {
    return { ...nothing, ...(JSON.parse(text) as Partial<PageData>) }
  } catch {
    return nothing
  }
}
