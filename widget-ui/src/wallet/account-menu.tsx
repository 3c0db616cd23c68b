/**
 * The person's name, and behind it what they can do about it: look after their account, switch it,
 * choose a language. Opens by click, Enter or Space; Escape and a click elsewhere close it, and
 * Escape gives the focus back.
 */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Icon } from '../shared/icon.js'
import { say } from '../words/say.js'
import type { Language } from '../words/languages.js'
import { LanguageField } from './language-field.js'

export interface AccountMenuProps {
  readonly user: { readonly firstName: string; readonly lastName: string }
  readonly brand: string
  readonly onSwitch: () => void
  readonly onAccount: () => void
  /** Missing where the host page has chosen the language. */
  readonly onLanguage: ((language: Language) => void) | undefined
}

export function AccountMenu({ user, brand, onLanguage, ...on }: AccountMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const place = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return undefined
    const closeOutside = (event: Event) => {
      if (!(event.target instanceof Node && place.current?.contains(event.target))) setOpen(false)
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
    }
  }, [isOpen])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    setOpen(false)
    button.current?.focus()
  }
  const name = `${user.firstName} ${user.lastName}`.trim()
  return (
    <div class="account" ref={place} onKeyDown={onKeyDown}>
      <button
        ref={button}
        class="button button-bare account-name"
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="account-text" dir="auto">
          {name === '' ? say('menu.yourAccount') : name}
        </span>
        <Icon name={isOpen ? 'up' : 'down'} isSmall />
        <span class="unseen">, {say('menu.word')}</span>
      </button>
      <div class="account-menu" id={id} hidden={!isOpen}>
        {/* In full: the button may have had no room for it. */}
        {name !== '' && (
          <p class="account-whole" dir="auto">
            {name}
          </p>
        )}
        <button class="button button-bare button-wide" type="button" onClick={on.onAccount}>
          <Icon name="account" />
          {say('menu.yourAccount')}
        </button>
        <button class="button button-bare button-wide" type="button" onClick={on.onSwitch}>
          <Icon name="leave" />
          {say('menu.switch')}
        </button>
        <p class="quiet small">{say('menu.switchMeans', { brand })}</p>
        {onLanguage !== undefined && <LanguageField onLanguage={onLanguage} />}
      </div>
    </div>
  )
}
