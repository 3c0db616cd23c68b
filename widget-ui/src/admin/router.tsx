/**
 * Which page is shown: the path below /admin, and nothing else. Never a query, a fragment or a
 * history state: what an admin searches for stays out of the address.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export type Route =
  | { readonly page: 'overview' | 'client-apps' | 'new-client-app' | 'wallets' | 'log' | 'unknown' }
  | { readonly page: 'client-app'; readonly clientId: string }
  | { readonly page: 'webhook'; readonly clientId: string; readonly endpointId: string }
  | { readonly page: 'wallet' | 'explain'; readonly walletId: string }

export function routeOf(path: string): Route {
  const [first = '', second = '', third, fourth = '', ...rest] = path
    .replace(/^\/admin\/?/, '')
    .replace(/\/$/, '')
    .split('/')
  if (first === 'wallets' && third === 'explain' && fourth === '')
    return { page: 'explain', walletId: decoded(second) }
  if (first === 'client-apps' && third === 'webhooks' && fourth !== '' && rest.length === 0)
    return { page: 'webhook', clientId: decoded(second), endpointId: decoded(fourth) }
  if (third !== undefined) return { page: 'unknown' }
  if (first === '') return { page: 'overview' }
  if (first === 'client-apps' && second === '') return { page: 'client-apps' }
  if (first === 'client-apps' && second === 'new') return { page: 'new-client-app' }
  if (first === 'client-apps') return { page: 'client-app', clientId: decoded(second) }
  if (first === 'wallets' && second === '') return { page: 'wallets' }
  if (first === 'wallets') return { page: 'wallet', walletId: decoded(second) }
  if (first === 'log' && second === '') return { page: 'log' }
  return { page: 'unknown' }
}

export function pathOf(route: Route): string {
  switch (route.page) {
    case 'overview':
    case 'unknown':
      return '/admin'
    case 'client-apps':
    case 'wallets':
    case 'log':
      return `/admin/${route.page}`
    case 'new-client-app':
      return '/admin/client-apps/new'
    case 'client-app':
      return `/admin/client-apps/${encodeURIComponent(route.clientId)}`
    case 'webhook':
      return (
        `/admin/client-apps/${encodeURIComponent(route.clientId)}` +
        `/webhooks/${encodeURIComponent(route.endpointId)}`
      )
    case 'wallet':
      return `/admin/wallets/${encodeURIComponent(route.walletId)}`
    case 'explain':
      return `/admin/wallets/${encodeURIComponent(route.walletId)}/explain`
  }
}

export function goTo(route: Route): void {
  history.pushState(null, '', pathOf(route))
  window.dispatchEvent(new PopStateEvent('popstate'))
  window.scrollTo(0, 0)
}

export function useRoute(): Route {
  const [path, setPath] = useState(location.pathname)
  useEffect(() => {
    const follow = () => setPath(location.pathname)
    window.addEventListener('popstate', follow)
    return () => window.removeEventListener('popstate', follow)
  }, [])
  return routeOf(path)
}

export interface LinkProps {
  to: Route
  class?: string
  isCurrent?: boolean
  children: ComponentChildren
}

/** A real link: a new tab, a copied address and the middle button work. */
export function Link({ to, isCurrent, children, class: className }: LinkProps) {
  const click = (event: MouseEvent) => {
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey
    if (!isPlain || event.altKey || event.defaultPrevented) return
    event.preventDefault()
    goTo(to)
  }
  return (
    <a
      href={pathOf(to)}
      class={className}
      aria-current={isCurrent === true ? 'page' : undefined}
      onClick={click}
    >
      {children}
    </a>
  )
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
