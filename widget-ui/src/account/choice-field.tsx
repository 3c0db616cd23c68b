/** One of a few choices, with its label above. */
import { useId } from 'preact/hooks'

export interface ChoiceFieldProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly (readonly [value: string, label: string])[]
  readonly onValue: (value: string) => void
}

export function ChoiceField({ label, value, choices, onValue }: ChoiceFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input"
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {choices.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
