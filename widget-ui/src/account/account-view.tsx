/**
 * A person's own account, behind their password: who they are, where they are logged in, which apps
 * are linked, their data, and the end. Promises: each part says what it does before it does it, and
 * what was done after; what changes is read anew from the service.
 * States: locked (the password is asked for) → loading → shown, or failed with one button.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Account } from '../../../src/http/schemas/answers/account.js'
import type { Formats } from '../shared/formats.js'
import { Notice } from '../shared/notice.js'
import { asFailure } from '../widget/api.js'
import type { Person } from '../widget/person.js'
import { say } from '../words/say.js'
import { AppsCard } from './apps-card.js'
import { CardsCard } from './cards-card.js'
import { ClosingCard } from './closing-card.js'
import { PasswordGate, SaveActs } from './person-act.js'
import { PasswordCard } from './password-card.js'
import { PlacesCard } from './places-card.js'
import { ProfileCard } from './profile-card.js'
import { ViewHead } from './view-head.js'

export interface AccountViewProps {
  readonly person: Person
  readonly brand: string
  readonly formats: Formats
  /** Whom to ask: support, or the app of this page. */
  readonly contact: string
  readonly onBack: () => void
  /** The app of this page was unlinked. */
  readonly onUnlinked: () => void
  readonly onClosed: (erasedAt: string) => void
}

type State =
  | { readonly kind: 'locked' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'shown'; readonly account: Account }
  | { readonly kind: 'failed'; readonly text: string }

export function AccountView(props: AccountViewProps) {
  const { person, brand, formats, contact, onBack, ...on } = props
  const [state, setState] = useState<State>({ kind: person.isOpen ? 'loading' : 'locked' })
  const load = async (): Promise<void> => {
    try {
      const account = await person.call<Account>('GET', '/api/widget/account')
      setState({ kind: 'shown', account })
    } catch (error) {
      const text = asFailure(error).message
      setState(person.isOpen ? { kind: 'failed', text } : { kind: 'locked' })
    }
  }
  const open = (): void => {
    setState({ kind: 'loading' })
    void load()
  }
  useEffect(() => {
    if (state.kind === 'loading') void load()
  }, [])
  const parts = { person, brand, onChanged: () => void load() }
  return (
    <main class="page account-page" aria-busy={state.kind === 'loading'}>
      <section class="card">
        <ViewHead title={say('menu.yourAccount')} onBack={onBack} />
        {state.kind === 'locked' && <PasswordGate person={person} brand={brand} onOpen={open} />}
        {state.kind === 'failed' && (
          <Notice kind="danger" action={{ label: say('act.tryAgain'), run: open }}>
            {state.text}
          </Notice>
        )}
        {state.kind === 'loading' && <span class="skeleton account-skeleton">&nbsp;</span>}
      </section>
      {state.kind === 'shown' && (
        <>
          <ProfileCard account={state.account} {...parts} />
          <PasswordCard {...parts} />
          <CardsCard {...parts} formats={formats} />
          <PlacesCard account={state.account} {...parts} />
          <AppsCard account={state.account} {...parts} onUnlinkedHere={on.onUnlinked} />
          <section class="card" aria-labelledby="data-title">
            <h2 id="data-title">{say('account.data')}</h2>
            <SaveActs
              person={person}
              brand={brand}
              acts={[
                {
                  label: say('account.export'),
                  fetch: () => person.file('/api/widget/account/export'),
                },
              ]}
            />
          </section>
          <ClosingCard {...parts} formats={formats} contact={contact} onClosed={on.onClosed} />
        </>
      )}
    </main>
  )
}
