/**
 * The doctor in a tab of its own: takes a clientId, an origin and a pasted iframe tag, and says
 * what is wrong with them. What was typed is kept. States: asking → looking → told.
 */
import { useRef, useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { TextArea, TextField } from '../shared/field.js'
import { Notice } from '../shared/notice.js'
import { CopyText } from '../shared/copy-text.js'
import { asFailure } from '../widget/api.js'
import { askFacts } from './facts.js'
import { FindingList } from './finding-list.js'
import { factFindings, spelledOriginFindings, type Finding } from './findings.js'
import { clientIdPlaceholder, mendedTag, sessionPlaceholder } from './mended-tag.js'
import { readTag } from './tag-reader.js'
import { isSessionToken, tagAddress, tagFindings } from './tag-diagnosis.js'

interface Typed {
  readonly clientId: string
  readonly origin: string
  readonly tag: string
}

interface Examination {
  readonly findings: readonly Finding[]
  /** The pasted tag as it ought to be, where something is wrong with it. */
  readonly tag?: string
}

const example = `<iframe src="${location.origin}/widget/wallet?clientId=…&session=ws_…"
  title="Wallet" allow="payment *"></iframe>`

export function FormDoctor(given: { clientId: string; session: string }) {
  const [typed, setTyped] = useState<Typed>({ clientId: given.clientId, origin: '', tag: '' })
  const [examination, setExamination] = useState<Examination>()
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const busy = useRef(false)
  const type = (change: Partial<Typed>) => setTyped((now) => ({ ...now, ...change }))
  const look = async () => {
    try {
      setExamination(await examine(typed, given.session))
      setFailure(undefined)
    } catch (error) {
      setFailure(asFailure(error).message)
    } finally {
      busy.current = false
      setBusy(false)
    }
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (busy.current) return
    busy.current = true
    setBusy(true)
    void look()
  }
  return (
    <main class="page">
      <h1>Widget doctor</h1>
      <p class="quiet">
        Why does the wallet not show on your page? Paste what you have. Or frame this page where the
        wallet will stand, and it tells what it sees from there.
      </p>
      <QuestionForm typed={typed} onTyped={type} isBusy={isBusy} onSubmit={submit} />
      {failure !== undefined && <Notice kind="danger">{failure}</Notice>}
      {examination !== undefined && <FindingList findings={examination.findings} />}
      {examination?.tag !== undefined && <MendedTag tag={examination.tag} />}
    </main>
  )
}

interface QuestionFormProps {
  readonly typed: Typed
  readonly onTyped: (change: Partial<Typed>) => void
  readonly isBusy: boolean
  readonly onSubmit: (event: Event) => void
}

function QuestionForm({ typed, onTyped, isBusy, onSubmit }: QuestionFormProps) {
  return (
    <form class="card form" noValidate onSubmit={onSubmit}>
      <TextField
        label="clientId"
        name="clientId"
        value={typed.clientId}
        onValue={(clientId) => onTyped({ clientId })}
        autocomplete="off"
        spellcheck={false}
      />
      <TextField
        label="Origin of your page"
        name="origin"
        hint="Such as https://shop.example: no path, no slash at the end."
        value={typed.origin}
        onValue={(origin) => onTyped({ origin })}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
      <TextArea
        label="Your iframe tag"
        name="tag"
        hint="Only read, never shown or run."
        rows={5}
        placeholder={example}
        value={typed.tag}
        onValue={(tag) => onTyped({ tag })}
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        Examine
      </Button>
    </form>
  )
}

function MendedTag({ tag }: { tag: string }) {
  return (
    <section class="card form" aria-labelledby="mended">
      <h2 id="mended">The tag, mended</h2>
      <CopyText label="Mended tag" value={tag} rows={tag.split('\n').length} />
      {tag.includes(clientIdPlaceholder) && (
        <p class="quiet">
          Put the clientId of your app in place of <code>{clientIdPlaceholder}</code>.
        </p>
      )}
      {tag.includes(sessionPlaceholder) && (
        <p class="quiet">
          In place of <code>{sessionPlaceholder}</code> your backend puts a new token for each page
          view, from <code>POST /api/widget/session</code>.
        </p>
      )}
    </section>
  )
}

async function examine(typed: Typed, givenSession: string): Promise<Examination> {
  const isPasted = typed.tag.trim() !== ''
  const attributes = isPasted ? readTag(typed.tag) : undefined
  const inTag = attributes === undefined ? { clientId: '', session: '' } : tagAddress(attributes)
  const clientId = typed.clientId.trim() || inTag.clientId
  const origin = typed.origin.trim()
  const session = inTag.session || givenSession
  const facts = await askFacts({ clientId, origin, session })
  const isSessionTold = inTag.session !== '' && !isSessionToken(inTag.session)
  const of = { clientId, origin, place: 'tab', isSessionTold } as const
  const findings = factFindings(facts, of)
  if (facts.originInstead !== undefined) {
    // Spelled rightly it may be listed or not: both are worth knowing.
    const spelled = { ...of, origin: facts.originInstead }
    const again = await askFacts({ clientId, origin: spelled.origin, session })
    findings.push(...spelledOriginFindings(again, spelled))
  }
  if (!isPasted) return { findings }
  const service = { origin: location.origin, publicOrigin: facts.publicOrigin }
  const ofTag = attributes === undefined ? [noTag] : tagFindings(attributes, service)
  const isFine = ofTag.every(({ state }) => state === 'good')
  const tag = mendedTag(attributes ?? {}, { service, clientId })
  return { findings: [...ofTag, ...findings], ...(!isFine && { tag }) }
}

const noTag: Finding = {
  state: 'bad',
  title: 'There is no iframe tag in what was pasted.',
  fix: 'Paste the whole tag, from <iframe to </iframe>, or take the one below.',
}
