/**
 * A field of a form: label above, hint below it, the error beside what it belongs to and tied to it
 * for a screen reader. Promises: what was typed is kept; an error never moves the focus by itself.
 */
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Icon } from './icon.js'

type InputAttributes = Omit<InputHTMLAttributes, 'value' | 'onInput' | 'id' | 'name' | 'label'>

export interface TextFieldProps extends InputAttributes {
  label: string
  name: string
  value: string
  onValue: (value: string) => void
  hint?: ComponentChildren
  error?: string | undefined
}

export function TextField({ label, hint, error, onValue, ...input }: TextFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Hint id={id} text={hint} />
      <input
        {...input}
        id={id}
        class="input"
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={describedBy({ id, hint, error })}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <FieldError id={id} text={error} />
    </div>
  )
}

export interface TextAreaProps {
  label: string
  name: string
  value: string
  onValue: (value: string) => void
  hint?: ComponentChildren
  error?: string | undefined
  rows?: number
  placeholder?: string
  maxLength?: number
}

export function TextArea({ label, hint, error, onValue, ...input }: TextAreaProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Hint id={id} text={hint} />
      <textarea
        {...input}
        id={id}
        class="input"
        spellcheck={false}
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={describedBy({ id, hint, error })}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <FieldError id={id} text={error} />
    </div>
  )
}

export interface PasswordFieldProps {
  label: string
  value: string
  onValue: (value: string) => void
  autocomplete: 'current-password' | 'new-password'
  hint?: string
  error?: string | undefined
}

/** Can be shown, and says when caps lock is on: the two usual reasons for a wrong password. */
export function PasswordField(props: PasswordFieldProps) {
  const { label, value, onValue, autocomplete, error } = props
  const id = useId()
  const [isShown, setShown] = useState(false)
  const [hasCapsLock, setCapsLock] = useState(false)
  const hint = hasCapsLock ? 'Caps lock is on.' : props.hint
  const watchCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="input-with">
        <input
          id={id}
          class="input"
          name="password"
          type={isShown ? 'text' : 'password'}
          value={value}
          required
          autocomplete={autocomplete}
          aria-invalid={error === undefined ? undefined : 'true'}
          aria-describedby={describedBy({ id, hint, error })}
          onInput={(event) => onValue(event.currentTarget.value)}
          onKeyUp={watchCapsLock}
        />
        <button
          class="button"
          type="button"
          aria-label={isShown ? 'Hide the password' : 'Show the password'}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide' : 'Show'}
        </button>
      </div>
      <Hint id={id} text={hint} />
      <FieldError id={id} text={error} />
    </div>
  )
}

export function FieldError({ id, text }: { id: string; text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p class="field-error" id={`${id}-error`}>
      <Icon name="alert" isSmall />
      <span>{text}</span>
    </p>
  )
}

function Hint({ id, text }: { id: string; text: ComponentChildren }) {
  if (text === undefined) return null
  return (
    <p class="field-hint" id={`${id}-hint`}>
      {text}
    </p>
  )
}

function describedBy(of: { id: string; hint: ComponentChildren; error: string | undefined }) {
  const ids = [
    of.hint === undefined ? '' : `${of.id}-hint`,
    of.error === undefined ? '' : `${of.id}-error`,
  ].filter((id) => id !== '')
  return ids.length === 0 ? undefined : ids.join(' ')
}
