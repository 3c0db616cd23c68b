/**
 * Acts that only the person may do, such as saving a statement: where the password was given
 * lately they run at once, else it is asked for in place. After a file was saved, a link opens it:
 * a frame may not be allowed to save.
 * States: idle → asking for the password → running → done, or idle with an error.
 */
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { Notice } from '../shared/notice.js'
import type { SavedFile } from '../widget/api.js'
import type { Person } from '../widget/person.js'
import { say } from '../words/say.js'
import { OwnPassword } from './own-password.js'
import { useSending } from './use-sending.js'

export interface PasswordGateProps {
  readonly person: Person
  readonly brand: string
  readonly onOpen: () => void
  readonly onCancel?: () => void
}

export function PasswordGate({ person, brand, onOpen, onCancel }: PasswordGateProps) {
  const [password, setPassword] = useState('')
  const form = useSending({
    faults: () => ({ password: password === '' ? say('signIn.needsPassword') : undefined }),
    send: async () => {
      await person.unlock(password)
      onOpen()
    },
  })
  useEffect(() => form.element.current?.querySelector('input')?.focus(), [])
  return (
    <form {...form.attributes} class="form gate">
      <p class="quiet">{say('gate.why', { brand })}</p>
      {form.refusal !== undefined && <Notice kind="danger">{form.refusal}</Notice>}
      <OwnPassword value={password} form={form} onValue={setPassword} />
      <div class="actions">
        <Button kind="primary" type="submit" isBusy={form.isSending}>
          {say('gate.continue')}
        </Button>
        {onCancel !== undefined && <Button onClick={onCancel}>{say('gate.cancel')}</Button>}
      </div>
    </form>
  )
}

export interface SaveActsProps {
  readonly person: Person
  readonly brand: string
  readonly acts: readonly SaveAct[]
}

export interface SaveAct {
  readonly label: string
  readonly fetch: () => Promise<SavedFile>
}

/** Buttons that save a file each. */
export function SaveActs({ person, brand, acts }: SaveActsProps) {
  const [chosen, setChosen] = useState<SaveAct>()
  const [isAsking, setAsking] = useState(false)
  const [saved, setSaved] = useState<{ name: string; address: string }>()
  useEffect(() => () => URL.revokeObjectURL(saved?.address ?? ''), [saved])
  const form = useSending({
    send: async () => {
      const file = await chosen?.fetch()
      if (file !== undefined) setSaved(save(file))
    },
    onRefused: () => {
      if (!person.isOpen) setAsking(true)
      return !person.isOpen
    },
  })
  // After the drawing: `send` is then the one of the chosen act.
  useEffect(() => {
    if (chosen !== undefined && !isAsking) form.submit()
  }, [chosen, isAsking])
  const choose = (act: SaveAct): void => {
    setSaved(undefined)
    setAsking(!person.isOpen)
    // Another object, also for the same button once more.
    setChosen({ ...act })
  }
  if (isAsking)
    return (
      <PasswordGate
        person={person}
        brand={brand}
        onOpen={() => setAsking(false)}
        onCancel={() => {
          setChosen(undefined)
          setAsking(false)
        }}
      />
    )
  return (
    <div class="save-acts">
      <div class="actions">
        {acts.map((act) => (
          <Button
            key={act.label}
            isBusy={form.isSending && act.label === chosen?.label}
            onClick={() => choose(act)}
          >
            {act.label}
          </Button>
        ))}
      </div>
      {form.refusal !== undefined && <Notice kind="danger">{form.refusal}</Notice>}
      {saved !== undefined && <Saved {...saved} />}
    </div>
  )
}

function Saved({ name, address }: { name: string; address: string }) {
  return (
    <p class="small" role="status">
      {say('take.saved', { name })}{' '}
      <a href={address} target="_blank" rel="noopener">
        {say('take.open')}
      </a>
    </p>
  )
}

/** As a click on a link that saves does it; the address is good until the next one. */
function save({ name, content }: SavedFile): { name: string; address: string } {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  return { name, address }
}
