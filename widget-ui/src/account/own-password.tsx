/** The present password, which acts that matter ask for again; its fault stands beside it. */
import { PasswordField } from '../shared/field.js'
import { say } from '../words/say.js'
import type { Sending } from './use-sending.js'

export interface OwnPasswordProps {
  readonly value: string
  readonly form: Pick<Sending, 'errors'>
  readonly onValue: (password: string) => void
}

export function OwnPassword({ value, form, onValue }: OwnPasswordProps) {
  return (
    <PasswordField
      label={say('account.yourPassword')}
      value={value}
      autocomplete="current-password"
      error={form.errors['password']}
      onValue={onValue}
    />
  )
}
