/**
 * What a person can do next in each state, one primary button at most, and the way back: into the
 * wallet where this page stands in its frame, else to the page that opened this window.
 */
import { useState } from 'preact/hooks'
import { Button } from '../shared/button.js'
import { isFramed } from '../widget/messages.js'
import { pageAddress } from '../widget/opening.js'
import { say } from '../words/say.js'
import type { TopUpOnPage, TopUpParts } from './use-top-up.js'

type Kind = 'primary' | 'plain' | 'bare'

export function StateActions({ parts, topUp }: { parts: TopUpParts; topUp: TopUpOnPage }) {
  const { stage } = topUp
  switch (stage.name) {
    case 'failed':
      return (
        <div class="actions">
          {stage.isDecline ? (
            <Button kind="primary" onClick={topUp.tryAnotherCard}>
              {say('topUp.tryAnotherCard')}
            </Button>
          ) : (
            <Button kind="primary" onClick={topUp.tryAgain}>
              {say('act.tryAgain')}
            </Button>
          )}
          <Button onClick={topUp.changeAmount}>{say('topUp.changeAmount')}</Button>
          {isFramed() && <WayBack parts={parts} kind="bare" isEnded={topUp.hasEnded} />}
        </div>
      )
    case 'processing':
      return (
        <div class="actions">
          {stage.isLate && <Button onClick={topUp.lookAgain}>{say('topUp.lookAgain')}</Button>}
          <WayBack parts={parts} kind="plain" isEnded={false} />
        </div>
      )
    case 'booked':
    case 'expired':
    case 'unavailable':
      return (
        <div class="actions">
          {mayLogIn(parts, topUp) && <LogInButton topUp={topUp} />}
          <WayBack
            parts={parts}
            kind={mayLogIn(parts, topUp) ? 'plain' : 'primary'}
            isEnded={topUp.hasEnded}
          />
        </div>
      )
    case 'choosing':
    case 'preparing':
    case 'card':
    case 'paying':
    case 'checking':
      return null
  }
}

/** The session has ended here while a payment was under way: a login tells what became of it. */
function mayLogIn({ data }: TopUpParts, { stage }: TopUpOnPage): boolean {
  const wasLive = data.session === 'live' && data.clientId !== null
  return wasLive && stage.name === 'expired' && stage.wasPaying
}

function LogInButton({ topUp }: { topUp: TopUpOnPage }) {
  return (
    <Button kind="primary" onClick={() => topUp.setLoggingIn(true)}>
      {say('topUp.logInToSee')}
    </Button>
  )
}

/** Below a form in the wallet's frame; a window of its own is left by closing it. */
export function WayOut({ parts, topUp }: { parts: TopUpParts; topUp: TopUpOnPage }) {
  const isForm = ['choosing', 'preparing', 'card'].includes(topUp.stage.name)
  return isForm && isFramed() ? (
    <div class="way-out">
      <WayBack parts={parts} kind="bare" isEnded={topUp.hasEnded} />
    </div>
  ) : null
}

function WayBack(of: { parts: TopUpParts; kind: Kind; isEnded: boolean }) {
  const { api, data } = of.parts
  if (!isFramed()) return <CloseWindow brand={data.brand} kind={of.kind} />
  const session = of.isEnded ? undefined : api.session
  return (
    <a
      class={`button button-${of.kind}`}
      href={pageAddress({ page: 'wallet', clientId: data.clientId, session })}
    >
      {say('topUp.backToWallet')}
    </a>
  )
}

function CloseWindow({ brand, kind }: { brand: string | null; kind: Kind }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    window.close()
    // A browser closes only windows that a page has opened, and says nothing otherwise.
    setOpen(true)
  }
  return (
    <>
      <Button kind={kind} onClick={close}>
        {brand === null ? say('topUp.backToShop') : say('topUp.backTo', { brand })}
      </Button>
      <p class="small quiet close-hint" role="status">
        {isOpen && say('topUp.mayClose')}
      </p>
    </>
  )
}
