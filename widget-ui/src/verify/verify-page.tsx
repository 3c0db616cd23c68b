/**
 * Checking an audit bundle: choose a file or drop it, and see whether it holds or which entry does
 * not. Promises: nothing leaves the browser, and the page says so; a new file replaces the result.
 * States: waiting, checking, then holds, fails or unable.
 */
import { useState } from 'preact/hooks'
import { SpokenOnly } from '../shared/spoken-only.js'
import { Notice } from '../shared/notice.js'
import { checkFile, type Checked } from './check-file.js'
import { Proven } from './proven.js'

type State = { readonly kind: 'waiting' | 'checking' } | Checked

export function VerifyPage() {
  const [state, setState] = useState<State>({ kind: 'waiting' })
  const check = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    setState({ kind: 'checking' })
    setState(await checkFile(file))
  }
  return (
    <main class="verify">
      <header class="verify-head">
        <h1>Check an audit bundle</h1>
        <p class="quiet">
          A bundle is one wallet’s whole history with the proof that it is in a signed checkpoint.
          It is checked here, in your browser. Nothing is sent anywhere.
        </p>
      </header>
      <FileChoice onFile={(file) => void check(file)} />
      <Result state={state} />
      <SpokenOnly text={spoken(state)} />
      <footer class="quiet small">
        The same check without this page:{' '}
        <a href="/audit/verify-bundle.mjs" download>
          download the script
        </a>{' '}
        and run <code>node verify-bundle.mjs bundle.json</code>.
      </footer>
    </main>
  )
}

function FileChoice({ onFile }: { onFile: (file: File | undefined) => void }) {
  const [isOver, setIsOver] = useState(false)
  return (
    <label
      class={isOver ? 'drop drop-over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        onFile(event.dataTransfer?.files[0])
      }}
    >
      <span class="drop-label">Choose a bundle, or drop it here</span>
      <span class="button button-primary" aria-hidden="true">
        Choose a file
      </span>
      <input
        class="drop-input"
        type="file"
        accept=".json,application/json"
        onChange={(event) => {
          const { currentTarget: input } = event
          onFile(input.files?.[0])
          // The same file again, after it was changed, must be another choice.
          input.value = ''
        }}
      />
    </label>
  )
}

function Result({ state }: { state: State }) {
  switch (state.kind) {
    case 'waiting':
      return null
    case 'checking':
      return <p class="checking">Checking every entry …</p>
    case 'holds':
      return <Proven name={state.name} bundle={state.bundle} />
    case 'fails':
      return (
        <Notice kind="danger">
          <h2>This bundle does not hold</h2>
          <p>
            <strong>{state.fault.place}</strong> {state.fault.problem}
          </p>
          <p class="small">
            {state.name} is not what was signed. Ask for a new bundle, and keep this file.
          </p>
        </Notice>
      )
    case 'unable':
      return (
        <Notice kind="warning">
          <h2>Not checked</h2>
          <p>
            {state.reason} {state.nextStep}
          </p>
          <p class="small">{state.name}</p>
        </Notice>
      )
  }
}

/** What fails is an alert already. */
function spoken(state: State): string {
  if (state.kind === 'checking') return 'Checking.'
  if (state.kind === 'holds') return 'The bundle holds.'
  return state.kind === 'unable' ? `Not checked. ${state.reason} ${state.nextStep}` : ''
}
