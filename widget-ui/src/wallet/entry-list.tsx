/**
 * What is pending, and the last entries grouped by the person's own days. Each opens to show the
 * balance after it, its kind and its reference. A fresh one slides in once. What other apps booked
 * looks the same whoever made the session, with a word on what is hidden and why.
 */
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Formats } from '../shared/formats.js'
import { Icon } from '../shared/icon.js'
import { pageLanguage } from '../shared/page-language.js'
import { Moment } from '../shared/moment.js'
import { say } from '../words/say.js'
import type {
  WidgetTransaction as Transaction,
  WidgetWallet as Wallet,
} from '../../../src/http/schemas/answers/widget.js'
import { entryLabel, entryTitle, groupByDay, signedAmount, type OwnedEntry } from './entry-words.js'

export interface EntryListProps {
  readonly entries: readonly OwnedEntry[]
  readonly pending: Wallet['pendingTopUps']
  readonly fresh: readonly Transaction[]
  readonly brand: string
  readonly formats: Formats
  /** What can be done with an entry, among its details. */
  readonly act?: (entry: OwnedEntry) => ComponentChildren
}

export function EntryList({ entries, pending, fresh, brand, formats, act }: EntryListProps) {
  const language = pageLanguage()
  const days = useMemo(
    () => groupByDay(entries, { nowMs: Date.now(), language }),
    [entries, language],
  )
  if (entries.length === 0 && pending.length === 0)
    return <p class="empty quiet">{say('entry.none')}</p>
  const freshIds = new Set(fresh.map(({ id }) => id))
  return (
    <div class="days">
      {pending.length > 0 && <PendingList pending={pending} formats={formats} />}
      {days.map(({ key, title, entries: of }) => (
        <section key={key} aria-labelledby={`day-${key}`}>
          <h3 class="day" id={`day-${key}`}>
            {title}
          </h3>
          <ul class="entry-list">
            {of.map((entry) => (
              <li key={entry.id} class={freshIds.has(entry.id) ? 'entry entry-fresh' : 'entry'}>
                <EntryRow entry={entry} brand={brand} formats={formats} act={act} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {entries.some(({ isOtherApp }) => isOtherApp) && (
        <p class="quiet small other-apps">{say('entry.otherApps', { brand })}</p>
      )}
    </div>
  )
}

/** No entries yet: the money is on its way and in no balance. */
function PendingList({ pending, formats }: Pick<EntryListProps, 'pending' | 'formats'>) {
  return (
    <section aria-labelledby="pending-title">
      <h3 class="day" id="pending-title">
        {say('entry.processing')}
      </h3>
      <ul class="entry-list">
        {pending.map(({ paymentIntentId, amount, createdAt }) => (
          <li key={paymentIntentId} class="entry entry-pending">
            <Row
              title={say('entry.topUp')}
              about={
                <>
                  <Icon name="clock" isSmall />
                  {say('entry.processing')} · <Moment at={createdAt} />
                </>
              }
              amount={<span class="amount quiet">{formats.signedMoney(amount)}</span>}
            >
              <dt class="quiet">{say('entry.state')}</dt>
              <dd>{say('entry.atBank')}</dd>
              <Reference id={paymentIntentId} />
            </Row>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface EntryRowProps {
  readonly entry: OwnedEntry
  readonly brand: string
  readonly formats: Formats
  readonly act: EntryListProps['act']
}

function EntryRow({ entry, brand, formats, act }: EntryRowProps) {
  const { appName, createdAt, type, description, referenceId, balanceAfter, isOtherApp } = entry
  const title = entryTitle(entry)
  const kind = entryLabel(entry)
  const about = isOtherApp ? [] : [title === kind ? undefined : kind, appName]
  const hasNote = description !== null && description !== '' && isOtherApp
  return (
    <Row
      title={title}
      about={
        <>
          {about.filter(Boolean).map((word) => `${word} · `)}
          <Moment at={createdAt} />
        </>
      }
      amount={
        <span class={type === 'credit' ? 'amount amount-in' : 'amount'}>
          {formats.signedMoney(signedAmount(entry))}
        </span>
      }
      act={act?.(entry)}
    >
      <dt class="quiet">{say('entry.balanceAfter')}</dt>
      <dd class="amount">{formats.money(balanceAfter)}</dd>
      {isOtherApp && <OtherApp appName={appName} kind={kind} brand={brand} />}
      {hasNote && (
        <>
          <dt class="quiet">{say('entry.whatFor')}</dt>
          <dd class="entry-note">{description}</dd>
        </>
      )}
      {referenceId !== null && <Reference id={referenceId} />}
    </Row>
  )
}

/** In full only to the person who has logged in here: a session of the app is the app's too. */
function OtherApp(of: { appName: string | null; kind: string; brand: string }) {
  return of.appName === null ? (
    <>
      <dt class="quiet">{say('entry.details')}</dt>
      <dd>{say('entry.hidden', { brand: of.brand })}</dd>
    </>
  ) : (
    <>
      <dt class="quiet">{say('entry.app')}</dt>
      <dd>{say('entry.seenByYou', { app: of.appName, kind: of.kind, brand: of.brand })}</dd>
    </>
  )
}

function Reference({ id }: { id: string }) {
  return (
    <>
      <dt class="quiet">{say('entry.reference')}</dt>
      <dd class="fixed">{id}</dd>
    </>
  )
}

interface RowProps {
  readonly title: string
  readonly about: ComponentChildren
  readonly amount: ComponentChildren
  /** The details. */
  readonly children: ComponentChildren
  readonly act?: ComponentChildren
}

function Row({ title, about, amount, children, act }: RowProps) {
  return (
    <details>
      <summary>
        <span class="entry-what">
          <span class="entry-label">{title}</span>
          <span class="entry-about quiet small">{about}</span>
        </span>
        {amount}
        <Icon name="down" isSmall />
      </summary>
      <dl class="entry-more small">{children}</dl>
      {act !== undefined && <div class="entry-act">{act}</div>}
    </details>
  )
}

/** As high as the rows that come. */
export function EntrySkeletons({ rows = 1 }: { readonly rows?: number }) {
  return (
    <div class="days" aria-hidden="true">
      <div>
        <p class="day">&nbsp;</p>
        <ul class="entry-list">
          {Array.from({ length: rows }, (_, row) => (
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
