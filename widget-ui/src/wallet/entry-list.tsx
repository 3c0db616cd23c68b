/**
 * The last entries, grouped by the person's own days. Each opens to show the balance after it and
 * what the client app wrote to it. A fresh one slides in once.
 */
import { useMemo } from 'preact/hooks'
import type { Formats } from '../shared/formats.js'
import { Icon } from '../shared/icon.js'
import { Moment } from '../shared/moment.js'
import type { WidgetTransaction as Transaction } from '../../../src/http/schemas/answers/widget.js'
import { entryLabel, groupByDay, signedAmount } from './entry-words.js'

export interface EntryListProps {
  readonly entries: readonly Transaction[]
  readonly fresh: readonly Transaction[]
  readonly formats: Formats
}

export function EntryList({ entries, fresh, formats }: EntryListProps) {
  const days = useMemo(
    () => groupByDay(entries, { nowMs: Date.now(), language: navigator.language }),
    [entries],
  )
  if (entries.length === 0)
    return (
      <p class="empty quiet">
        Nothing has happened in this wallet yet. Top up to pay with it for the first time.
      </p>
    )
  const freshIds = new Set(fresh.map(({ id }) => id))
  return (
    <div class="days">
      {days.map(({ key, title, entries: of }) => (
        <section key={key} aria-labelledby={`day-${key}`}>
          <h3 class="day" id={`day-${key}`}>
            {title}
          </h3>
          <ul class="entry-list">
            {of.map((entry) => (
              <li key={entry.id} class={freshIds.has(entry.id) ? 'entry entry-fresh' : 'entry'}>
                <EntryRow entry={entry} formats={formats} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function EntryRow({ entry, formats }: { entry: Transaction; formats: Formats }) {
  const { appName, createdAt, type, description, referenceId, balanceAfter } = entry
  return (
    <details>
      <summary>
        <span class="entry-what">
          <span class="entry-label">{entryLabel(entry)}</span>
          <span class="entry-about quiet small">
            {appName !== null && <>{appName} · </>}
            <Moment at={createdAt} />
          </span>
        </span>
        <span class={type === 'credit' ? 'amount amount-in' : 'amount'}>
          {formats.signedMoney(signedAmount(entry))}
        </span>
        <Icon name="down" isSmall />
      </summary>
      <dl class="entry-more small">
        <dt class="quiet">Balance after</dt>
        <dd class="amount">{formats.money(balanceAfter)}</dd>
        {description !== null && description !== '' && (
          <>
            <dt class="quiet">Note</dt>
            <dd class="entry-note">{description}</dd>
          </>
        )}
        {referenceId !== null && (
          <>
            <dt class="quiet">Reference</dt>
            <dd class="fixed">{referenceId}</dd>
          </>
        )}
      </dl>
    </details>
  )
}

/** As high as the rows that come. */
export function EntrySkeletons() {
  return (
    <div class="days" aria-hidden="true">
      <div>
        <p class="day">&nbsp;</p>
        <ul class="entry-list">
          {[0, 1, 2, 3].map((row) => (
            <li key={row} class="entry entry-skeleton">
              <span class="skeleton">&nbsp;</span>
              <span class="skeleton">&nbsp;</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
