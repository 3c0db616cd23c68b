/**
 * Closing the account, with the password. What is in the way is said with the money it is about:
 * nothing is ever forfeited.
 */
import { useState } from 'preact/hooks'
import type { Closed } from '../../../src/http/schemas/answers/account.js'
import { Button } from '../shared/button.js'
import { PasswordField } from '../shared/field.js'
import type { Formats } from '../shared/formats.js'
import { Notice } from '../shared/notice.js'
import { say } from '../words/say.js'
import type { PartProps } from './part-props.js'
import { useSending } from './use-sending.js'

export interface ClosingCardProps extends PartProps {
  readonly formats: Formats
  readonly onClosed: (erasedAt: string) => void
}

export function ClosingCard({ person, formats, onClosed }: ClosingCardProps) {
  const [password, setPassword] = useState('')
  const [obstacles, setObstacles] = useState<readonly string[]>([])
  const form = useSending({
    faults: () => ({ password: password === '' ? say('signIn.needsPassword') : undefined }),
    send: async () => {
      setObstacles([])
      const body = { password }
      const closed = await person.call<Closed>('POST', '/api/widget/account/close', { body })
      onClosed(closed.erasedAt)
    },
    onRefused: ({ code, body }) => {
      if (code !== 'WALLET_NOT_EMPTY') return false
      setObstacles(obstacleWords(body, formats))
      return true
    },
  })
  return (
    <section class="card" aria-labelledby="close-title">
      <h2 id="close-title">{say('account.close')}</h2>
      <p class="quiet">{say('account.closeMeans')}</p>
      <details class="account-more">
        <summary>{say('account.close')}</summary>
        <form class="form" noValidate ref={form.element} onSubmit={form.submit}>
          {form.refusal !== undefined && <Notice kind="danger">{form.refusal}</Notice>}
          {obstacles.length > 0 && (
            <Notice kind="danger">
              {obstacles.map((text) => (
                <p key={text}>{text}</p>
              ))}
            </Notice>
          )}
          <PasswordField
            label={say('account.yourPassword')}
            value={password}
            autocomplete="current-password"
            error={form.errors['password']}
            onValue={setPassword}
          />
          <div class="actions">
            <Button kind="danger-strong" type="submit" isBusy={form.isSending}>
              {say('account.close')}
            </Button>
          </div>
        </form>
      </details>
    </section>
  )
}

function obstacleWords(body: Readonly<Record<string, unknown>>, { money }: Formats): string[] {
  const [balance, pending, refundable] = ['balance', 'pendingTopUps', 'refundable'].map((name) =>
    Number(body[name] ?? 0),
  )
  return [
    ...(balance ? [say('account.full', { amount: money(balance) })] : []),
    ...(refundable ? [say('account.refundable', { amount: money(refundable) })] : []),
    ...(pending ? [say('account.pending')] : []),
  ]
}
