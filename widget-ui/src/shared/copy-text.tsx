/** A text of several lines to take along: read-only, with a button that says it was copied. */
import { useId, useRef, useState } from 'preact/hooks'
import { copied } from './copy-field.js'
import { Icon } from './icon.js'

interface CopyTextProps {
  readonly label: string
  readonly value: string
  readonly rows: number
}

export function CopyText({ label, value, rows }: CopyTextProps) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  // Of which text it is: another one is not copied yet.
  const [done, setDone] = useState<{ readonly value: string; readonly isCopied: boolean }>()
  const copy = async () => setDone({ value, isCopied: await copied(value, area.current) })
  const state = done?.value !== value ? 'ready' : done.isCopied ? 'copied' : 'failed'
  return (
    <div class="field copy-text">
      <label for={id}>{label}</label>
      <textarea
        ref={area}
        id={id}
        class="input"
        value={value}
        rows={rows}
        readOnly
        spellcheck={false}
        wrap="off"
      />
      <div>
        <button class="button button-primary" type="button" onClick={() => void copy()}>
          <Icon name={state === 'copied' ? 'check' : 'copy'} isSmall />
          {state === 'copied' ? 'Copied' : 'Copy'}
          <span class="unseen"> {label}</span>
        </button>
      </div>
      <p class="field-hint" role="status">
        {state === 'failed' && 'The browser did not copy it. It is selected: copy it by hand.'}
        {state === 'copied' && <span class="unseen">Copied.</span>}
      </p>
    </div>
  )
}
