/**
 * The parts of the wallet page that most people never open: all entries, and the account. Loaded
 * when they are asked for, so that the wallet itself stays small.
 * States: loading → shown, or failed with one button.
 */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { formatsFor } from '../shared/formats.js'
import { Notice } from '../shared/notice.js'
import { pageLanguage } from '../shared/page-language.js'
import type { Person } from '../widget/person.js'
import { say } from '../words/say.js'
import { EntrySkeletons } from './entry-list.js'

export interface LatePartProps {
  readonly name: 'entries' | 'account'
  readonly person: Person
  readonly brand: string
  readonly data: PageData
  readonly onBack: () => void
  readonly onLeave: (why: string) => void
}

type Views = typeof import('../account/late-views.js')

export function LatePart({ name, person, brand, data, onBack, onLeave }: LatePartProps) {
  const [views, setViews] = useState<Views | 'failed'>()
  const formats = useMemo(() => formatsFor(data.currency), [data, pageLanguage()])
  const load = (): void => {
    setViews(undefined)
    import('../account/late-views.js').then(setViews, () => setViews('failed'))
  }
  useEffect(load, [])
  if (views === undefined || views === 'failed')
    return (
      <main class="page" aria-busy={views === undefined}>
        <section class="card entries">
          {views === undefined ? (
            <EntrySkeletons rows={5} />
          ) : (
            <Notice kind="danger" action={{ label: say('act.tryAgain'), run: load }}>
              {say('failure.noAnswerUnmoved')}
            </Notice>
          )}
        </section>
      </main>
    )
  const { AccountView, EntriesView } = views
  const parts = { person, brand, formats, onBack }
  if (name === 'entries') return <EntriesView {...parts} />
  return (
    <AccountView
      {...parts}
      contact={data.service.support ?? brand}
      onUnlinked={() => onLeave(say('account.unlinkedHere', { brand }))}
      onClosed={(erasedAt) => onLeave(say('account.closed', { date: dayOf(erasedAt) }))}
    />
  )
}

function dayOf(iso: string): string {
  return new Intl.DateTimeFormat(pageLanguage(), { dateStyle: 'long' }).format(new Date(iso))
}
