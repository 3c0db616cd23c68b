/**
 * The login: one card. Says nothing about who exists; what was typed is kept. The same form stands
 * in a dialog when a session ends in the middle of something.
 */
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { PasswordField, TextField } from '../shared/field.js'
import { Icon } from '../shared/icon.js'
import { Notice } from '../shared/notice.js'
import type { Api } from './api.js'
import { useAct } from './work.js'

export interface LoginProps {
  api: Api
  onLogin: () => Promise<void>
}

export function LoginPage({ api, onLogin }: LoginProps) {
  useEffect(() => {
    document.title = 'Log in · Wallet admin'
  }, [])
  return (
    <main class="login">
      <div class="login-brand">
        <Icon name="wallet" />
        <span>Wallet admin</span>
      </div>
      <div class="card login-card">
        <h1>Log in</h1>
        <p class="quiet">For the people who run this wallet service.</p>
        <LoginForm api={api} onLogin={onLogin} />
      </div>
      <p class="quiet small">
        No account yet? Whoever runs the service makes one with
        <code class="login-command">npm run wallet -- admin create</code>
      </p>
    </main>
  )
}

export function LoginForm({ api, onLogin }: LoginProps) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const act = useAct()
  const login = (event: Event) => {
    event.preventDefault()
    act.run(async () => {
      await api.login({ email: email.trim(), password })
      await onLogin()
    })
  }
  return (
    <form class="form" onSubmit={login}>
      {act.failure !== undefined && <Notice kind="danger">{wordsFor(act.failure)}</Notice>}
      <TextField
        label="Email"
        name="email"
        type="email"
        value={email}
        onValue={setEmail}
        required
        autocomplete="username"
        autocapitalize="none"
        spellcheck={false}
      />
      <PasswordField
        label="Password"
        value={password}
        onValue={setPassword}
        autocomplete="current-password"
      />
      <Button kind="primary" type="submit" isBusy={act.isBusy}>
        Log in
      </Button>
    </form>
  )
}

function wordsFor({ code, message }: { code: string; message: string }): string {
  if (code !== 'INVALID_LOGIN') return message
  return 'This email and password do not belong together. Check both and try again.'
}
