/**
 * "Explain this balance": a wallet's events on a time line. A slider goes from one to the next, and
 * for each it says the balance before and after and the rule that applied; a chart shows where one
 * is. What is shown comes from the wallet's stream itself. Earlier events come by cursor and are
 * added in front; the chosen one stays chosen.
 */
import { useId, useState } from 'preact/hooks'
import { SpokenOnly } from '../shared/spoken-only.js'
import { Button } from '../shared/button.js'
import { Chart } from '../shared/chart.js'
import { DataTable, type Column } from '../shared/data-table.js'
import { exactTime, type Formats } from '../shared/formats.js'
import { Moment } from '../shared/moment.js'
import { Badge, Notice } from '../shared/notice.js'
import type { EventsPage, ExplainedEvent } from '../../../src/http/schemas/answers/admin.js'
import { Page, Waiting } from './page.js'
import { useSession } from './session.js'
import { entryName } from './wallet-parts.js'
import { useAct, useLoaded } from './work.js'
import './explain.css'

export function ExplainPage({ walletId }: { walletId: string }) {
  const { api } = useSession()
  const loaded = useLoaded(() => api.events(walletId), [api, walletId])
  const page = loaded.value
  const up = { to: { page: 'wallet', walletId }, name: 'The wallet' } as const
  if (loaded.failure?.code === 'NOT_FOUND')
    return (
      <Page title="Unknown wallet" up={{ to: { page: 'wallets' }, name: 'Wallets' }}>
        <Notice kind="warning">There is no wallet with this id.</Notice>
      </Page>
    )
  return (
    <Page title="Explain this balance" up={up}>
      {page === undefined && <Waiting loaded={loaded} rows={10} />}
      {page !== undefined && page.divergence !== null && (
        <Notice kind="danger">
          The stream is not what the rules would have written: {page.divergence.place}{' '}
          {page.divergence.problem}. Nothing from there on is explained. Run{' '}
          <code>audit verify</code>.
        </Notice>
      )}
      {page?.events.length === 0 && page.divergence === null && (
        <div class="card empty">
          <p>Nothing has happened to this wallet yet, so its balance is zero.</p>
        </div>
      )}
      {page !== undefined && page.events.length > 0 && (
        <TimeLine page={page} onMore={loaded.replace} />
      )}
    </Page>
  )
}

function TimeLine({ page, onMore }: { page: EventsPage; onMore: (page: EventsPage) => void }) {
  const events = page.events.toReversed()
  const [revision, setRevision] = useState<number>()
  const found = events.findIndex((event) => event.revision === revision)
  const index = found === -1 ? events.length - 1 : found
  const chosen = events[index]
  if (chosen === undefined) return null
  const choose = (next: number) => setRevision(events[next]?.revision)
  return (
    <>
      <section class="card" aria-labelledby="step">
        <h2 id="step" class="unseen">
          The chosen event
        </h2>
        <Slider events={events} index={index} onIndex={choose} />
        <FoldStep event={chosen} />
      </section>
      <BalanceChart events={events} index={index} />
      <AllEvents page={page} onMore={onMore} onChosen={setRevision} />
    </>
  )
}

interface SliderProps {
  events: readonly ExplainedEvent[]
  index: number
  onIndex: (index: number) => void
}

function Slider({ events, index, onIndex }: SliderProps) {
  const { formats } = useSession()
  const id = useId()
  const last = events.length - 1
  const [first, chosen, newest] = [events[0], events[index], events[last]]
  if (first === undefined || chosen === undefined || newest === undefined) return null
  const words = [
    `Event ${chosen.revision}`,
    eventName(chosen),
    exactTime(chosen.time),
    `balance ${formats.money(chosen.balanceAfter)}`,
  ].join(', ')
  return (
    <div class="time-line">
      <label for={id}>
        Event {formats.count(chosen.revision)} of {formats.count(newest.revision)}
      </label>
      <div class="time-line-slider">
        <Button onClick={() => onIndex(Math.max(0, index - 1))}>Earlier</Button>
        <input
          id={id}
          type="range"
          min={0}
          max={last}
          step={1}
          value={index}
          aria-valuetext={words}
          onInput={(event) => onIndex(Number(event.currentTarget.value))}
        />
        <Button onClick={() => onIndex(Math.min(last, index + 1))}>Later</Button>
      </div>
      <div class="time-line-ends quiet small" aria-hidden="true">
        <span>{exactTime(first.time)}</span>
        <span>{exactTime(newest.time)}</span>
      </div>
    </div>
  )
}

