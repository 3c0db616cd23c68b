/**
 * What every page has: its name in the window's title and as the one h1, which takes the focus when
 * the page changes, so that a screen reader says where one is; and how loading and failing look.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../shared/icon.js'
import { Notice } from '../shared/notice.js'
import { Link, type Route } from './router.js'
import type { Loaded } from './work.js'

let hasShownOne = false

export interface PageProps {
  title: string
  /** The page above this one. */
  up?: { to: Route; name: string }
  actions?: ComponentChildren
  children: ComponentChildren
}

export function Page({ title, up, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // The first page keeps the browser's own start at the top.
    if (hasShownOne) heading.current?.focus()
    hasShownOne = true
  }, [])
  useEffect(() => {
    document.title = `${title} · Wallet admin`
  }, [title])
  return (
    <div class="page">
      <div class="page-head">
        <div>
          {up !== undefined && (
            <Link to={up.to} class="page-up">
              <Icon name="back" isSmall />
              {up.name}
            </Link>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}

/** The failure with its one next step, else a skeleton of the final size, else the value. */
export function Waiting<Value>({ loaded, rows }: { loaded: Loaded<Value>; rows: number }) {
  if (loaded.failure !== undefined) return <LoadFailure loaded={loaded} />
  return (
    <div class="card" aria-busy="true">
      <p class="unseen">Loading.</p>
      <div class="skeletons" aria-hidden="true">
        {Array.from({ length: rows }, (_, index) => (
          <span key={index} class="skeleton skeleton-row" />
        ))}
      </div>
    </div>
  )
}

export function LoadFailure<Value>({ loaded }: { loaded: Loaded<Value> }) {
  if (loaded.failure === undefined) return null
  return (
    <Notice kind="danger" action={{ label: 'Try again', run: loaded.reload }}>
      {loaded.failure.message}
    </Notice>
  )
}
