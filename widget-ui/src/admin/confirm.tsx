/**
 * Before a dangerous act: says what it touches and what follows, and asks for the name of it. The
 * button works only with the right name, and says so when it is wrong.
 */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { Dialog } from '../shared/dialog.js'
import { TextField } from '../shared/field.js'
import { Notice } from '../shared/notice.js'
import { useAct } from './work.js'

export interface ConfirmProps {
  title: string
  /** What has to be typed: the name of what is touched. */
  name: string
  nameLabel: string
  action: string
  children: ComponentChildren
  onConfirm: () => Promise<void>
  onClose: () => void
}

export function ConfirmByName(props: ConfirmProps) {
  const { title, name, nameLabel, action, children, onConfirm, onClose } = props
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string>()
  const act = useAct()
  const submit = (event: Event) => {
    event.preventDefault()
    if (typed.trim() !== name) setError(`This is not ${name}. Nothing was done.`)
    else act.run(onConfirm)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <form class="form" onSubmit={submit}>
        <TextField
          label={nameLabel}
          name="confirmation"
          hint={
            <>
              Type <strong>{name}</strong> to go on.
            </>
          }
          value={typed}
          onValue={(value) => {
            setTyped(value)
            setError(undefined)
          }}
          error={error}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
        {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger-strong" type="submit" isBusy={act.isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
