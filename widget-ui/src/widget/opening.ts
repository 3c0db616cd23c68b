/**
 * What the address of this page asked for. Promises: the session token is read once and then gone
 * from the address bar and the history; from here on it lives in memory only. Never: keeps
 * anything in cookies or storage; browsers partition or block both in a frame. (The one exception
 * is the way over a bank's own page: topup/bank-return.ts.)
 */
export interface Opening {
  readonly session: string | undefined
  /** As it stands in the address; the top-up page reads it with the rules of the currency. */
  readonly amount: string | undefined
  readonly theme: 'light' | 'dark' | undefined
  readonly direction: 'ltr' | 'rtl'
  /** A language tag as the browser spells it. */
  readonly locale: string | undefined
  readonly background: 'transparent' | 'plain' | undefined
  readonly radiusPx: number | undefined
  /** The loader opened this window, and hands it a port when asked. */
  readonly hasLoader: boolean
}

/** What every page of the widget takes on to the next one. */
const lookNames = ['theme', 'dir', 'locale', 'background', 'radius', 'loader'] as const

const radiusMaxPx = 32

/** `clientId`: whose page this is; it stays in the address, so that a reload still knows. */
export function readOpening(clientId: string | null): Opening {
  const address = new URL(location.href)
  const query = address.searchParams
  const opening: Opening = {
    session: query.get('session') ?? undefined,
    amount: query.get('amount') ?? undefined,
    theme: oneOf(query.get('theme'), ['light', 'dark']),
    direction: query.get('dir') === 'rtl' ? 'rtl' : 'ltr',
    locale: localeOf(query.get('locale')),
    background: oneOf(query.get('background'), ['transparent', 'plain']),
    radiusPx: radiusOf(query.get('radius')),
    hasLoader: query.get('loader') === '1',
  }
  query.delete('session')
  if (clientId !== null) query.set('clientId', clientId)
  // A document without an origin (sandboxed without allow-same-origin) may not do this.
  try {
    history.replaceState(null, '', address)
  } catch {
    return opening
  }
  return opening
}

function oneOf<Name extends string>(text: string | null, names: readonly Name[]): Name | undefined {
  return names.find((name) => name === text)
}

function localeOf(text: string | null): string | undefined {
  try {
    return text === null ? undefined : Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

function radiusOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,2}$/.test(text) ? Math.min(Number(text), radiusMaxPx) : undefined
}

export interface PageAddress {
  readonly page: 'wallet' | 'topup'
  readonly clientId: string | null
  readonly session?: string | undefined
  readonly amount?: number | undefined
}

/** The address of another page of the widget, in the same look as this one. */
export function pageAddress({ page, clientId, session, amount }: PageAddress): string {
  const query = new URLSearchParams()
  if (clientId !== null) query.set('clientId', clientId)
  if (session !== undefined) query.set('session', session)
  if (amount !== undefined) query.set('amount', String(amount))
  const here = new URLSearchParams(location.search)
  for (const name of lookNames) {
    const value = here.get(name)
    if (value !== null) query.set(name, value)
  }
  const text = query.toString()
  return `/widget/${page}${text === '' ? '' : `?${text}`}`
}
