/**
 * The session has ended while a form is open: said beside the form, which keeps what was typed, and
 * mended by a login in a dialog. Promises: a login of somebody else changes nothing here. Where the
 * host page gives a new session by itself, none of this is ever seen.
 */
import { useState } from 'preact/hooks'
import { Dialog } from '../shared/dialog.js'
import { Notice } from '../shared/notice.js'
import type { Welcome } from '../../../src/http/schemas/answers/widget.js'
import { LoginForm } from '../wallet/sign-in-forms.js'
import { asFailure, WidgetApi } from '../widget/api.js'
import type { TopUpOnPage, TopUpParts } from './use-top-up.js'

export function EndedNotice({ parts, topUp }: { parts: TopUpParts; topUp: TopUpOnPage }) {
  const isForm = ['choosing', 'card'].includes(topUp.stage.name)
  if (!isForm || !topUp.hasEnded) return null
  const mayLogIn = parts.data.clientId !== null
  const action = { label: 'Log in to go on', run: () => topUp.setLoggingIn(true) }
  return (
    <Notice kind="warning" {...(mayLogIn && { action })}>
      <h2>Your session has ended</h2>
      <p role="status">
        Nothing was paid, and what you typed is still here.
        {!mayLogIn && ' Go back to the shop and choose “Top up” once more.'}
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
      setProblem(code === 'SESSION_MISMATCH' ? otherAccount : message)
    }
  }
  const close = () => topUp.setLoggingIn(false)
  return (
    <Dialog title="Log in to go on" onClose={close}>
      {problem !== undefined && <Notice kind="danger">{problem}</Notice>}
      <LoginForm
        api={loginApi}
        clientId={parts.data.clientId ?? ''}
        typed={typed}
        onTyped={(change) => setTyped((now) => ({ ...now, ...change }))}
        onLogin={(welcome) => void goOn(welcome)}
      />
      <button class="link-button" type="button" onClick={close}>
        Not now
      </button>
    </Dialog>
  )
}

const otherAccount =
  'This is another account than the one you were topping up. Log in with that one. No money moved.'
