/**
 * The place of Stripe's Payment Element, with a skeleton of its size until it is drawn.
 * States: loading → ready, or away (Stripe could not be reached; nothing was paid, try again).
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { Notice } from '../shared/notice.js'
import { say } from '../words/say.js'
import { openStripePayment, type StripePayment } from './pay-stripe.js'
import { SaveChoice, type Saving } from './save-choice.js'
import type { Attempt } from './settling.js'
import type { Intent } from './top-up-flow.js'

export interface StripeCardProps {
  intent: Intent
  publishableKey: string
  payLabel: string
  returnAddress: string
  /** Undefined: nobody may save a card here. */
  saving: Saving | undefined
  /** False: the wish to save was refused; nothing may be paid yet. */
  prepare: () => Promise<boolean>
  onPay: (attempt: () => Promise<Attempt>) => void
}

export function StripeCard(props: StripeCardProps) {
  const { place, payment, isAway, loadAgain } = useStripePayment(props)
  const isChecking = useRef(false)
  const submit = async () => {
    if (payment === undefined || isChecking.current) return
    isChecking.current = true
    const isReady = await isComplete(payment).finally(() => (isChecking.current = false))
    if (isReady) props.onPay(() => payment.pay())
  }
  const isComplete = async (opened: StripePayment): Promise<boolean> => {
    const canSave = props.saving?.check() ?? true
    if (!(await opened.check()) || !canSave) return false
    if (!(await props.prepare())) return false
    if (props.saving !== undefined) await opened.refresh()
    return true
  }
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {isAway && (
        <Notice kind="danger" action={{ label: say('card.loadAgain'), run: loadAgain }}>
          {say('card.stripeAway')}
        </Notice>
      )}
      <div class="stripe" aria-busy={payment === undefined && !isAway ? 'true' : undefined}>
        {payment === undefined && !isAway && <span class="skeleton stripe-skeleton" />}
        <div ref={place} />
      </div>
      {props.saving !== undefined && <SaveChoice saving={props.saving} />}
      {!isAway && (
        <Button kind="primary" type="submit" isBusy={payment === undefined}>
          {props.payLabel}
        </Button>
      )}
    </form>
  )
}

/** Opened in `place`, and closed with the form. */
function useStripePayment({ intent, publishableKey, returnAddress }: StripeCardProps) {
  const place = useRef<HTMLDivElement>(null)
  const [payment, setPayment] = useState<StripePayment>()
  const [isAway, setAway] = useState(false)
  const [tries, setTries] = useState(0)
  const { paymentSecret } = intent
  useEffect(() => {
    let isCurrent = true
    let opened: StripePayment | undefined
    if (place.current === null) return undefined
    openStripePayment({
      publishableKey,
      paymentSecret,
      returnAddress,
      place: place.current,
    }).then(
      (made) => {
        opened = made
        if (isCurrent) setPayment(made)
        else made.close()
      },
      () => isCurrent && setAway(true),
    )
    return () => {
      isCurrent = false
      setPayment(undefined)
      opened?.close()
    }
  }, [paymentSecret, tries])

  const loadAgain = () => {
    setAway(false)
    setTries(tries + 1)
  }
  return { place, payment, isAway, loadAgain }
}
