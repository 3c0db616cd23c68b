/**
 * All entries of the wallet: searched, filtered and in pages, each with its receipt; and what can
 * be taken home, a statement of the chosen time and the proof. Promises: what was typed is looked
 * for after a short pause, and only the newest answer is drawn.
 * States of the list: loading → shown (→ loading more), or failed with one button.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { EntriesPage } from '../../../src/http/schemas/answers/account.js'
import { Button } from '../shared/button.js'
import { TextField } from '../shared/field.js'
import type { Formats } from '../shared/formats.js'
import { Notice } from '../shared/notice.js'
import { SpokenOnly } from '../shared/spoken-only.js'
import { EntryList, EntrySkeletons } from '../wallet/entry-list.js'
import { ownedEntries, type OwnedEntry } from '../wallet/entry-words.js'
import { asFailure } from '../widget/api.js'
import type { Person } from '../widget/person.js'
import { say } from '../words/say.js'
import { ChoiceField } from './choice-field.js'
import { periodNames, periodOf, type Days, type PeriodName } from './periods.js'
import { SaveActs } from './person-act.js'
import { TakeOut, writingOf } from './take-out.js'
import { ViewHead } from './view-head.js'

export interface EntriesViewProps {
  readonly person: Person
  readonly brand: string
  readonly formats: Formats
  readonly onBack: () => void
}

interface Wanted {
  readonly search: string
  readonly kind: string
  readonly app: string
  readonly time: PeriodName
  readonly days: Days
}

const nothingWanted: Wanted = {
  search: '',
  kind: '',
  app: '',
  time: 'always',
  days: { first: '', last: '' },
}

export function EntriesView({ person, brand, formats, onBack }: EntriesViewProps) {
  const [wanted, setWanted] = useState<Wanted>(nothingWanted)
  const change = (part: Partial<Wanted>) => setWanted((now) => ({ ...now, ...part }))
  const list = useEntries(person, wanted)
  const { state } = list
  const receipt = (entry: OwnedEntry) => (
    <SaveActs
      person={person}
      brand={brand}
      acts={[
        {
          label: say('take.receipt'),
          fetch: () =>
            person.file('/api/widget/account/receipt', { entryId: entry.id, ...writingOf() }),
        },
      ]}
    />
  )
  return (
    <main class="page">
      <section class="card">
        <ViewHead title={say('list.all')} onBack={onBack} />
        <Filters wanted={wanted} apps={list.apps} onChange={change} />
      </section>
      <TakeOut person={person} brand={brand} period={periodIn(wanted)} />
      <section class="card entries" aria-label={say('list.all')} aria-busy={state === 'loading'}>
        {state === 'loading' && <EntrySkeletons rows={5} />}
        {state === 'failed' && (
          <Notice kind="danger" action={{ label: say('act.tryAgain'), run: list.again }}>
            {list.failure}
          </Notice>
        )}
        {state === 'shown' && list.entries.length === 0 && (
          <p class="empty quiet">{say(isOpen(wanted) ? 'entry.none' : 'list.nothing')}</p>
        )}
        {state === 'shown' && list.entries.length > 0 && (
          <EntryList
            entries={list.entries}
            pending={[]}
            fresh={[]}
            {...{ brand, formats }}
            act={receipt}
          />
        )}
        {list.hasMore && (
          <div class="actions">
            <Button isBusy={list.isLoadingMore} onClick={list.more}>
              {say('list.more')}
            </Button>
          </div>
        )}
      </section>
      <SpokenOnly text={state === 'loading' ? say('list.loading') : ''} />
    </main>
  )
}

interface FiltersProps {
  readonly wanted: Wanted
  readonly apps: EntriesPage['apps']
  readonly onChange: (part: Partial<Wanted>) => void
}

const kinds = ['payment', 'credit', 'topup', 'bonus'] as const

function Filters({ wanted, apps, onChange }: FiltersProps) {
  const { days } = wanted
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <TextField
        label={say('list.search')}
        name="search"
        type="search"
        maxLength={100}
        autocomplete="off"
        value={wanted.search}
        onValue={(search) => onChange({ search })}
      />
      <ChoiceField
        label={say('list.kind')}
        value={wanted.kind}
        choices={[
          ['', say('list.kindAny')],
          ...kinds.map((kind) => [kind, say(`list.${kind}`)] as const),
        ]}
        onValue={(kind) => onChange({ kind })}
      />
      {apps.length > 1 && (
        <ChoiceField
          label={say('entry.app')}
          value={wanted.app}
          choices={[
            ['', say('list.appAny')],
            ...apps.map(({ clientId, name }) => [clientId, name] as const),
          ]}
          onValue={(app) => onChange({ app })}
        />
      )}
      <ChoiceField
        label={say('list.time')}
        value={wanted.time}
        choices={periodNames.map((name) => [name, say(`list.${name}`)] as const)}
        onValue={(time) => onChange({ time: time as PeriodName })}
      />
      {wanted.time === 'ownTime' && (
        <>
          <TextField
            label={say('list.from')}
            name="first"
            type="date"
            value={days.first}
            onValue={(first) => onChange({ days: { ...days, first } })}
          />
          <TextField
            label={say('list.to')}
            name="last"
            type="date"
            value={days.last}
            onValue={(last) => onChange({ days: { ...days, last } })}
          />
        </>
      )}
    </form>
  )
}

function periodIn({ time, days }: Wanted) {
  return periodOf(time, days, new Date())
}

function isOpen({ search, kind, app, time }: Wanted): boolean {
  return search.trim() === '' && kind === '' && app === '' && time === 'always'
}

function queryOf(wanted: Wanted): Record<string, string> {
  const { search, kind, app } = wanted
  const all = { search: search.trim(), kind, app, ...periodIn(wanted) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

/** Between a key and the question: whoever types on is not asked for in between. */
const typingMs = 300

