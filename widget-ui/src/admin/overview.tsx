/** The overview: the numbers that matter, then 30 days as charts, then what is owed to whom. */
import type { ComponentChildren } from 'preact'
import { Chart } from '../shared/chart.js'
import { DataTable, type Column } from '../shared/data-table.js'
import { duration, type Formats } from '../shared/formats.js'
import { Moment } from '../shared/moment.js'
import { Badge } from '../shared/notice.js'
import type { Day, Movements, Overview, Owed } from '../../../src/http/schemas/answers/admin.js'
import { LostEventsPanel } from './lost-events.js'
import { LoadFailure, Page } from './page.js'
import { Link } from './router.js'
import { useSession } from './session.js'
import { useLoaded } from './work.js'

/** The health page calls it degraded from here on. */
const lagDegradedMs = 10_000

export function OverviewPage() {
  const { api } = useSession()
  const loaded = useLoaded(() => api.overview(), [api])
  return (
    <Page title="Overview">
      <LoadFailure loaded={loaded} />
      {loaded.value === undefined ? (
        loaded.failure === undefined && <OverviewSkeleton />
      ) : (
        <>
          <LostEventsPanel start={loaded.value.lostEvents} />
          <Numbers overview={loaded.value} />
        </>
      )}
    </Page>
  )
}

function OverviewSkeleton() {
  return (
    <div aria-busy="true">
      <p class="unseen">Loading the numbers.</p>
      <div class="numbers" aria-hidden="true">
        {['held', 'volume', 'declines', 'lag', 'integrity', 'wallets'].map((name) => (
          <span key={name} class="skeleton skeleton-number" />
        ))}
      </div>
      <div class="charts" aria-hidden="true">
        {['volume', 'held', 'declines'].map((name) => (
          <span key={name} class="skeleton skeleton-chart" />
        ))}
      </div>
    </div>
  )
}

function Numbers({ overview }: { overview: Overview }) {
  const { formats } = useSession()
  const { today, wallets, projectionLagMs } = overview
  const isLagging = projectionLagMs > lagDegradedMs
  return (
    <>
      <dl class="numbers">
        <KeyNumber name="Held balance" note="What all wallets hold together">
          {formats.money(overview.heldBalance)}
        </KeyNumber>
        <KeyNumber name="Volume today" note={movementsInWords(today, formats)}>
          {formats.money(moneyIn(today) + moneyOut(today))}
        </KeyNumber>
        <KeyNumber name="Declines today" note={declinesInWords(today, formats)}>
          {formats.count(today.declines.count)}
        </KeyNumber>
        <KeyNumber
          name="Projection lag"
          note={
            isLagging ? (
              <Badge kind="warning" icon="alert">
                Behind: these numbers are old
              </Badge>
            ) : (
              <Badge kind="good" icon="check">
                Up to date
              </Badge>
            )
          }
        >
          {duration(projectionLagMs)}
        </KeyNumber>
        <Integrity check={overview.integrity} />
        <KeyNumber name="Wallets" note={`${formats.count(wallets.inactive)} inactive`}>
          {formats.count(wallets.count)}
        </KeyNumber>
      </dl>
      <Charts days={overview.days} />
      <OwedTable owed={overview.owed} />
    </>
  )
}

/** How the last check of the whole ledger against its streams ended. */
function Integrity({ check }: { check: Overview['integrity'] }) {
  const { formats } = useSession()
  if (check === null)
    return (
      <KeyNumber name="Last integrity check" note="The first one is under way">
        Not yet
      </KeyNumber>
    )
  const { divergence } = check
  return (
    <KeyNumber
      name="Last integrity check"
      note={
        divergence === null ? (
          <Badge kind="good" icon="check">
            {formats.counted(check.events, 'event agrees', 'events agree')}
          </Badge>
        ) : (
          <Badge kind="danger" icon="alert">
            {`${divergence.place}: ${divergence.problem}`}
          </Badge>
        )
      }
    >
      <Moment at={check.endedAt} />
    </KeyNumber>
  )
}

interface KeyNumberProps {
  name: string
  note: ComponentChildren
  children: ComponentChildren
}

