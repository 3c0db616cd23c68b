/**
 * Asking for a link to choose a new password. The answer is the same whether or not there is an
 * account; a service that sends no mail says whom to ask instead, and shows no form.
 * States: asking → sending → asked, or asking again with an error.
 */
import { useRef, useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { Notice } from '../shared/notice.js'
import { supportHref } from '../widget/service-foot.js'
import { say, sayAround } from '../words/say.js'
import { asFailure, type WidgetApi } from '../widget/api.js'
import { EmailField } from './sign-in-forms.js'

export interface ForgottenPasswordProps {
  readonly api: WidgetApi
  readonly brand: string
  readonly sendsMail: boolean
  /** Of the service: an email, or an address to open. */
  readonly support: string | null
  readonly email: string
  readonly onEmail: (email: string) => void
  readonly onBack: () => void
}

export function ForgottenPassword({ sendsMail, ...props }: ForgottenPasswordProps) {
  return sendsMail ? <LinkByMail {...props} /> : <LinkByPeople {...props} />
}

type PartProps = Omit<ForgottenPasswordProps, 'sendsMail'>

function LinkByMail({ api, brand, support, email, onEmail, onBack }: PartProps) {
  const [state, setState] = useState<'asking' | 'sending' | 'asked'>('asking')
  const [error, setError] = useState<{ field?: string; text?: string }>({})
  const busy = useRef(false)
  const send = async () => {
    try {
      const body = { email: email.trim() }
      await api.call<unknown>('POST', '/api/widget/auth/forgot-password', { body })
      setState('asked')
    } catch (cause) {
      const failure = asFailure(cause)
      setError(failure.field === 'email' ? { field: failure.message } : { text: failure.message })
      setState('asking')
    } finally {
      busy.current = false
    }
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (busy.current) return
    if (email.trim() === '') {
      setError({ field: say('signIn.needsEmail') })
      return
    }
    busy.current = true
    setError({})
    setState('sending')
    void send()
  }
  return (
    <form class="form" noValidate onSubmit={submit} onInput={() => setError({})}>
      <h2>{say('forgot.title')}</h2>
      {state === 'asked' ? (
        <Notice kind="good">{say('forgot.asked', { contact: support ?? brand })}</Notice>
      ) : (
        <>
          {error.text !== undefined && <Notice kind="danger">{error.text}</Notice>}
          <p class="quiet">{say('forgot.how')}</p>
          <EmailField value={email} autocomplete="username" error={error.field} onValue={onEmail} />
          <Button kind="primary" type="submit" isBusy={state === 'sending'}>
            {say('forgot.send')}
          </Button>
        </>
      )}
      <BackToLogin onBack={onBack} />
    </form>
  )
}

function LinkByPeople({ brand, support, onBack }: PartProps) {
  return (
    <div class="form">
      <h2>{say('forgot.title')}</h2>
      <Notice kind="info">
        {support === null
          ? say('forgot.noMail', { brand })
          : sayAround('forgot.askSupport', {
              support: (
                <a href={supportHref(support)} target="_blank" rel="noopener noreferrer">
                  {support}
                </a>
              ),
            })}
      </Notice>
      <BackToLogin onBack={onBack} />
    </div>
  )
}

function BackToLogin({ onBack }: { onBack: () => void }) {
  return (
    <button class="link-button" type="button" onClick={onBack}>
      {say('forgot.back')}
    </button>
  )
}
