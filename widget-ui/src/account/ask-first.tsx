/**
 * A button for what cannot be taken back: it says what it means and asks first. The focus goes to
 * the safe answer, and back to the button when nothing is done.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { Notice } from '../shared/notice.js'
import { say } from '../words/say.js'
import type { Sending } from './use-sending.js'

export interface AskFirstProps {
  readonly label: string
  readonly question: string
  readonly form: Sending
}

export function AskFirst({ label, question, form }: AskFirstProps) {
  const [isAsking, setAsking] = useState<boolean>()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isAsking !== undefined)
      place.current?.querySelector<HTMLElement>('[data-first-focus]')?.focus()
  }, [isAsking])
  return (
    <div class="account-ask-place" ref={place}>
      {isAsking === true ? (
        <div class="account-ask">
          <Notice kind="warning">{question}</Notice>
          {form.refusal !== undefined && <Notice kind="danger">{form.refusal}</Notice>}
          <div class="actions">
            <Button kind="danger" isBusy={form.isSending} onClick={() => form.submit()}>
              {label}
            </Button>
            <Button isFirstFocused onClick={() => setAsking(false)}>
              {say('gate.cancel')}
            </Button>
          </div>
        </div>
      ) : (
        <Button isFirstFocused onClick={() => setAsking(true)}>
          {label}
        </Button>
      )}
    </div>
  )
}