function KeyNumber({ name, note, children }: KeyNumberProps) {
  return (
    <div class="card number">
      <dt>{name}</dt>
      <dd class="number-value amount">{children}</dd>
      <dd class="number-note">{note}</dd>
    </div>
  )
}

function Charts({ days }: { days: readonly Day[] }) {
  const { formats } = useSession()
  const names = days.map(({ day }) => day)
  const code = formats.currency.code.toUpperCase()
  const money = {
    days: names,
    format: formats.money,
    formatAxis: formats.axisMoney,
    smallestStep: 10 ** -formats.currency.decimals,
  }
  return (
    <section aria-labelledby="days">
      <h2 id="days">The last 30 days</h2>
      <div class="charts">
        <Chart
          {...money}
          title="Volume"
          unit={`${code} a day (UTC)`}
          formatAxis={(value) => formats.axisMoney(Math.abs(value))}
          series={[
            { name: 'In', values: days.map(moneyIn), shape: 'bar' },
            { name: 'Out', values: days.map(moneyOut), shape: 'bar-below' },
          ]}
        />
        <Chart
          {...money}
          title="Balance held"
          unit={`${code} at the end of each day (UTC)`}
          series={[{ name: 'Held', values: days.map((day) => day.heldBalance), shape: 'line' }]}
        />
        <Chart
          title="Declines"
          unit="Declined commands a day (UTC)"
          days={names}
          format={formats.count}
          formatAxis={formats.count}
          smallestStep={1}
          series={[
            { name: 'Declines', values: days.map(({ declines }) => declines.count), shape: 'bar' },
          ]}
        />
      </div>
    </section>
  )
}

function OwedTable({ owed }: { owed: readonly Owed[] }) {
  const { formats } = useSession()
  const columns: Column<Owed>[] = [
    {
      name: 'Client app',
      isHead: true,
      order: ({ name }) => name,
      cell: ({ clientId, name }) => <Link to={{ page: 'client-app', clientId }}>{name}</Link>,
    },
    {
      name: 'Owed',
      isNumber: true,
      order: ({ amount }) => amount,
      cell: ({ amount }) => <span class="amount">{formats.money(amount)}</span>,
    },
  ]
  return (
    <section aria-labelledby="owed">
      <h2 id="owed">Owed to client apps</h2>
      <p class="quiet section-note">
        What each app has debited minus what it has credited. A minus: the app owes it to the
        platform.
      </p>
      {owed.length === 0 ? (
        <div class="card empty">
          <p>There is no client app yet, so nothing is owed to anyone.</p>
          <Link to={{ page: 'client-apps' }} class="button">
            Go to client apps
          </Link>
        </div>
      ) : (
        <DataTable
          caption="What is owed to each client app"
          columns={columns}
          rows={owed}
          keyOf={({ clientId }) => clientId}
          start={{ column: 'Owed', isDescending: true }}
        />
      )}
    </section>
  )
}

// Sums for the eye only: the ledger keeps the exact ones.
function moneyIn({ credits, topUps, bonuses, reinstatements }: Movements): number {
  return credits.amount + topUps.amount + bonuses.amount + reinstatements.amount
}

function moneyOut({ debits, reversals }: Movements): number {
  return debits.amount + reversals.amount
}

function movementsInWords(today: Movements, { counted }: Formats): string {
  const parts: [number, string, string][] = [
    [today.debits.count, 'debit', 'debits'],
    [today.credits.count, 'credit', 'credits'],
    [today.topUps.count, 'top-up', 'top-ups'],
    [today.bonuses.count, 'bonus', 'bonuses'],
    [today.reversals.count, 'reversal', 'reversals'],
    [today.reinstatements.count, 'reinstatement', 'reinstatements'],
  ]
  const said = parts
    .filter(([value]) => value > 0)
    .map(([value, one, many]) => counted(value, one, many))
  return said.length === 0 ? 'Nothing moved yet today (UTC)' : said.join(', ')
}

function declinesInWords({ declines }: Movements, { money }: Formats): string {
  return declines.count === 0 ? 'None since midnight UTC' : `Asked for ${money(declines.amount)}`
}
