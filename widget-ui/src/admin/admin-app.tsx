/**
 * The admin area as a whole: login, the side bar that folds on a phone, and the page that the
 * address names. Promises: a session that ends loses nothing that was typed.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Announcer } from '../shared/announcer.js'
import { Dialog } from '../shared/dialog.js'
import { Icon, type IconName } from '../shared/icon.js'
import { Badge, Notice } from '../shared/notice.js'
import { ClientAppPage } from './client-app.js'
import { NewClientAppPage } from './client-app-form.js'
import { ClientAppsPage } from './client-apps.js'
import { ExplainPage } from './explain.js'
import { LoginForm, LoginPage } from './login.js'
import { LogPage } from './log.js'
import { OverviewPage } from './overview.js'
import { Page } from './page.js'
import { Link, useRoute, type Route } from './router.js'
import { SessionContext, useSessionControl, type Session, type SessionControl } from './session.js'
import { WalletPage } from './wallet.js'
import { WebhookPage } from './webhook.js'
import { WalletsPage } from './wallets.js'

export function AdminApp() {
  const control = useSessionControl()
  const { api, state, session, check } = control
  if (session === undefined) {
    if (state.kind === 'signed-out') return <LoginPage api={api} onLogin={check} />
    if (state.kind === 'unreachable') return <Unreachable text={state.text} onRetry={check} />
    return <p class="unseen">Loading the admin area.</p>
  }
  return (
    <SessionContext.Provider value={session}>
      <Frame session={session} onLogout={() => void control.logout()} />
      {state.kind === 'expired' && <LoginAgain control={control} />}
      <Announcer />
    </SessionContext.Provider>
  )
}

function Unreachable({ text, onRetry }: { text: string; onRetry: () => Promise<void> }) {
  return (
    <main class="login">
      <h1>Wallet admin</h1>
      <Notice kind="danger" action={{ label: 'Try again', run: () => void onRetry() }}>
        {text}
      </Notice>
    </main>
  )
}

function LoginAgain({ control }: { control: SessionControl }) {
  return (
    <Dialog title="Your session has ended">
      <p>Log in again to go on. What you typed on this page is still there.</p>
      <LoginForm api={control.api} onLogin={control.check} />
    </Dialog>
  )
}

function Frame({ session, onLogout }: { session: Session; onLogout: () => void }) {
  const route = useRoute()
  const [isOpen, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  useEffect(() => setOpen(false), [route.page])
  const skip = (event: Event) => {
    event.preventDefault()
    main.current?.focus()
  }
  return (
    <div
      class={isOpen ? 'frame frame-open' : 'frame'}
      onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
    >
      <a class="skip button" href="#content" onClick={skip}>
        Skip to the content
      </a>
      <header class="bar">
        <div class="bar-brand">
          <Icon name="wallet" />
          <strong>Wallet admin</strong>
        </div>
        <button
          class="button button-bare bar-menu"
          type="button"
          aria-expanded={isOpen}
          aria-controls="side"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'close' : 'menu'} />
          Menu
        </button>
        <div class="side" id="side">
          <Navigation route={route} />
          <Person session={session} onLogout={onLogout} />
        </div>
      </header>
      <main class="content" id="content" ref={main} tabIndex={-1}>
        <CurrentPage route={route} />
      </main>
    </div>
  )
}

const places: readonly { route: Route; name: string; icon: IconName; under: string[] }[] = [
  { route: { page: 'overview' }, name: 'Overview', icon: 'overview', under: ['overview'] },
  {
    route: { page: 'client-apps' },
    name: 'Client apps',
    icon: 'apps',
    under: ['client-apps', 'client-app', 'new-client-app', 'webhook'],
  },
  {
    route: { page: 'wallets' },
    name: 'Wallets',
    icon: 'wallet',
    under: ['wallets', 'wallet', 'explain'],
  },
  { route: { page: 'log' }, name: 'Log', icon: 'log', under: ['log'] },
]

function Navigation({ route }: { route: Route }) {
  return (
    <nav aria-label="Admin area">
      <ul>
        {places.map((place) => (
          <li key={place.name}>
            <Link to={place.route} class="place" isCurrent={place.under.includes(route.page)}>
              <Icon name={place.icon} />
              {place.name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Person({ session, onLogout }: { session: Session; onLogout: () => void }) {
  const { admin, environment } = session.me
  return (
    <div class="person">
      <p class="person-name">{admin.email}</p>
      <p class="actions">
        <Badge kind="plain">{admin.role === 'auditor' ? 'Auditor, reads only' : 'Admin'}</Badge>
        {environment !== 'production' && <Badge kind="warning">{environment}</Badge>}
      </p>
      <button class="button" type="button" onClick={onLogout}>
        <Icon name="leave" isSmall />
        Log out
      </button>
    </div>
  )
}

function CurrentPage({ route }: { route: Route }) {
  switch (route.page) {
    case 'overview':
      return <OverviewPage />
    case 'client-apps':
      return <ClientAppsPage />
    case 'new-client-app':
      return <NewClientAppPage />
    case 'client-app':
      return <ClientAppPage key={route.clientId} clientId={route.clientId} />
    case 'webhook':
      return <WebhookPage key={route.endpointId} {...route} />
    case 'wallets':
      return <WalletsPage />
    case 'wallet':
      return <WalletPage key={route.walletId} walletId={route.walletId} />
    case 'explain':
      return <ExplainPage key={route.walletId} walletId={route.walletId} />
    case 'log':
      return <LogPage />
    case 'unknown':
      return (
        <Page title="There is nothing at this address">
          <p>
            The link may be old. <Link to={{ page: 'overview' }}>Go to the overview</Link>
          </p>
        </Page>
      )
  }
}
