/**
 * A field of a form: label above, hint below it, the error beside what it belongs to and tied to it
 * for a screen reader. Promises: what was typed is kept; an error never moves the focus by itself.
 */
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId, useState } from 'preact/hooks'
import { say } from '../words/say.js'
import { Icon } from './icon.js'

type InputAttributes = Omit<InputHTMLAttributes, 'value' | 'onInput' | 'id' | 'name' | 'label'>

interface FieldProps {
  label: string
  name: string
  value: string
  onValue: (value: string) => void
  hint?: ComponentChildren
  error?: string | undefined
}

export interface TextFieldProps extends FieldProps, InputAttributes {}

export function TextField({ label, hint, error, onValue, ...input }: TextFieldProps) {
  const tied = useTied({ hint, error })
  return (
    <Labelled id={tied.id} label={label} hint={hint} error={error}>
      <input {...input} {...tied} onInput={(event) => onValue(event.currentTarget.value)} />
    </Labelled>
  )
}

export interface TextAreaProps extends FieldProps {
  rows?: number
  placeholder?: string
  maxLength?: number
}

export function TextArea({ label, hint, error, onValue, ...input }: TextAreaProps) {
  const tied = useTied({ hint, error })
  return (
    <Labelled id={tied.id} label={label} hint={hint} error={error}>
      <textarea
        {...input}
        {...tied}
        spellcheck={false}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </Labelled>
  )
}

export interface PasswordFieldProps {
  label: string
  value: string
  onValue: (value: string) => void
  autocomplete: 'current-password' | 'new-password'
  hint?: string
  error?: string | undefined
  /** Where a form has two of them. */
  name?: string
}

/** Can be shown, and says when caps lock is on: the two usual reasons for a wrong password. */
export function PasswordField(props: PasswordFieldProps) {
  const { label, value, onValue, autocomplete, error, name = 'password' } = props
  const [isShown, setShown] = useState(false)
  const [hasCapsLock, setCapsLock] = useState(false)
  const hint = hasCapsLock ? say('field.capsLock') : props.hint
  const tied = useTied({ hint, error })
  const watchCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))
  return (
    <div class="field">
      <label for={tied.id}>{label}</label>
      <div class="input-with">
        <input
          {...tied}
          name={name}
          type={isShown ? 'text' : 'password'}
          value={value}
          required
          autocomplete={autocomplete}
          onInput={(event) => onValue(event.currentTarget.value)}
          onKeyUp={watchCapsLock}
        />
        <button
          class="button"
          type="button"
          aria-label={say(isShown ? 'field.hidePassword' : 'field.showPassword')}
          onClick={() => setShown(!isShown)}
        >
          {say(isShown ? 'field.hide' : 'field.show')}
        </button>
      </div>
      <Hint id={tied.id} text={hint} />
      <FieldError id={tied.id} text={error} />
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

interface LabelledProps extends Pick<FieldProps, 'label' | 'hint' | 'error'> {
  id: string
  children: ComponentChildren
}

function Labelled({ id, label, hint, error, children }: LabelledProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Hint id={id} text={hint} />
      {children}
      <FieldError id={id} text={error} />
    </div>
  )
}

/** What ties an input to its label, its hint and its error. */
function useTied({ hint, error }: { hint: ComponentChildren; error: string | undefined }) {
  const id = useId()
  const ids = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ]
  return {
    id,
    class: 'input',
    'aria-invalid': error === undefined ? undefined : ('true' as const),
    'aria-describedby': ids.length === 0 ? undefined : ids.join(' '),
  }
}
