/** A new password, for whoever knows the present one; every other login ends with it. */
import { useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { PasswordField } from '../shared/field.js'
import { Notice } from '../shared/notice.js'
import { passwordLengthMin } from '../wallet/sign-in-forms.js'
import { say } from '../words/say.js'
import type { PartProps } from './part-props.js'
import { useSending } from './use-sending.js'

export function PasswordCard({ person, onChanged }: PartProps) {
  const [password, setPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const form = useSending({
    faults: () => ({
      password: password === '' ? say('signIn.needsPassword') : undefined,
      newPassword: newPasswordFault(newPassword),
    }),
    send: async () => {
      const body = { password, newPassword }
      await person.call('POST', '/api/widget/account/password', { body })
      setPassword('')
      setNewPassword('')
      onChanged()
    },
  })
  return (
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">{say('signIn.password')}</h2>
      {form.state === 'done' && <Notice kind="good">{say('account.passwordChanged')}</Notice>}
      <details class="account-more">
        <summary>{say('account.changePassword')}</summary>
        <form class="form" noValidate ref={form.element} onSubmit={form.submit}>
          {form.refusal !== undefined && <Notice kind="danger">{form.refusal}</Notice>}
          <PasswordField
            label={say('account.yourPassword')}
            value={password}
            autocomplete="current-password"
            error={form.errors['password']}
            onValue={setPassword}
          />
          <PasswordField
            name="newPassword"
            label={say('reset.password')}
            value={newPassword}
            autocomplete="new-password"
            hint={say('signIn.passwordHint', { minimum: passwordLengthMin })}
            error={form.errors['newPassword']}
            onValue={setNewPassword}
          />
          <div class="actions">
            <Button type="submit" isBusy={form.isSending}>
              {say('account.changePassword')}
            </Button>
          </div>
        </form>
      </details>
    </section>
  )
}

function newPasswordFault(password: string): string | undefined {
  if (password === '') return say('reset.needsPassword')
  if (Array.from(password).length >= passwordLengthMin) return undefined
  return say('fault.short', { minimum: passwordLengthMin })
}
