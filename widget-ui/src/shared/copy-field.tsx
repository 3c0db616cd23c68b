/** A value to take along: read-only, selected by a click, with a button that says it was copied. */
import { useId, useRef, useState } from 'preact/hooks'
import { Icon } from './icon.js'

export function CopyField({ label, value }: { label: string; value: string }) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  const copy = async () => setState((await copied(value, input.current)) ? 'copied' : 'failed')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copy">
        <input
          ref={input}
          id={id}
          class="input"
          value={value}
          readOnly
          spellcheck={false}
          autocomplete="off"
          onFocus={(event) => event.currentTarget.select()}
        />
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

/** The clipboard needs https or localhost; elsewhere the value is selected for Ctrl-C. */
export async function copied(
  value: string,
  input: HTMLInputElement | HTMLTextAreaElement | null,
): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
    return true
  } catch {
    input?.focus()
    input?.select()
    return false
  }
}
