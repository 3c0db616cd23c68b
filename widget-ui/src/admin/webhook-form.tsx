/**
 * The form of a webhook endpoint, for a new one and for changes: where to, and of what. Faults
 * stand beside the field they belong to; the service decides.
 */
import { useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { FieldError, TextField } from '../shared/field.js'
import { Notice } from '../shared/notice.js'
import type { WebhookInput } from './api.js'
import { typeMeaning } from './webhook-words.js'
import { useAct } from './work.js'

export interface WebhookFormProps {
  /** All that there are. */
  types: readonly string[]
  endpoint?: WebhookInput
  action: string
  onSubmit: (input: WebhookInput) => Promise<void>
  onCancel: () => void
}

export function WebhookForm({ types, endpoint, action, onSubmit, onCancel }: WebhookFormProps) {
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [chosen, setChosen] = useState<readonly string[]>(endpoint?.types ?? [])
  const [isIncomplete, setIncomplete] = useState(false)
  const act = useAct()
  const forget = () => {
    setIncomplete(false)
    act.forget()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (url.trim() === '' || chosen.length === 0) setIncomplete(true)
    else act.run(() => onSubmit({ url: url.trim(), types: chosen }))
  }
  const field = act.failure?.field
  const urlFault = isIncomplete && url.trim() === '' ? 'Give the address.' : undefined
  const typesFault = isIncomplete && chosen.length === 0 ? 'Choose at least one.' : undefined
  return (
    <form class="form" onSubmit={submit} noValidate>
      <TextField
        label="Address"
        name="url"
        hint="Where webhooks are sent to, with https."
        placeholder="https://shop.example.com/webhooks"
        value={url}
        onValue={(value) => {
          setUrl(value)
          forget()
        }}
        error={urlFault ?? (field === 'url' ? act.failure?.message : undefined)}
        autocomplete="off"
        spellcheck={false}
      />
      <Types
        types={types}
        chosen={chosen}
        onChosen={(value) => {
          setChosen(value)
          forget()
        }}
        error={typesFault ?? (field === 'types' ? act.failure?.message : undefined)}
      />
      {act.failure !== undefined && field !== 'url' && field !== 'types' && (
        <Notice kind="danger">{act.failure.message}</Notice>
      )}
      <div class="actions">
        <Button kind="primary" type="submit" isBusy={act.isBusy}>
          {action}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  )
}

interface TypesProps {
  types: readonly string[]
  chosen: readonly string[]
  onChosen: (types: readonly string[]) => void
  error: string | undefined
}

function Types({ types, chosen, onChosen, error }: TypesProps) {
  const change = (type: string, isChosen: boolean) =>
    onChosen(types.filter((one) => (one === type ? isChosen : chosen.includes(one))))
  return (
    <fieldset class="field" aria-describedby={error === undefined ? undefined : 'types-error'}>
      <legend>Types</legend>
      {types.map((type) => (
        <label key={type} class="check">
          <input
            type="checkbox"
            name="types"
            value={type}
            checked={chosen.includes(type)}
            onChange={(event) => change(type, event.currentTarget.checked)}
          />
          <span>
            <code>{type}</code> <span class="quiet">{typeMeaning(type)}</span>
          </span>
        </label>
      ))}
      <FieldError id="types" text={error} />
    </fieldset>
  )
}
