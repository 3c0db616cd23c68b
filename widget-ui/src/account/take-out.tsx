/** What a person takes home: a statement of the chosen time, and the proof of the whole wallet. */
import type { Person } from '../widget/person.js'
import { currentSpeech, say, sayAround } from '../words/say.js'
import type { Period } from './periods.js'
import { SaveActs } from './person-act.js'

export interface TakeOutProps {
  readonly person: Person
  readonly brand: string
  readonly period: Period
}

export function TakeOut({ person, brand, period }: TakeOutProps) {
  const statement = (format: 'pdf' | 'csv') => () =>
    person.file('/api/widget/account/statement', { format, ...period, ...writingOf() })
  const page = (
    <a href="/audit/verify" target="_blank" rel="noopener">
      {say('take.page')}
    </a>
  )
  return (
    <section class="card" aria-labelledby="take-title">
      <h2 id="take-title">{say('take.title')}</h2>
      <p class="quiet">{say('take.means')}</p>
      <SaveActs
        person={person}
        brand={brand}
        acts={[
          { label: say('take.pdf'), fetch: statement('pdf') },
          { label: say('take.csv'), fetch: statement('csv') },
          { label: say('take.proof'), fetch: () => person.file('/api/widget/account/proof') },
        ]}
      />
      <p class="quiet small">{sayAround('take.proofMeans', { page })}</p>
    </section>
  )
}

/** As the page itself is written. */
export function writingOf(): { readonly language: string; readonly timeZone: string } {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return { language: currentSpeech().language, timeZone }
}
