/** A new password, for whoever knows the present one; every other login ends with it. */
import { useState } from 'preact/hooks'
import { PasswordField } from '../shared/field.js'
import { Notice } from '../shared/notice.js'
import { passwordLengthMin } from '../wallet/sign-in-forms.js'
import { say } from '../words/say.js'
import { MoreForm } from './more-form.js'
import { OwnPassword } from './own-password.js'
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
      <MoreForm label={say('account.changePassword')} form={form}>
        <OwnPassword value={password} form={form} onValue={setPassword} />
        <PasswordField
          name="newPassword"
          label={say('reset.password')}
          value={newPassword}
          autocomplete="new-password"
          hint={say('signIn.passwordHint', { minimum: passwordLengthMin })}
          error={form.errors['newPassword']}
          onValue={setNewPassword}
        />
      </MoreForm>
    </section>
  )
}

function newPasswordFault(password: string): string | undefined {
  if (password === '') return say('reset.needsPassword')
  if (Array.from(password).length >= passwordLengthMin) return undefined
  return say('fault.short', { minimum: passwordLengthMin })
}
