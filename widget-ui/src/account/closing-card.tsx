/**
 * Closing the account, with the password. What is in the way is said with the money it is about and
 * what to do: what came by card goes back there with one tap, and then another tap closes.
 * Nothing is ever forfeited.
 * States: asked → in the way → sent back → closed; each may also end the way.
 */
import { useState } from 'preact/hooks'
import type { Closed, ReturnedToCards } from '../../../src/http/schemas/answers/account.js'
import { Button } from '../shared/button.js'
import type { Formats } from '../shared/formats.js'
import { Notice } from '../shared/notice.js'
import { say } from '../words/say.js'
import { MoreForm } from './more-form.js'
import { OwnPassword } from './own-password.js'
import type { PartProps } from './part-props.js'
import { useSending } from './use-sending.js'

export interface ClosingCardProps extends PartProps {
  readonly formats: Formats
  /** Whom to ask about the rest: support, or the app of this page. */
  readonly contact: string
  readonly onClosed: (erasedAt: string) => void
}

export function ClosingCard({ person, formats, contact, onClosed }: ClosingCardProps) {
  const [password, setPassword] = useState('')
  const [obstacles, setObstacles] = useState<Obstacles>()
  const [returned, setReturned] = useState<ReturnedToCards>()
  const form = useSending({
    faults: () => ({ password: password === '' ? say('signIn.needsPassword') : undefined }),
    send: async () => {
      setObstacles(undefined)
      setReturned(undefined)
      const body = { password }
      const closed = await person.call<Closed>('POST', '/api/widget/account/close', { body })
      onClosed(closed.erasedAt)
    },
    onRefused: ({ code, body }) => {
      if (code !== 'WALLET_NOT_EMPTY') return false
      setObstacles(obstaclesOf(body))
      return true
    },
  })
  const returning = useSending({
    send: async () => {
      const path = '/api/widget/account/return-to-cards'
      setReturned(await person.call<ReturnedToCards>('POST', path, { body: { password } }))
      setObstacles(undefined)
    },
  })
  const shown = { formats, contact }
  return (
    <section class="card" aria-labelledby="close-title">
      <h2 id="close-title">{say('account.close')}</h2>
      <p class="quiet">{say('account.closeMeans')}</p>
      <MoreForm label={say('account.close')} form={form} kind="danger-strong">
        {obstacles !== undefined && <InTheWay obstacles={obstacles} form={returning} {...shown} />}
        {returning.refusal !== undefined && <Notice kind="danger">{returning.refusal}</Notice>}
        {returned !== undefined && <SentBack returned={returned} {...shown} />}
        <OwnPassword value={password} form={form} onValue={setPassword} />
      </MoreForm>
    </section>
  )
}

type Shown = Pick<ClosingCardProps, 'formats' | 'contact'>

/** What closing was refused with. */
interface Obstacles {
  readonly balance: number
  readonly held: number
  readonly pendingTopUps: number
  readonly openReturns: number
  readonly refundable: number
}

function InTheWay({
  obstacles,
  form,
  formats: { money, currency },
  contact,
}: Shown & { readonly obstacles: Obstacles; readonly form: ReturnType<typeof useSending> }) {
  const { balance, held, pendingTopUps, openReturns, refundable } = obstacles
  const rest = Number((balance - held - refundable).toFixed(currency.decimals))
  return (
    <Notice kind="danger">
      <div class="account-ask">
        {balance !== 0 && <p>{say('account.full', { amount: money(balance) })}</p>}
        {pendingTopUps > 0 && <p>{say('account.pending')}</p>}
        {openReturns > 0 && <p>{say('account.returning')}</p>}
        {refundable > 0 && <p>{say('account.refundable', { amount: money(refundable) })}</p>}
        {held > 0 && <p>{say('account.held', { amount: money(held) })}</p>}
        {rest > 0 && <p>{say('account.rest', { amount: money(rest), contact })}</p>}
        {refundable > 0 && (
          <Button isBusy={form.isSending} onClick={() => form.submit()}>
            {say('account.sendBack', { amount: money(refundable) })}
          </Button>
        )}
      </div>
    </Notice>
  )
}

function SentBack({
  returned,
  formats: { money },
  contact,
}: Shown & { readonly returned: ReturnedToCards }) {
  const { sent, waiting, refused, balance } = returned
  return (
    <div class="account-ask" role="status">
      {sent > 0 && <Notice kind="good">{say('account.sentBack', { amount: money(sent) })}</Notice>}
      {waiting > 0 && (
        <Notice kind="info">{say('account.backWaits', { amount: money(waiting) })}</Notice>
      )}
      {refused > 0 && (
        <Notice kind="warning">{say('account.backRefused', { amount: money(refused) })}</Notice>
      )}
      {balance > 0 && (
        <Notice kind="info">{say('account.rest', { amount: money(balance), contact })}</Notice>
      )}
    </div>
  )
}

function obstaclesOf(body: Readonly<Record<string, unknown>>): Obstacles {
  const number = (name: keyof Obstacles): number => Number(body[name] ?? 0)
  return {
    balance: number('balance'),
    held: number('held'),
    pendingTopUps: number('pendingTopUps'),
    openReturns: number('openReturns'),
    refundable: number('refundable'),
  }
}
