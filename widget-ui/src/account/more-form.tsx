/**
 * A form behind a line that opens it: what was refused above its fields, and one button that sends
 * it, with the same words as the line.
 */
import type { ComponentChildren } from 'preact'
import { Button, type ButtonProps } from '../shared/button.js'
import { Notice } from '../shared/notice.js'
import { say } from '../words/say.js'
import type { Sending } from './use-sending.js'

export interface MoreFormProps {
  readonly label: string
  readonly form: Sending
  readonly kind?: NonNullable<ButtonProps['kind']>
  /** Says beside the button that it is saved. */
  readonly saysSaved?: boolean
  readonly children: ComponentChildren
}

export function MoreForm({ label, form, kind = 'plain', saysSaved, children }: MoreFormProps) {
  return (
    <details class="account-more">
      <summary>{label}</summary>
      <form {...form.attributes}>
        {form.refusal !== undefined && <Notice kind="danger">{form.refusal}</Notice>}
        {children}
        <div class="actions">
          <Button kind={kind} type="submit" isBusy={form.isSending}>
            {label}
          </Button>
          {saysSaved === true && form.state === 'done' && (
            <span role="status">{say('account.saved')}</span>
          )}
        </div>
      </form>
    </details>
  )
}
