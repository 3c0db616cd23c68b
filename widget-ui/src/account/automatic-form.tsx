/**
 * The rule of automatic top-up: what it does now, and a form that switches it on, or changes it,
 * with the password.
 * Promises: all faults at once, each beside its field; switching off needs nothing.
 */
import { useState } from 'preact/hooks'
import type { SavedCards } from '../../../src/http/schemas/answers/cards.js'
import { TextField } from '../shared/field.js'
import type { Formats } from '../shared/formats.js'
import { Notice } from '../shared/notice.js'
import { cardName } from '../widget/card-names.js'
import type { Person } from '../widget/person.js'
import { say } from '../words/say.js'
import { ChoiceField } from './choice-field.js'
import { MoreForm } from './more-form.js'
import { OwnPassword } from './own-password.js'
import { useSending } from './use-sending.js'

export interface AutomaticFormProps {
  readonly saved: SavedCards
  readonly person: Person
  readonly formats: Formats
  readonly onChanged: () => void
}

const amounts = ['threshold', 'amount', 'monthMaximum'] as const

export function AutomaticForm(props: AutomaticFormProps) {
  const { typed, setTyped, cardId, setCardId, password, setPassword, form } = useRuleForm(props)
  const { automaticTopUp: rule } = props.saved
  return (
    <>
      <RuleNotice {...props} />
      <MoreForm label={say(rule?.isOn === true ? 'auto.change' : 'auto.on')} form={form}>
        {amounts.map((name) => (
          <TextField
            key={name}
            label={say(`auto.${name}`)}
            name={name}
            inputMode="decimal"
            maxLength={16}
            value={typed[name]}
            error={form.errors[name]}
            onValue={(text) => setTyped({ ...typed, [name]: text })}
          />
        ))}
        <ChoiceField
          label={say('auto.card')}
          value={cardId}
          choices={props.saved.cards.map((card) => [card.cardId, cardName(card)])}
          onValue={setCardId}
        />
        <OwnPassword value={password} form={form} onValue={setPassword} />
      </MoreForm>
    </>
  )
}

function useRuleForm({ saved, person, formats, onChanged }: AutomaticFormProps) {
  const { automaticTopUp: rule, cards } = saved
  const [typed, setTyped] = useState({
    threshold: shown(rule?.threshold, formats),
    amount: shown(rule?.amount, formats),
    monthMaximum: shown(rule?.monthMaximum, formats),
  })
  const [cardId, setCardId] = useState(rule?.cardId ?? cards[0]?.cardId ?? '')
  const [password, setPassword] = useState('')
  const read = (text: string) => formats.readAmount(text)
  const form = useSending({
    faults: () => ({
      ...Object.fromEntries(
        amounts.map((name) => [name, isAmount(read(typed[name])) ? undefined : say('auto.fault')]),
      ),
      password: password === '' ? say('signIn.needsPassword') : undefined,
    }),
    send: async () => {
      const values = Object.fromEntries(amounts.map((name) => [name, read(typed[name])]))
      const body = { ...values, cardId, password }
      await person.call('POST', '/api/widget/account/automatic-top-up', { body })
      setPassword('')
      onChanged()
    },
  })
  return { typed, setTyped, cardId, setCardId, password, setPassword, form }
}

/** What the rule does now, or why it does nothing any more. */
function RuleNotice({ saved, person, formats, onChanged }: AutomaticFormProps) {
  const { automaticTopUp: rule } = saved
  const { money } = formats
  const off = useSending({
    send: async () => {
      await person.call('POST', '/api/widget/account/automatic-top-up/off')
      onChanged()
    },
  })
  if (rule?.offBecause === 'failures') return <Notice kind="warning">{say('auto.failed')}</Notice>
  if (rule?.isOn !== true) return null
  return (
    <Notice kind="info" action={{ label: say('auto.off'), run: () => off.submit() }}>
      {say('auto.rule', { threshold: money(rule.threshold), amount: money(rule.amount) })}{' '}
      {say('auto.month', { used: money(rule.monthUsed), most: money(rule.monthMaximum) })}
    </Notice>
  )
}

/** As it may be typed: what a rule says already is changed, not told anew. */
function shown(amount: number | undefined, { typedAmount }: Formats): string {
  return amount === undefined ? '' : typedAmount(amount)
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value > 0
}
