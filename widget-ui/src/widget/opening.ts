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
}

/** `clientId`: whose page this is; it stays in the address, so that a reload still knows. */
export function readOpening(clientId: string | null): Opening {
  const address = new URL(location.href)
  const query = address.searchParams
  const theme = query.get('theme')
  const opening: Opening = {
    session: query.get('session') ?? undefined,
    amount: query.get('amount') ?? undefined,
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
    direction: query.get('dir') === 'rtl' ? 'rtl' : 'ltr',
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
  for (const name of ['theme', 'dir']) {
    const value = here.get(name)
    if (value !== null) query.set(name, value)
  }
  const text = query.toString()
  return `/widget/${page}${text === '' ? '' : `?${text}`}`
}
