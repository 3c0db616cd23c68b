/**
 * Sign-up and login: one card, two tabs, and behind a link the way to a new password. Promises:
 * what was typed is kept over errors and tabs; an error stands beside the field it belongs to, and
 * the first such field gets the focus; a double click sends once. Each time it appears the host
 * page is told SERVICE_AUTH_REQUIRED. Never: tells more about who has an account than the service.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Notice } from '../shared/notice.js'
import type { Welcome as LoggedIn } from '../../../src/http/schemas/answers/widget.js'
import type { WidgetApi } from '../widget/api.js'
import { postToParent } from '../widget/messages.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { ServiceFoot } from '../widget/service-foot.js'
import type { Language } from '../words/languages.js'
import { say } from '../words/say.js'
import { ForgottenPassword } from './forgotten-password.js'
import { LanguageField } from './language-field.js'
import { LoginForm, SignUpForm, type Typed } from './sign-in-forms.js'

export interface SignInProps {
  readonly api: WidgetApi
  readonly data: PageData
  /** Why they are asked, such as that they have just left another account. */
  readonly told: string | undefined
  readonly onLogin: (answer: LoggedIn) => void
  /** Missing where the host page has chosen the language. */
  readonly onLanguage: ((language: Language) => void) | undefined
}

type Tab = 'login' | 'sign-up'
const tabs = [
  { name: 'login', label: 'signIn.logIn' },
  { name: 'sign-up', label: 'signIn.signUp' },
] as const

export function SignIn({ api, data, told, onLogin, onLanguage }: SignInProps) {
  const [tab, setTab] = useState<Tab>('login')
  const [isForgotten, setForgotten] = useState(false)
  const [typed, setTyped] = useState<Typed>({
    email: '',
    password: '',
    firstName: '',
    lastName: '',
  })
  useEffect(() => postToParent({ type: 'SERVICE_AUTH_REQUIRED' }, data), [])
  const brand = data.brand ?? say('wallet.title')
  const form = {
    api,
    clientId: data.clientId ?? '',
    typed,
    onTyped: (change: Partial<Typed>) => setTyped((now) => ({ ...now, ...change })),
    onLogin,
  }
  return (
    <main class="page">
      <div class="card">
        <div class="sign-in-lead">
          <h1>{say('signIn.title', { brand })}</h1>
          <p class="quiet">{say('signIn.why', { brand })}</p>
        </div>
        {told !== undefined && <Notice kind="info">{told}</Notice>}
        {isForgotten ? (
          <ForgottenPassword
            api={api}
            brand={brand}
            sendsMail={data.sendsMail}
            support={data.service.support}
            email={typed.email}
            onEmail={(email) => form.onTyped({ email })}
            onBack={() => setForgotten(false)}
          />
        ) : (
          <>
            <Tabs tab={tab} onTab={setTab} />
            <div role="tabpanel" id="sign-in-panel" aria-labelledby={`tab-${tab}`}>
              {tab === 'login' ? (
                <LoginForm {...form} onForgotten={() => setForgotten(true)} />
              ) : (
                <SignUpForm {...form} onHasAccount={() => setTab('login')} />
              )}
            </div>
          </>
        )}
        {onLanguage !== undefined && <LanguageField onLanguage={onLanguage} />}
        <ServiceFoot data={data} />
      </div>
    </main>
  )
}

/** Arrow keys go from tab to tab, as everywhere; the Tab key goes on to the form. */
function Tabs({ tab, onTab }: { tab: Tab; onTab: (tab: Tab) => void }) {
  const buttons = useRef(new Map<Tab, HTMLButtonElement | null>())
  const choose = (name: Tab) => {
    onTab(name)
    buttons.current.get(name)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isArrow = event.key === 'ArrowLeft' || event.key === 'ArrowRight'
    if (!isArrow) return
    event.preventDefault()
    choose(tab === 'login' ? 'sign-up' : 'login')
  }
  return (
    <div class="tabs" role="tablist" aria-label={say('signIn.tabs')} onKeyDown={onKeyDown}>
      {tabs.map(({ name, label }) => (
        <button
          key={name}
          ref={(button) => void buttons.current.set(name, button)}
          class="tab"
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={tab === name}
          aria-controls="sign-in-panel"
          tabIndex={tab === name ? 0 : -1}
          onClick={() => choose(name)}
        >
          {say(label)}
        </button>
      ))}
    </div>
  )
}
