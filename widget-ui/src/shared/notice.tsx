/**
 * A quiet box that says something that stays true until somebody acts: an error with its one next
 * step, a warning, a state. Errors are read out at once.
 */
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.js'

export type NoticeKind = 'info' | 'good' | 'warning' | 'danger'

const icons = { info: 'info', good: 'check', warning: 'alert', danger: 'alert' } as const

export interface NoticeProps {
  kind: NoticeKind
  children: ComponentChildren
  action?: { label: string; run: () => void }
}

export function Notice({ kind, children, action }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'danger' ? 'alert' : undefined}>
      <Icon name={icons[kind]} />
      <div>{children}</div>
      {action !== undefined && (
        <div class="actions">
          <button class="button" type="button" onClick={action.run}>
            {action.label}
          </button>
        </div>
      )}
    </div>
  )
}

export interface BadgeProps {
  kind: NoticeKind | 'plain'
  icon?: 'check' | 'pause' | 'alert' | 'refuse' | 'info'
  children: ComponentChildren
}

/** A state in a word, with an icon: never in a colour alone. */
export function Badge({ kind, icon, children }: BadgeProps) {
  return (
    <span class={`badge badge-${kind}`}>
      {icon !== undefined && <Icon name={icon} isSmall />}
      {children}
    </span>
  )
}
