/**
 * The two forms of the sign-in card. What is missing is said before anything is sent; what the
 * service refuses is said beside the field that it names. States of each: idle → sending → idle
 * with an error, or gone with a login.
 */
import { useRef, useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { PasswordField, TextField } from '../shared/field.js'
import { withoutErrorOf } from '../shared/field-errors.js'
import { Notice } from '../shared/notice.js'
import { say } from '../words/say.js'
import type { Welcome as LoggedIn } from '../../../src/http/schemas/answers/widget.js'
import { asFailure, type ApiFailure, type WidgetApi } from '../widget/api.js'

export interface Typed {
  readonly email: string
  readonly password: string
  readonly firstName: string
  readonly lastName: string
}

export interface FormProps {
  readonly api: WidgetApi
  readonly clientId: string
  readonly typed: Typed
  readonly onTyped: (change: Partial<Typed>) => void
  readonly onLogin: (answer: LoggedIn) => void
}

type FieldName = keyof Typed

const missing = {
  firstName: 'signIn.needsFirstName',
  lastName: 'signIn.needsLastName',
  email: 'signIn.needsEmail',
  password: 'signIn.needsPassword',
} as const

export function LoginForm(props: FormProps & { readonly onForgotten?: () => void }) {
  const { typed, onTyped, onForgotten } = props
  const form = useAuthForm(props, '/api/widget/auth/login', ['email', 'password'])
  return (
    <form class="form" noValidate ref={form.element} onSubmit={form.submit} onInput={form.onInput}>
      <Refusal failure={form.failure} />
      <EmailField
        value={typed.email}
        autocomplete="username"
        error={form.errors.email}
        onValue={(email) => onTyped({ email })}
      />
      <PasswordField
        label={say('signIn.password')}
        value={typed.password}
        autocomplete="current-password"
        error={form.errors.password}
        onValue={(password) => onTyped({ password })}
      />
      <Button kind="primary" type="submit" isBusy={form.isBusy}>
        {say('signIn.logIn')}
      </Button>
      {onForgotten !== undefined && (
        <button class="link-button" type="button" onClick={onForgotten}>
          {say('signIn.forgot')}
        </button>
      )}
    </form>
  )
}

export function SignUpForm(props: FormProps & { readonly onHasAccount: () => void }) {
  const { typed, onTyped, onHasAccount } = props
  const fields = ['firstName', 'lastName', 'email', 'password'] as const
  const form = useAuthForm(props, '/api/widget/auth/signup', fields)
  return (
    <form class="form" noValidate ref={form.element} onSubmit={form.submit} onInput={form.onInput}>
      {form.failure?.code === 'ACCOUNT_EXISTS' ? (
        <Notice kind="danger" action={{ label: say('signIn.logInInstead'), run: onHasAccount }}>
          {say('signIn.exists')}
        </Notice>
      ) : (
        <Refusal failure={form.failure} />
      )}
      <div class="names">
        <TextField
          label={say('signIn.firstName')}
          name="firstName"
          value={typed.firstName}
          autocomplete="given-name"
          error={form.errors.firstName}
          onValue={(firstName) => onTyped({ firstName })}
        />
        <TextField
          label={say('signIn.lastName')}
          name="lastName"
          value={typed.lastName}
          autocomplete="family-name"
          error={form.errors.lastName}
          onValue={(lastName) => onTyped({ lastName })}
        />
      </div>
      <EmailField
        value={typed.email}
        autocomplete="email"
        error={form.errors.email}
        onValue={(email) => onTyped({ email })}
      />
      <PasswordField
        label={say('signIn.password')}
        value={typed.password}
        autocomplete="new-password"
        hint={say('signIn.passwordHint', { minimum: passwordLengthMin })}
        error={form.errors.password}
        onValue={(password) => onTyped({ password })}
      />
      <Button kind="primary" type="submit" isBusy={form.isBusy}>
        {say('signIn.signUp')}
      </Button>
    </form>
  )
}

export interface EmailFieldProps {
  readonly label?: string
  readonly value: string
  readonly autocomplete: 'username' | 'email'
  readonly error: string | undefined
  readonly onValue: (value: string) => void
}

export function EmailField({ autocomplete, label, ...field }: EmailFieldProps) {
  return (
    <TextField
      {...field}
      label={label ?? say('signIn.email')}
      name="email"
      type="email"
      autocomplete={autocomplete}
      autocapitalize="none"
      spellcheck={false}
    />
  )
}

/** What belongs to no single field. */
function Refusal({ failure }: { failure: ApiFailure | undefined }) {
  if (failure === undefined || failure.field !== undefined) return null
  return <Notice kind="danger">{failure.message}</Notice>
}

/** As the service wants it of a new one; an old one may be anything. */
export const passwordLengthMin = 10

type Errors = { readonly [Name in FieldName]?: string | undefined }

function useAuthForm(props: FormProps, path: string, fields: readonly FieldName[]) {
  const { api, clientId, typed, onLogin } = props
  const element = useRef<HTMLFormElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [errors, setErrors] = useState<Errors>({})
  const [failure, setFailure] = useState<ApiFailure>()
  // Not the state: two clicks can come before the next drawing.
  const busy = useRef(false)

  const show = (found: Errors) => {
    setErrors(found)
    const first = fields.find((name) => found[name] !== undefined)
    element.current?.querySelector<HTMLInputElement>(`[name="${first ?? '-'}"]`)?.focus()
  }
  const send = async () => {
    const input = Object.fromEntries(fields.map((name) => [name, valueOf(typed, name)]))
    try {
      onLogin(await api.call<LoggedIn>('POST', path, { body: { clientId, ...input } }))
    } catch (error) {
      const refused = asFailure(error)
      setFailure(refused)
      const field = fields.find((name) => name === refused.field)
      if (field !== undefined) show({ [field]: refused.message })
    } finally {
      busy.current = false
      setBusy(false)
    }
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (busy.current) return
    setFailure(undefined)
    const found = faultsIn(typed, fields)
    show(found)
    if (Object.keys(found).length > 0) return
    busy.current = true
    setBusy(true)
    void send()
  }
  const onInput = (event: Event): void => setErrors((now) => withoutErrorOf(now, event))
  return { element, isBusy, errors, failure, submit, onInput }
}

/** All at once: nobody should learn of one after the other. The service has the last word. */
function faultsIn(typed: Typed, fields: readonly FieldName[]): Errors {
  const isNew = fields.includes('firstName')
  const faults = fields.map((name) => [name, faultOf(name, valueOf(typed, name), isNew)] as const)
  return Object.fromEntries(faults.filter(([, fault]) => fault !== undefined))
}

function faultOf(name: FieldName, value: string, isNew: boolean): string | undefined {
  if (value === '') return say(missing[name])
  if (name === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) return say('fault.email')
  const isShort = name === 'password' && isNew && Array.from(value).length < passwordLengthMin
  return isShort ? say('fault.short', { minimum: passwordLengthMin }) : undefined
}

/** A blank around an email or a name is a slip; in a password it may be meant. */
function valueOf(typed: Typed, name: FieldName): string {
  return name === 'password' ? typed.password : typed[name].trim()
}
