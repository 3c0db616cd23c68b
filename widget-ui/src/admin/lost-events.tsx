/**
 * What the event store has lost after the service had acknowledged it: shown until an admin says
 * that somebody has seen it, a page at a time. Nothing here brings it back.
 */
import { useState } from 'preact/hooks'
import { DataTable, type Column } from '../shared/data-table.js'
import { Moment } from '../shared/moment.js'
import { Notice } from '../shared/notice.js'
import { inWords } from '../shared/words.js'
import type { LostEvent, LostEvents } from '../../../src/http/schemas/answers/admin.js'
import { Link } from './router.js'
import { useSession } from './session.js'
import { useAct } from './work.js'

export function LostEventsPanel({ start }: { start: LostEvents }) {
  const { api, formats, mayAct } = useSession()
  const [lost, setLost] = useState(start)
  const act = useAct()
  const through = lost.events.at(-1)?.lostId
  if (through === undefined) return null
  const seen = () => act.run(async () => setLost(await api.markLostEventsSeen(through)))
  const shown = lost.events.length
  return (
    <section class="lost" aria-labelledby="lost">
      <h2 id="lost">Lost events</h2>
      <Notice
        kind="danger"
        {...(mayAct && {
          action: { label: act.isBusy ? 'Saving…' : 'We have seen these', run: seen },
        })}
      >
        <p>
          The event store was set back to an older copy of itself.{' '}
          {formats.counted(lost.unseen, 'event', 'events')} that the service had acknowledged{' '}
          {lost.unseen === 1 ? 'is' : 'are'} gone: client apps and people may believe in{' '}
          {lost.unseen === 1 ? 'it' : 'them'}. The service goes on from what is there.
        </p>
        <p>
          Compare them with the records of the client apps, and have what is missing booked again.
        </p>
        {shown < lost.unseen && <p>{`The first ${shown} of them are shown.`}</p>}
        {act.failure !== undefined && <p>{act.failure.message}</p>}
      </Notice>
      <LostTable events={lost.events} />
    </section>
  )
}

function LostTable({ events }: { events: readonly LostEvent[] }) {
  const { formats } = useSession()
  const columns: Column<LostEvent>[] = [
    {
      name: 'Wallet',
      isHead: true,
      cell: ({ walletId }) => <Link to={{ page: 'wallet', walletId }}>{walletId}</Link>,
    },
    { name: 'Revision', isNumber: true, cell: ({ revision }) => formats.count(revision) },
    {
      name: 'Event',
      cell: ({ type }) =>
        type === null
          ? 'Not known any more, perhaps with others before it'
          : inWords(type.replaceAll(/\B[A-Z]/g, ' $&')),
    },
    {
      name: 'Reference',
      cell: ({ referenceType, referenceId }) =>
        referenceId === null ? '–' : `${referenceType} ${referenceId}`,
    },
    {
      name: 'Amount',
      isNumber: true,
      cell: ({ amount }) => (
        <span class="amount">{amount === null ? '–' : formats.money(amount)}</span>
      ),
    },
    { name: 'Noticed', cell: ({ noticedAt }) => <Moment at={noticedAt} /> },
  ]
  return (
    <DataTable
      caption="Events that are gone from the event store"
      columns={columns}
      rows={events}
      keyOf={({ lostId }) => String(lostId)}
    />
  )
}
