/** Name and email; a new email waits for the link that was mailed to it. */
import { useState } from 'preact/hooks'
import type { Account, EmailChange } from '../../../src/http/schemas/answers/account.js'
import { Button } from '../shared/button.js'
import { TextField } from '../shared/field.js'
import { Badge, Notice } from '../shared/notice.js'
import { EmailField } from '../wallet/sign-in-forms.js'
import { say } from '../words/say.js'
import { MoreForm } from './more-form.js'
import { OwnPassword } from './own-password.js'
import type { PartProps } from './part-props.js'
import { useSending } from './use-sending.js'

export function ProfileCard({ account, ...parts }: PartProps & { readonly account: Account }) {
  return (
    <section class="card" aria-labelledby="you-title">
      <h2 id="you-title">{say('account.you')}</h2>
      <NameForm account={account} {...parts} />
      <div class="account-email">
        <p>
          <span class="quiet">{say('signIn.email')}: </span>
          <span class="fixed">{account.email}</span>{' '}
          {account.isEmailConfirmed && (
            <Badge kind="good" icon="check">
              {say('account.confirmed')}
            </Badge>
          )}
        </p>
        <MailNotice account={account} {...parts} />
      </div>
      <EmailForm {...parts} />
    </section>
  )
}

function NameForm({ account, person, onChanged }: PartProps & { readonly account: Account }) {
  const [firstName, setFirstName] = useState(account.firstName ?? '')
  const [lastName, setLastName] = useState(account.lastName ?? '')
  const form = useSending({
    faults: () => ({
      firstName: firstName.trim() === '' ? say('signIn.needsFirstName') : undefined,
      lastName: lastName.trim() === '' ? say('signIn.needsLastName') : undefined,
    }),
    send: async () => {
      const body = { firstName: firstName.trim(), lastName: lastName.trim() }
      await person.call('POST', '/api/widget/account/name', { body })
      onChanged()
    },
  })
  return (
    <form {...form.attributes}>
      {form.refusal !== undefined && <Notice kind="danger">{form.refusal}</Notice>}
      <div class="names">
        <TextField
          label={say('signIn.firstName')}
          name="firstName"
          autocomplete="given-name"
          value={firstName}
          error={form.errors['firstName']}
          onValue={setFirstName}
        />
        <TextField
          label={say('signIn.lastName')}
          name="lastName"
          autocomplete="family-name"
          value={lastName}
          error={form.errors['lastName']}
          onValue={setLastName}
        />
      </div>
      <div class="actions">
        <Button type="submit" isBusy={form.isSending}>
          {say('account.save')}
        </Button>
        {form.state === 'done' && <span role="status">{say('account.saved')}</span>}
      </div>
    </form>
  )
}

/** What the person still has to do about a mail. */
function MailNotice({ account, person }: PartProps & { readonly account: Account }) {
  const form = useSending({
    send: () => person.call('POST', '/api/widget/account/email/mail').then(() => undefined),
  })
  const { newEmail, isEmailConfirmed, sendsMail } = account
  if (!sendsMail || (isEmailConfirmed && newEmail === null)) return null
  const isSent = form.state === 'done'
  return (
    <Notice
      kind="info"
      {...(!isSent && { action: { label: say('account.mailAgain'), run: () => form.submit() } })}
    >
      {isSent
        ? say('account.mailed')
        : newEmail === null
          ? say('account.unconfirmed')
          : say('account.waiting', { email: newEmail })}
      {form.refusal !== undefined && <p>{form.refusal}</p>}
    </Notice>
  )
}

function EmailForm({ person, onChanged }: PartProps) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const form = useSending({
    faults: () => ({
      email: email.trim() === '' ? say('signIn.needsEmail') : undefined,
      password: password === '' ? say('signIn.needsPassword') : undefined,
    }),
    send: async () => {
      const body = { email: email.trim(), password }
      await person.call<EmailChange>('POST', '/api/widget/account/email', { body })
      setEmail('')
      setPassword('')
      onChanged()
    },
  })
  return (
    <MoreForm label={say('account.changeEmail')} form={form} saysSaved>
      <EmailField
        label={say('account.newEmail')}
        value={email}
        autocomplete="email"
        error={form.errors['email']}
        onValue={setEmail}
      />
      <OwnPassword value={password} form={form} onValue={setPassword} />
    </MoreForm>
  )
}
