/**
 * The doctor inside a frame: looks at the frame it stands in, where the wallet will stand. States:
 * asking → told, or the service did not answer (what the frame sees is told all the same).
 */
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { asFailure } from '../widget/api.js'
import { askFacts } from './facts.js'
import { FindingList } from './finding-list.js'
import { factFindings, frameFindings, type Finding } from './findings.js'
import { frameView, parentOrigin, sendsReferer, tryWindow } from './frame-view.js'

export function FrameDoctor({ clientId, session }: { clientId: string; session: string }) {
  const [origin] = useState(parentOrigin)
  const [place] = useState(() =>
    sendsReferer(origin) ? ('frame' as const) : ('silent frame' as const),
  )
  const [seen] = useState(() => frameFindings(frameView()))
  const [told, setTold] = useState<readonly Finding[]>()
  const [opened, setOpened] = useState<Finding>()
  useEffect(() => {
    askFacts({ clientId, origin, session }).then(
      (facts) => setTold(factFindings(facts, { clientId, origin, place })),
      (error: unknown) => setTold([{ state: 'unsure', title: asFailure(error).message }]),
    )
  }, [])
  const tryOut = () => setOpened(windowFinding(tryWindow()))
  return (
    <main class="page">
      <h1>Widget doctor</h1>
      <p class="quiet">
        This frame stands where your wallet will stand and tells what it sees from here. It holds no
        data and takes no login.
      </p>
      {told === undefined ? (
        <p class="skeleton findings-skeleton">
          <span class="unseen">Looking…</span>
        </p>
      ) : (
        <FindingList findings={[...told, ...seen, ...(opened === undefined ? [] : [opened])]} />
      )}
      {opened === undefined && (
        <div class="actions">
          <Button onClick={tryOut}>Try whether a window can open</Button>
        </div>
      )}
    </main>
  )
}

function windowFinding(isOpened: boolean): Finding {
  if (isOpened) return { state: 'good', title: 'A window can be opened from the frame.' }
  return {
    state: 'bad',
    title: 'No window can be opened from the frame: the top-up window and bank checks fail.',
    fix:
      'Add allow-popups and allow-popups-to-escape-sandbox to the sandbox attribute; if there is ' +
      'none, the browser’s popup blocker did it.',
  }
}
