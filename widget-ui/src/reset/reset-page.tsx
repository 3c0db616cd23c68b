/**
 * Choosing a new password with a one-time link. The token stands behind the # of the address: it
 * reaches no server log. Promises: what was typed is kept after an error, and every end says what
 * to do next. States: asking, sending, done, or a link that cannot be used any more.
 */
import { useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { PasswordField } from '../shared/field.js'
import { Notice } from '../shared/notice.js'

type State = 'asking' | 'sending' | 'done' | 'unusable'

export function ResetPage({ token }: { token: string }) {
  const [state, setState] = useState<State>(token === '' ? 'unusable' : 'asking')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)

  const submit = async (): Promise<void> => {
    setState('sending')
    setError(undefined)
    const answer = await resetPassword({ token, password })
    setState(answer.state)
    setError(answer.error)
  }

  return (
    <main class="reset">
      <div class="card reset-card">
        <h1>Choose a new password</h1>
        {state === 'done' && (
          <Notice kind="good">
            The new password is set. Go back to the shop and log in to your wallet with it.
          </Notice>
        )}
        {state === 'unusable' && (
          <Notice kind="danger">
            This link was used already or has expired. Nothing was changed. Ask for a new link where
            you log in to your wallet.
          </Notice>
        )}
        {(state === 'asking' || state === 'sending') && (
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault()
              void submit()
            }}
          >
            {error !== undefined && <Notice kind="danger">{error}</Notice>}
            <p class="quiet">For your wallet. At least 10 characters; a sentence works well.</p>
            <PasswordField
              label="New password"
              value={password}
              onValue={setPassword}
              autocomplete="new-password"
            />
            <Button kind="primary" type="submit" isBusy={state === 'sending'}>
              Set the new password
            </Button>
          </form>
        )}
      </div>
    </main>
  )
}

interface Answer {
  state: State
  error: string | undefined
}

async function resetPassword(body: { token: string; password: string }): Promise<Answer> {
  try {
    const response = await fetch('/api/widget/auth/reset-password', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (response.ok) return { state: 'done', error: undefined }
    const { code, error } = (await response.json()) as { code: string; error: string }
    if (code === 'INVALID_RESET_TOKEN') return { state: 'unusable', error: undefined }
    return { state: 'asking', error: `${error} Nothing was changed.` }
  } catch {
    return {
      state: 'asking',
      error: 'The wallet service did not answer. Nothing was changed. Try again in a moment.',
    }
  }
}
