/**
 * The first step: how much. Chips and a field of one's own, limits said before they are met, what
 * the host asked for already chosen. Promises: what was typed stays; an error stands beside it.
 */
import { useRef, useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { TextField } from '../shared/field.js'
import type { Formats } from '../shared/formats.js'
import { Notice } from '../shared/notice.js'
import { say } from '../words/say.js'
import { pendingWords } from '../widget/pending-words.js'
import { pageLanguage } from '../shared/page-language.js'
import { amountOf, chipsWithin, type Adjustment, type AmountFault } from './amounts.js'
import type { AmountLimits, Choice } from './amounts.js'

export interface AmountStepProps {
  formats: Formats
  limits: AmountLimits
  choice: Choice
  onChoice: (choice: Choice) => void
  adjustment: Adjustment | undefined
  /** What a bank is at already: nobody should pay it twice. */
  pending: readonly { readonly amount: number }[]
  /** Why the service refused the last amount. */
  refusal: string | undefined
  isBusy: boolean
  onContinue: (amount: number) => void
}

export function AmountStep(props: AmountStepProps) {
  const { formats, limits, choice, onChoice } = props
  const form = useRef<HTMLFormElement>(null)
  const [fault, setFault] = useState<AmountFault>()
  const read = { limits, read: formats.readAmount }
  const chosen = amountOf(choice, read)
  const submit = () => {
    if ('amount' in chosen) {
      props.onContinue(chosen.amount)
      return
    }
    setFault(chosen.fault)
    form.current?.querySelector<HTMLInputElement>('input[name="amount"]')?.focus()
  }
  const choose = (next: Choice) => {
    setFault(undefined)
    onChoice(next)
  }
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!props.isBusy) submit()
      }}
    >
      {props.refusal !== undefined && <Notice kind="danger">{props.refusal}</Notice>}
      <PendingNotice pending={props.pending} formats={formats} />
      {props.refusal === undefined && props.adjustment !== undefined && (
        <Notice kind="info">{adjustmentWords(props.adjustment, formats, limits)}</Notice>
      )}
      <fieldset class="field">
        <legend>{say('topUp.howMuch')}</legend>
        <p class="field-hint">{limitWords(formats, limits)}</p>
        <Chips {...props} onChoice={choose} />
      </fieldset>
      {choice.kind === 'other' && (
        <TextField
          label={say('topUp.amountIn', { currency: formats.currency.code.toUpperCase() })}
          name="amount"
          value={choice.text}
          onValue={(text) => choose({ kind: 'other', text })}
          inputMode={formats.currency.decimals === 0 ? 'numeric' : 'decimal'}
          autocomplete="transaction-amount"
          dir="ltr"
          maxLength={16}
          error={fault === undefined ? undefined : faultWords(fault, formats, limits)}
        />
      )}
      <Button kind="primary" type="submit" isBusy={props.isBusy}>
        {'amount' in chosen
          ? say('topUp.continueWith', { amount: formats.money(chosen.amount) })
          : say('topUp.continue')}
      </Button>
    </form>
  )
}

function PendingNotice({ pending, formats }: Pick<AmountStepProps, 'pending' | 'formats'>) {
  if (pending.length === 0) return null
  return <Notice kind="info">{pendingWords(pending, formats)}</Notice>
}

function Chips({ formats, limits, choice, onChoice }: AmountStepProps) {
  return (
    <div class="chips">
      {chipsWithin(limits).map((amount) => (
        <Chip
          key={amount}
          label={shortMoney(formats, amount)}
          isChosen={choice.kind === 'chip' && choice.amount === amount}
          onChoose={() => onChoice({ kind: 'chip', amount })}
        />
      ))}
      <Chip
        label={say('topUp.other')}
        isChosen={choice.kind === 'other'}
        onChoose={() => choice.kind === 'chip' && onChoice({ kind: 'other', text: '' })}
      />
    </div>
  )
}

function Chip(of: { label: string; isChosen: boolean; onChoose: () => void }) {
  return (
    <label class="chip">
      <input type="radio" name="choice" checked={of.isChosen} onChange={of.onChoose} />
      <span class="amount">{of.label}</span>
    </label>
  )
}

/** "$10" instead of "$10.00": chips are round, and small screens narrow. */
function shortMoney({ currency }: Formats, amount: number): string {
  return new Intl.NumberFormat(pageLanguage(), {
    style: 'currency',
    currency: currency.code.toUpperCase(),
    minimumFractionDigits: 0,
    maximumFractionDigits: currency.decimals,
  }).format(amount)
}

function limitWords({ money }: Formats, { minimum, maximum }: AmountLimits): string {
  return say('topUp.limits', { minimum: money(minimum), maximum: money(maximum) })
}

function adjustmentWords(of: Adjustment, { money }: Formats, limits: AmountLimits): string {
  const asked = money(of.asked)
  return of.why === 'below'
    ? say('topUp.needsMinimum', { asked, minimum: money(limits.minimum) })
    : say('topUp.needsMaximum', { asked, maximum: money(limits.maximum) })
}

/** As it is typed in the language of this page: "12.50", "12,50". */
const example = '25'

function exactExample(): string {
  return new Intl.NumberFormat(pageLanguage(), { minimumFractionDigits: 2 }).format(12.5)
}

function faultWords(fault: AmountFault, { money, currency }: Formats, limits: AmountLimits) {
  switch (fault) {
    case 'missing':
      return say('topUp.noAmount')
    case 'unreadable':
      return currency.decimals === 0
        ? say('topUp.digitsWhole', { example })
        : say('topUp.digits', { example, exact: exactExample() })
    case 'decimals':
      return currency.decimals === 0
        ? say('topUp.whole', { example })
        : say('topUp.decimals', { decimals: currency.decimals, exact: exactExample() })
    case 'below':
      return say('topUp.smallest', { minimum: money(limits.minimum) })
    case 'above':
      return say('topUp.largest', { maximum: money(limits.maximum) })
  }
}
