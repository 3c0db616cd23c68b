/**
 * Who is logged in, and with what amounts and acts. Only the cookie proves it; here is what the
 * pages need to know of it.
 * States: checking → signed out ↔ signed in → expired (the page stays as it is, with everything
 * that was typed, and a login stands before it) → signed in. Checking fails → unreachable.
 */
import { createContext } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { formatsFor, type Formats } from '../shared/formats.js'
import { Api, ApiFailure } from './api.js'
import type { Me } from '../../../src/http/schemas/answers/admin.js'

export interface Session {
  readonly api: Api
  readonly me: Me
  readonly formats: Formats
  /** An auditor reads only. */
  readonly mayAct: boolean
}

export type SessionState =
  | { readonly kind: 'checking' | 'signed-out' }
  | { readonly kind: 'unreachable'; readonly text: string }
  | { readonly kind: 'signed-in' | 'expired'; readonly me: Me }

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('this page is shown to signed-in admins only')
  return session
}

export interface SessionControl {
  readonly api: Api
  readonly state: SessionState
  readonly session: Session | undefined
  /** Asks the service again who we are: at the start and after a login. */
  readonly check: () => Promise<void>
  readonly logout: () => Promise<void>
}

export function useSessionControl(): SessionControl {
  const [state, setState] = useState<SessionState>({ kind: 'checking' })
  const api = useMemo(
    () =>
      new Api({
        onSignedOut: () =>
          setState((now) =>
            'me' in now ? { kind: 'expired', me: now.me } : { kind: 'signed-out' },
          ),
      }),
    [],
  )
  const check = async () => {
    try {
      setState({ kind: 'signed-in', me: await api.me() })
    } catch (error) {
      // Not being signed in has been told through onSignedOut already.
      if (error instanceof ApiFailure && error.code !== 'ADMIN_SESSION_REQUIRED')
        setState({ kind: 'unreachable', text: error.message })
    }
  }
  useEffect(() => void check(), [])
  const me = 'me' in state ? state.me : undefined
  const session = useMemo(() => {
    if (me === undefined) return undefined
    const mayAct = me.admin.role === 'admin'
    return { api, me, mayAct, formats: formatsFor(me.currency) }
  }, [api, me])
  const logout = async () => {
    await api.logout().catch(() => undefined)
    // A fresh page: nothing of what was shown stays in memory.
    location.assign('/admin')
  }
  return { api, state, session, check, logout }
}
