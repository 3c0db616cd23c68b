/**
 * What the wallet page shows, and the moments of its window messages.
 * States: problem (no client app: nobody can log in here), signing in, wallet (its own states are
 * live-wallet.ts; expired is a sentence and one button). signing in → wallet by a login; wallet →
 * signing in by a switch of account, or after an expiry.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Welcome as LoggedIn } from '../../../src/http/schemas/answers/widget.js'
import type { WidgetApi } from '../widget/api.js'
import type { HostPort } from '../widget/host-port.js'
import { postToParent } from '../widget/messages.js'
import { nameDocument } from '../widget/theme.js'
import type { Language } from '../words/languages.js'
import { currentSpeech, say } from '../words/say.js'
import { changeLanguage, isChosenByHost, type Wishes } from '../words/speech.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { LiveWallet, type LiveState } from './live-wallet.js'
import { ExpiredCard, ProblemCard } from './notice-cards.js'
import { SignIn } from './sign-in.js'
import type { TopUpDoor } from './top-up-door.js'
import { WalletView } from './wallet-view.js'

export interface WalletAppProps {
  readonly data: PageData
  readonly api: WidgetApi
  readonly host: HostPort
  readonly door: TopUpDoor
  /** What the loader asked for. */
  readonly wishes: Wishes
}

type Screen = 'problem' | 'sign-in' | 'wallet'

export function WalletApp({ data, api, host, door, wishes }: WalletAppProps) {
  const [screen, setScreen] = useState<Screen>(() => firstScreen(data, api))
  const [isSwitching, setSwitching] = useState(false)
  const isTold = useRef(false)
  // Another one draws everything anew; what each part knows stays.
  const [, setLanguage] = useState(() => currentSpeech().language)

  const onLogin = ({ serviceUserId, linkProof, sessionToken }: LoggedIn) => {
    api.session = sessionToken
    postToParent({ type: 'SERVICE_AUTH_SUCCESS', serviceUserId, linkProof }, data)
    if (!door.openWaiting()) setScreen('wallet')
  }
  const onSwitch = () => {
    postToParent({ type: 'SERVICE_LOGOUT_REQUEST' }, data)
    // The token runs out by itself should the service not hear this.
    void api.endSession().catch(() => undefined)
    api.session = undefined
    setSwitching(true)
    setScreen('sign-in')
  }
  const onLanguage = (language: Language) => {
    void changeLanguage(language).then(() => {
      setLanguage(language)
      nameDocument(say('wallet.title'), data)
    })
  }
  const onDrawn = () => {
    if (!isTold.current) postToParent({ type: 'SERVICE_WALLET_LOADED' }, data)
    isTold.current = true
  }

  switch (screen) {
    case 'problem':
      return <ProblemCard data={data} />
    case 'sign-in':
      return <SignIn api={api} data={data} isSwitching={isSwitching} onLogin={onLogin} />
    case 'wallet':
      return (
        <ShownWallet
          {...{ data, api, host, door, wishes, onSwitch, onDrawn, onLanguage }}
          onLogIn={() => {
            api.session = undefined
            setScreen('sign-in')
          }}
        />
      )
  }
}

function firstScreen({ clientId, problem }: PageData, { session }: WidgetApi): Screen {
  if (problem === 'APP_INACTIVE') return 'problem'
  if (session !== undefined) return 'wallet'
  return clientId === null || problem !== null ? 'problem' : 'sign-in'
}

interface ShownWalletProps extends WalletAppProps {
  readonly onSwitch: () => void
  readonly onDrawn: () => void
  readonly onLanguage: (language: Language) => void
  /** After an expiry. */
  readonly onLogIn: () => void
}

function ShownWallet({ data, api, host, door, wishes, ...on }: ShownWalletProps) {
  const [state, setState] = useState<LiveState>({ kind: 'loading' })
  const live = useMemo(
    () =>
      new LiveWallet({
        api,
        host,
        onState: setState,
        onUpdated: () => postToParent({ type: 'SERVICE_WALLET_UPDATED' }, data),
      }),
    [],
  )
  useEffect(() => {
    live.start()
    return () => live.stop()
  }, [live])
  useEffect(() => {
    if (state.kind === 'shown') on.onDrawn()
  }, [state.kind])
  if (state.kind === 'expired')
    return (
      <ExpiredCard
        brand={data.brand ?? say('wallet.title')}
        mayLogIn={data.clientId !== null && data.problem === null}
        onLogIn={on.onLogIn}
      />
    )
  return (
    <WalletView
      state={state}
      data={data}
      onReload={() => live.retry()}
      onSwitch={on.onSwitch}
      onLanguage={isChosenByHost(wishes) ? undefined : on.onLanguage}
      onTopUp={() => postToParent({ type: 'SERVICE_OPEN_TOPUP' }, data)}
      onTopUpHere={() => door.open()}
    />
  )
}
