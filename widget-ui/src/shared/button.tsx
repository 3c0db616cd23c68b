/**
 * A button that says when it is at work and takes no second click meanwhile. It stays focusable all
 * the while: a disabled button would throw a keyboard's user back to the top of the page.
 */
import type { ComponentChildren } from 'preact'

export interface ButtonProps {
  children: ComponentChildren
  kind?: 'primary' | 'plain' | 'danger' | 'danger-strong' | 'bare'
  type?: 'button' | 'submit'
  isBusy?: boolean
  /** Takes the focus when a dialog opens with it. */
  isFirstFocused?: boolean
  onClick?: () => void
}

export function Button({
  children,
  kind = 'plain',
  type = 'button',
  isBusy,
  isFirstFocused,
  onClick,
}: ButtonProps) {
  const click = (event: Event) => {
    if (isBusy === true) event.preventDefault()
    else onClick?.()
  }
  return (
    <button
      class={`button button-${kind}`}
      type={type}
      aria-disabled={isBusy === true ? 'true' : undefined}
      data-first-focus={isFirstFocused}
      onClick={click}
    >
      {children}
      {isBusy === true && <span aria-hidden="true">…</span>}
    </button>
  )
}