function FoldStep({ event }: { event: ExplainedEvent }) {
  const { formats } = useSession()
  const change = event.balanceAfter - event.balanceBefore
  return (
    <div class="fold">
      <h3>
        {eventName(event)} <Outcome event={event} />
      </h3>
      <dl class="fold-sum">
        <div>
          <dt>Before</dt>
          <dd class="amount">{formats.money(event.balanceBefore)}</dd>
        </div>
        <div>
          <dt>Change</dt>
          <dd class={change > 0 ? 'amount amount-in' : 'amount'}>
            {change === 0 ? 'none' : formats.signedMoney(change)}
          </dd>
        </div>
        <div>
          <dt>After</dt>
          <dd class="amount">{formats.money(event.balanceAfter)}</dd>
        </div>
      </dl>
      <p class="fold-rule">
        <strong>Rule:</strong> {event.rule}
      </p>
      <dl class="facts">
        <dt>Time</dt>
        <dd>
          {exactTime(event.time)} <span class="quiet">({event.time})</span>
        </dd>
        <dt>From</dt>
        <dd>{event.appName ?? 'the service'}</dd>
        {event.referenceType !== null && <dt>Reference</dt>}
        {event.referenceType !== null && (
          <dd class="fixed">
            {event.referenceType} {event.referenceId}
          </dd>
        )}
        {event.description !== null && <dt>Text</dt>}
        {event.description !== null && <dd>{event.description}</dd>}
        <dt>Event id</dt>
        <dd class="fixed">{event.eventId}</dd>
        <dt>Hash</dt>
        <dd class="fixed">{event.hash}</dd>
      </dl>
    </div>
  )
}

function Outcome({ event }: { event: ExplainedEvent }) {
  if (event.outcome === 'declined')
    return (
      <Badge kind="danger" icon="refuse">
        Declined
      </Badge>
    )
  if (event.outcome === 'recorded') return <Badge kind="plain">No money asked for</Badge>
  return (
    <Badge kind="good" icon="check">
      Applied
    </Badge>
  )
}

function BalanceChart({ events, index }: { events: readonly ExplainedEvent[]; index: number }) {
  const { formats } = useSession()
  const nameOf = (revision: string) => `Event ${formats.count(Number(revision))}`
  return (
    <Chart
      title="Balance"
      unit={`${formats.currency.code.toUpperCase()} after each event`}
      days={events.map(({ revision }) => String(revision))}
      row={{ one: 'Event', many: 'events', nameOf, marked: index }}
      series={[
        { name: 'Balance', values: events.map((event) => event.balanceAfter), shape: 'line' },
      ]}
      smallestStep={10 ** -formats.currency.decimals}
      format={formats.money}
      formatAxis={formats.axisMoney}
    />
  )
}

interface AllEventsProps {
  page: EventsPage
  onMore: (page: EventsPage) => void
  onChosen: (revision: number) => void
}

function AllEvents({ page, onMore, onChosen }: AllEventsProps) {
  const { api, formats } = useSession()
  const act = useAct()
  const [spoken, setSpoken] = useState('')
  const more = () =>
    act.run(async () => {
      const earlier = await api.events(page.walletId, page.nextCursor)
      const divergence = page.divergence ?? earlier.divergence
      onMore({ ...earlier, divergence, events: [...page.events, ...earlier.events] })
      setSpoken(`${earlier.events.length} earlier events added.`)
    })
  const choose = (revision: number) => {
    onChosen(revision)
    document.querySelector<HTMLElement>('.time-line input')?.focus()
  }
  return (
    <section aria-labelledby="all-events">
      <h2 id="all-events">Events</h2>
      <SpokenOnly text={spoken} />
      <DataTable
        caption="Events, newest first"
        columns={columnsFor(formats, choose)}
        rows={page.events}
        keyOf={({ revision }) => String(revision)}
      />
      {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
      {page.nextCursor !== undefined && (
        <div class="more">
          <Button isBusy={act.isBusy} onClick={more}>
            Load earlier events
          </Button>
        </div>
      )}
    </section>
  )
}

function columnsFor(
  formats: Formats,
  onChosen: (revision: number) => void,
): Column<ExplainedEvent>[] {
  return [
    {
      name: 'Event',
      isHead: true,
      cell: (event) => (
        <>
          <button type="button" class="event-link" onClick={() => onChosen(event.revision)}>
            {formats.count(event.revision)} · {eventName(event)}
          </button>
          <small>{event.rule}</small>
        </>
      ),
    },
    { name: 'Time', cell: ({ time }) => <Moment at={time} /> },
    {
      name: 'Balance after',
      isNumber: true,
      cell: ({ balanceAfter }) => <span class="amount">{formats.money(balanceAfter)}</span>,
    },
  ]
}

function eventName({ event, referenceType }: ExplainedEvent): string {
  if (event === 'WalletOpened') return 'Wallet opened'
  if (event === 'WalletDeactivated') return 'Wallet deactivated'
  if (event === 'WalletReactivated') return 'Wallet reactivated'
  return entryName({ event, referenceType: referenceType ?? '' })
}
