/** The head of a view that stands in place of the wallet: the way back, and what this is. */
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../shared/icon.js'
import { say } from '../words/say.js'

export function ViewHead({ title, onBack }: { title: string; onBack: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Whoever came by keyboard goes on here, and hears where they are.
  useEffect(() => heading.current?.focus(), [])
  return (
    <header class="view-head">
      <button class="button button-bare" type="button" onClick={onBack}>
        <Icon name="back" />
        {say('list.back')}
      </button>
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
    </header>
  )
}
