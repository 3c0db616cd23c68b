/**
 * What the wallet page shows, and the moments of its window messages.
 * States: problem (no client app: nobody can log in here), signing in, wallet (its own states are
 * live-wallet.ts; expired is a sentence and one button; all entries and the account stand in its
 * place, loaded when they are asked for). signing in → wallet by a login; wallet → signing in by a
 * switch of account, an unlinked app, a closed account, or after an expiry.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Welcome as LoggedIn } from '../../../src/http/schemas/answers/widget.js'
import type { WidgetApi } from '../widget/api.js'
import type { HostPort } from '../widget/host-port.js'
import { isFramed, postToParent } from '../widget/messages.js'
import type { Person } from '../widget/person.js'
import { nameDocument } from '../widget/theme.js'
import { languageOf, type Language } from '../words/languages.js'
import { currentSpeech, say } from '../words/say.js'
import { changeLanguage, isChosenByHost, type Wishes } from '../words/speech.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { LatePart } from './late-part.js'
import { LiveWallet, type LiveState } from './live-wallet.js'
import { ExpiredCard, ProblemCard } from './notice-cards.js'
import { keepPartingWord, takePartingWord } from './parting-word.js'
import { SignIn } from './sign-in.js'
import type { TopUpDoor } from './top-up-door.js'
import { WalletView } from './wallet-view.js'

export interface WalletAppProps {
  readonly data: PageData
  readonly api: WidgetApi
  readonly person: Person
  readonly host: HostPort
  readonly door: TopUpDoor
  /** What the loader asked for. */
  readonly wishes: Wishes
}

type Screen = 'problem' | 'sign-in' | 'wallet'

export function WalletApp({ data, api, person, host, door, wishes }: WalletAppProps) {
  const [screen, setScreen] = useState<Screen>(() => firstScreen(data, api))
  /** Why the person is asked to log in; and what a login has changed. */
  const [told, setTold] = useState<string | undefined>(() => takePartingWord())
  const [isReopened, setReopened] = useState(false)
  const isTold = useRef(false)
  const language = useLanguage({ data, api, wishes })

  const onLogin = ({ serviceUserId, linkProof, sessionToken, ...answer }: LoggedIn) => {
    api.session = sessionToken
    person.take(sessionToken)
    takePartingWord()
    setReopened(answer.isReopened === true)
    postToParent({ type: 'SERVICE_AUTH_SUCCESS', serviceUserId, linkProof }, data)
    language.onLogin(answer.language)
    if (!door.openWaiting()) setScreen('wallet')
  }
  const leave = (why: string) => {
    keepPartingWord(why)
    postToParent({ type: 'SERVICE_LOGOUT_REQUEST' }, data)
    // The token runs out by itself should the service not hear this.
    void api.endSession().catch(ignore)
    askAgain(why)
  }
  const askAgain = (why: string | undefined) => {
    api.session = undefined
    person.forget()
    setTold(why)
    setScreen('sign-in')
  }
  const onDrawn = () => {
    if (!isTold.current) postToParent({ type: 'SERVICE_WALLET_LOADED' }, data)
    isTold.current = true
  }

  switch (screen) {
    case 'problem':
      return <ProblemCard data={data} />
    case 'sign-in':
      return <SignIn {...{ api, data, told, onLogin }} onLanguage={language.choose} />
    case 'wallet':
      return (
        <ShownWallet
          {...{ data, api, person, host, door, isReopened, onDrawn }}
          onLanguage={language.choose}
          onLeave={leave}
          onLogIn={() => askAgain(undefined)}
        />
      )
  }
}

/**
 * Another one draws everything anew; what each part knows stays. What is chosen before the login is
 * theirs from it on, whatever they had chosen elsewhere. Nothing can be chosen where the host has.
 */
function useLanguage({ data, api, wishes }: Pick<WalletAppProps, 'data' | 'api' | 'wishes'>) {
  const [, setLanguage] = useState(() => currentSpeech().language)
  const chosenBefore = useRef<Language>()
  const show = (language: Language): void =>
    void changeLanguage(language).then(() => {
      setLanguage(language)
      nameDocument(say('wallet.title'), data)
    })
  // The browser keeps it too; mails speak the old one should the service not hear this.
  const tell = (language: Language): void =>
    void api.call<unknown>('POST', '/api/widget/language', { body: { language } }).catch(ignore)
  const choose = (language: Language): void => {
    show(language)
    if (api.session === undefined) chosenBefore.current = language
    else tell(language)
  }
  const onLogin = (chosenElsewhere: string | null | undefined): void => {
    const theirs = languageOf(chosenElsewhere)
    if (chosenBefore.current !== undefined) tell(chosenBefore.current)
    else if (theirs !== undefined && theirs !== currentSpeech().language) show(theirs)
    chosenBefore.current = undefined
  }
  if (isChosenByHost(wishes)) return { choose: undefined, onLogin: ignore }
  return { choose, onLogin }
}

function ignore(): void {
  // What is left is said in the comment where it is called.
}

function firstScreen({ clientId, problem }: PageData, { session }: WidgetApi): Screen {
  if (problem === 'APP_INACTIVE') return 'problem'
  if (session !== undefined) return 'wallet'
  return clientId === null || problem !== null ? 'problem' : 'sign-in'
}

interface ShownWalletProps extends Omit<WalletAppProps, 'wishes'> {
  readonly isReopened: boolean
  /** The person leaves the account here; why is said at the login. */
  readonly onLeave: (why: string) => void
  readonly onDrawn: () => void
  readonly onLanguage: ((language: Language) => void) | undefined
  /** After an expiry. */
  readonly onLogIn: () => void
}

type View = 'wallet' | 'entries' | 'account'

function ShownWallet({ data, api, person, host, door, ...on }: ShownWalletProps) {
  const [state, setState] = useState<LiveState>({ kind: 'loading' })
  const [view, setView] = useState<View>('wallet')
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
  const brand = data.brand ?? say('wallet.title')
  if (view !== 'wallet')
    return (
      <LatePart
        name={view}
        {...{ person, brand, data }}
        onBack={() => setView('wallet')}
        onLeave={on.onLeave}
      />
    )
  return (
    <WalletView
      state={state}
      data={data}
      isReopened={on.isReopened}
      onReload={() => live.retry()}
      onView={setView}
      onSwitch={() => on.onLeave(say('signIn.switched'))}
      onLanguage={on.onLanguage}
      // A page by itself has nobody to ask for a window.
      onTopUp={() =>
        isFramed() ? postToParent({ type: 'SERVICE_OPEN_TOPUP' }, data) : door.open()
      }
      onTopUpHere={() => door.open()}
    />
  )
}