interface Listed {
  readonly state: 'loading' | 'shown' | 'failed'
  readonly entries: readonly OwnedEntry[]
  readonly cursor?: string | undefined
  readonly failure?: string
}

function useEntries(person: Person, wanted: Wanted) {
  const [listed, setListed] = useState<Listed>({ state: 'loading', entries: [] })
  const [apps, setApps] = useState<EntriesPage['apps']>([])
  const [isLoadingMore, setLoadingMore] = useState(false)
  const newest = useRef(0)
  const query = useMemo(() => queryOf(wanted), [wanted])
  const key = JSON.stringify(query)
  const load = async (before: Listed, more: Record<string, string>): Promise<void> => {
    newest.current += 1
    const asked = newest.current
    try {
      const page = await person.read<EntriesPage>('/api/widget/entries', { ...query, ...more })
      if (asked !== newest.current) return
      const entries = [...before.entries, ...ownedEntries(page.entries, page)]
      setListed({ state: 'shown', entries, cursor: page.nextCursor })
      setApps(page.apps)
    } catch (error) {
      if (asked === newest.current)
        setListed({ state: 'failed', entries: [], failure: asFailure(error).message })
    } finally {
      setLoadingMore(false)
    }
  }
  const begin = (): void => {
    setListed({ state: 'loading', entries: [] })
    void load({ state: 'loading', entries: [] }, {})
  }
  useEffect(() => {
    const timer = setTimeout(begin, newest.current === 0 ? 0 : typingMs)
    return () => clearTimeout(timer)
  }, [key])
  const more = (): void => {
    if (listed.cursor === undefined || isLoadingMore) return
    setLoadingMore(true)
    void load(listed, { cursor: listed.cursor })
  }
  const hasMore = listed.cursor !== undefined && listed.state === 'shown'
  return { ...listed, apps, hasMore, isLoadingMore, more, again: begin }
}
