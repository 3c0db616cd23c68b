/**
 * The session has ended while a form is open: said beside the form, which keeps what was typed, and
 * mended by a login in a dialog. Promises: a login of somebody else changes nothing here. Where the
 * host page gives a new session by itself, none of this is ever seen.
 */
import { useState } from 'preact/hooks'
import { Dialog } from '../shared/dialog.js'
import { Notice } from '../shared/notice.js'
import { say } from '../words/say.js'
import type { Welcome } from '../../../src/http/schemas/answers/widget.js'
import { LoginForm } from '../wallet/sign-in-forms.js'
import { asFailure, WidgetApi } from '../widget/api.js'
import type { TopUpOnPage, TopUpParts } from './use-top-up.js'

export function EndedNotice({ parts, topUp }: { parts: TopUpParts; topUp: TopUpOnPage }) {
  const isForm = ['choosing', 'card'].includes(topUp.stage.name)
  if (!isForm || !topUp.hasEnded) return null
  const mayLogIn = parts.data.clientId !== null
  const action = { label: say('pay.logIn'), run: () => topUp.setLoggingIn(true) }
  return (
    <Notice kind="warning" {...(mayLogIn && { action })}>
      <h2>{say('pay.ended')}</h2>
      <p role="status">
        {say('pay.kept')}
        {!mayLogIn && ` ${say('pay.goBack')}`}
      </p>
    </Notice>
  )
}

/** Asks nobody but the service: not with the old session, which has ended. */
const loginApi = new WidgetApi(undefined)

export function LoginDialog({ parts, topUp }: { parts: TopUpParts; topUp: TopUpOnPage }) {
  const [typed, setTyped] = useState({ email: '', password: '', firstName: '', lastName: '' })
  const [problem, setProblem] = useState<string>()
  const goOn = async ({ sessionToken }: Welcome) => {
    try {
      await topUp.goOn(sessionToken)
      topUp.setLoggingIn(false)
    } catch (error) {
      const { code, message } = asFailure(error)
      setProblem(code === 'SESSION_MISMATCH' ? say('pay.otherAccount') : message)
    }
  }
  const close = () => topUp.setLoggingIn(false)
  return (
    <Dialog title={say('pay.logIn')} onClose={close}>
      {problem !== undefined && <Notice kind="danger">{problem}</Notice>}
      <LoginForm
        api={loginApi}
        clientId={parts.data.clientId ?? ''}
        typed={typed}
        onTyped={(change) => setTyped((now) => ({ ...now, ...change }))}
        onLogin={(welcome) => void goOn(welcome)}
      />
      <button class="link-button" type="button" onClick={close}>
        {say('pay.notNow')}
      </button>
    </Dialog>
  )
}
