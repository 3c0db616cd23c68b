/**
 * Choosing a new password with a one-time link. The token stands behind the # of the address: it
 * reaches no server log. Promises: it says whose wallet service this is and which account the link
 * is for; a link that cannot be used says so before anybody types; what was typed is kept after an
 * error, which stands at the field when it is about the password.
 * States: looking (at the link) → asking ↔ sending → done; looking or sending → unusable.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { PasswordField } from '../shared/field.js'
import { Notice } from '../shared/notice.js'
import { passwordLengthMin } from '../wallet/sign-in-forms.js'
import { asFailure, WidgetApi } from '../widget/api.js'
import { ServiceFoot } from '../widget/service-foot.js'
import type { PageService } from '../../../src/http/schemas/answers/page-data.js'
import { say } from '../words/say.js'

type State = 'looking' | 'asking' | 'sending' | 'done' | 'unusable'

const titles = {
  looking: 'reset.checking',
  asking: 'reset.title',
  sending: 'reset.title',
  done: 'reset.doneTitle',
  unusable: 'reset.unusableTitle',
} as const

export interface ResetPageProps {
  readonly token: string
  readonly service: PageService
}

export function ResetPage({ token, service }: ResetPageProps) {
  const [state, setState] = useState<State>(token === '' ? 'unusable' : 'looking')
  const [account, setAccount] = useState<string>()
  useEffect(() => {
    if (token === '') return
    void accountOf(token).then((found) => {
      setAccount(found.account)
      setState(found.state)
    })
  }, [])
  return (
    <main class="reset">
      <div class="card" aria-busy={state === 'looking' ? 'true' : undefined}>
        <h1>{say(titles[state])}</h1>
        {account !== undefined && (
          <p class="quiet reset-account">{say('reset.account', { account })}</p>
        )}
        {state === 'looking' && <span class="skeleton reset-skeleton" />}
        {state === 'done' && <Notice kind="good">{say('reset.done')}</Notice>}
        {state === 'unusable' && <Notice kind="danger">{say('reset.unusable')}</Notice>}
        {(state === 'asking' || state === 'sending') && (
          <ResetForm token={token} isBusy={state === 'sending'} onState={setState} />
        )}
        <ServiceFoot data={{ service, brand: null }} />
      </div>
    </main>
  )
}

interface ResetFormProps {
  readonly token: string
  readonly isBusy: boolean
  readonly onState: (state: State) => void
}

function ResetForm({ token, isBusy, onState }: ResetFormProps) {
  const [password, setPassword] = useState('')
  const [errors, setErrors] = useState<Errors>({})
  const form = useRef<HTMLFormElement>(null)
  // Not the state: two clicks can come before the next drawing.
  const busy = useRef(false)
  const show = (found: Errors): void => {
    setErrors(found)
    if (found.field !== undefined) form.current?.querySelector('input')?.focus()
  }
  const send = async (): Promise<void> => {
    const answer = await resetPassword({ token, password })
    busy.current = false
    show(answer.errors)
    onState(answer.state)
  }
  const submit = (event: Event): void => {
    event.preventDefault()
    if (busy.current) return
    show(password === '' ? { field: say('reset.needsPassword') } : {})
    if (password === '') return
    busy.current = true
    onState('sending')
    void send()
  }
  return (
    <form class="form" noValidate ref={form} onSubmit={submit}>
      {errors.text !== undefined && <Notice kind="danger">{errors.text}</Notice>}
      <PasswordField
        label={say('reset.password')}
        value={password}
        onValue={(text) => {
          setPassword(text)
          setErrors({})
        }}
        autocomplete="new-password"
        hint={say('signIn.passwordHint', { minimum: passwordLengthMin })}
        error={errors.field}
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {say('reset.send')}
      </Button>
    </form>
  )
}

/** About the password, or about anything else. */
interface Errors {
  readonly field?: string
  readonly text?: string
}

interface Answer {
  readonly state: State
  readonly errors: Errors
}

/** Without an answer the form is there all the same: sending will tell. */
async function accountOf(token: string): Promise<{ state: State; account?: string }> {
  try {
    const api = new WidgetApi(undefined)
    const path = '/api/widget/auth/reset-password/account'
    const { email } = await api.call<{ email: string }>('POST', path, { body: { token } })
    return { state: 'asking', account: email }
  } catch (error) {
    return { state: asFailure(error).code === 'INVALID_RESET_TOKEN' ? 'unusable' : 'asking' }
  }
}

async function resetPassword(body: { token: string; password: string }): Promise<Answer> {
  try {
    const api = new WidgetApi(undefined)
    await api.call<unknown>('POST', '/api/widget/auth/reset-password', { body })
    return { state: 'done', errors: {} }
  } catch (error) {
    const { code, field, message } = asFailure(error)
    if (code === 'INVALID_RESET_TOKEN' || field === 'token')
      return { state: 'unusable', errors: {} }
    return {
      state: 'asking',
      errors: field === 'password' ? { field: message } : { text: message },
    }
  }
}
