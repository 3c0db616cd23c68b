/**
 * The card form of the sandbox: number, expiry, security code, and the test cards that fill it. It
 * behaves as a real one. Promises: labels above, faults beside their field and the first of them
 * focused; what was typed stays until the payment is booked. Never: keeps or logs a number.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { FieldError } from '../shared/field.js'
import { say } from '../words/say.js'
import {
  caretAfter,
  digitsOf,
  faultsOf,
  formatCode,
  formatExpiry,
  formatNumber,
  type CardFaults,
  type CardText,
} from './card-text.js'
import { CardBrand } from './card-brand.js'
import { brandOf } from './card-brands.js'
import { testCards, type TestCard } from './pay-sandbox.js'
import { SaveChoice, type Saving } from './save-choice.js'
import { testCardWords } from './test-card-words.js'

export interface SandboxCardProps {
  payLabel: string
  card: CardText
  onCard: (card: CardText) => void
  /** Undefined: nobody may save a card here. */
  saving: Saving | undefined
  isBusy: boolean
  onPay: () => void
}

export function SandboxCard({ payLabel, card, onCard, onPay, ...props }: SandboxCardProps) {
  const { saving, isBusy } = props
  const form = useRef<HTMLFormElement>(null)
  const [faults, setFaults] = useState<CardFaults>({})
  const change = (part: Partial<CardText>) => {
    setFaults(without(faults, Object.keys(part)))
    onCard({ ...card, ...part })
  }
  const submit = () => {
    const found = faultsOf(card, Date.now())
    setFaults(found)
    const canSave = saving?.check() ?? true
    const first = Object.keys(found)[0] ?? (canSave ? undefined : 'password')
    if (first === undefined) onPay()
    else form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }
  const fill = ({ number }: TestCard) => {
    setFaults({})
    onCard({ number: formatNumber(number), expiry: nextYear(), code: '123' })
    form.current?.querySelector<HTMLButtonElement>('button[type="submit"]')?.focus()
  }
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) submit()
      }}
    >
      <TestCards onChoose={fill} />
      <CardFields card={card} faults={faults} onChange={change} />
      {saving !== undefined && <SaveChoice saving={saving} />}
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {payLabel}
      </Button>
    </form>
  )
}

interface CardFieldsProps {
  card: CardText
  faults: CardFaults
  onChange: (part: Partial<CardText>) => void
}

function CardFields({ card, faults, onChange }: CardFieldsProps) {
  return (
    <>
      <DigitsField
        label={say('card.number')}
        name="number"
        autocomplete="cc-number"
        placeholder="1234 1234 1234 1234"
        format={formatNumber}
        value={card.number}
        onValue={(number) => onChange({ number })}
        error={faults.number}
        picture={<CardBrand brand={brandOf(digitsOf(card.number))} />}
      />
      <div class="card-row">
        <DigitsField
          label={say('card.expiry')}
          name="expiry"
          autocomplete="cc-exp"
          placeholder={say('card.expiryHint')}
          format={formatExpiry}
          value={card.expiry}
          onValue={(expiry) => onChange({ expiry })}
          error={faults.expiry}
        />
        <DigitsField
          label={say('card.code')}
          name="code"
          autocomplete="cc-csc"
          placeholder="CVC"
          format={formatCode}
          value={card.code}
          onValue={(code) => onChange({ code })}
          error={faults.code}
        />
      </div>
    </>
  )
}

interface DigitsFieldProps {
  label: string
  name: string
  autocomplete: 'cc-number' | 'cc-exp' | 'cc-csc'
  placeholder: string
  format: (text: string) => string
  value: string
  onValue: (value: string) => void
  error: string | undefined
  /** At the end of the field. */
  picture?: ComponentChildren
}

function DigitsField({ label, format, onValue, error, picture, ...input }: DigitsFieldProps) {
  const id = useId()
  const read = (field: HTMLInputElement) => {
    const typed = field.value
    const caret = field.selectionStart ?? typed.length
    const text = format(typed)
    // Set at once: a character that formatting drops changes no state, and would stay.
    field.value = text
    const isAtEnd = caret === typed.length
    const after = isAtEnd ? text.length : caretAfter(text, digitsOf(typed.slice(0, caret)).length)
    field.setSelectionRange(after, after)
    onValue(text)
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="digits-place" dir="ltr">
        <input
          {...input}
          id={id}
          class={picture === undefined ? 'input digits' : 'input digits digits-pictured'}
          type="text"
          inputMode="numeric"
          dir="ltr"
          spellcheck={false}
          aria-invalid={error === undefined ? undefined : 'true'}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onInput={(event) => read(event.currentTarget)}
        />
        {picture}
      </div>
      <FieldError id={id} text={error} />
    </div>
  )
}

function TestCards({ onChoose }: { onChoose: (card: TestCard) => void }) {
  const [cards, setCards] = useState<readonly TestCard[]>()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    testCards().then(setCards, () => setCards([]))
  }, [])
  if (cards?.length === 0) return null
  return (
    <details
      class="test-cards"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{say('card.testCards')}</summary>
      <ul>
        {cards?.map((card) => (
          <li key={card.number}>
            <button
              class="test-card"
              type="button"
              onClick={() => {
                setOpen(false)
                onChoose(card)
              }}
            >
              <span class="test-card-label">{testCardWords(card).label}</span>
              <span class="test-card-number fixed" dir="ltr">
                <CardBrand brand={brandOf(card.number)} isSilent />
                {formatNumber(card.number)}
              </span>
              <span class="small quiet">{testCardWords(card).description}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function without(faults: CardFaults, names: readonly string[]): CardFaults {
  return Object.fromEntries(Object.entries(faults).filter(([name]) => !names.includes(name)))
}

function nextYear(): string {
  return `12 / ${String((new Date().getFullYear() + 1) % 100).padStart(2, '0')}`
}
