/** The log of admin actions: newest first, by cursor, in words. Nothing in it can be changed. */
import { useState } from 'preact/hooks'
import { SpokenOnly } from '../shared/announcer.js'
import { Button } from '../shared/button.js'
import { DataTable, type Column } from '../shared/data-table.js'
import { inWords } from '../shared/formats.js'
import { Moment } from '../shared/moment.js'
import { Badge, Notice } from '../shared/notice.js'
import type { LogEntry, LogPage as LoggedPage } from './api-types.js'
import { Page, Waiting } from './page.js'
import { Link } from './router.js'
import { useSession } from './session.js'
import { useAct, useLoaded } from './work.js'

export function LogPage() {
  const { api } = useSession()
  const loaded = useLoaded(() => api.log(), [api])
  return (
    <Page title="Log of admin actions">
      {loaded.value === undefined ? (
        <Waiting loaded={loaded} rows={10} />
      ) : (
        <Entries page={loaded.value} onMore={loaded.replace} />
      )}
    </Page>
  )
}

function Entries({ page, onMore }: { page: LoggedPage; onMore: (page: LoggedPage) => void }) {
  const { api } = useSession()
  const act = useAct()
  const [spoken, setSpoken] = useState('')
  const more = () =>
    act.run(async () => {
      const next = await api.log(page.nextCursor)
      onMore({ ...next, entries: [...page.entries, ...next.entries] })
      setSpoken(`${next.entries.length} earlier actions added.`)
    })
  if (page.entries.length === 0)
    return (
      <div class="card empty">
        <p>Nothing was done yet. Every act of an admin will stand here, for good.</p>
      </div>
    )
  return (
    <>
      <SpokenOnly text={spoken} />
      <DataTable
        caption="Admin actions, newest first"
        columns={columns}
        rows={page.entries}
        keyOf={(entry) => `${entry.at} ${entry.action} ${entry.subject} ${entry.adminId}`}
      />
      {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
      {page.nextCursor !== undefined && (
        <div class="more">
          <Button isBusy={act.isBusy} onClick={more}>
            Load earlier actions
          </Button>
        </div>
      )}
    </>
  )
}

const columns: readonly Column<LogEntry>[] = [
  {
    name: 'Action',
    isHead: true,
    cell: (entry) => (
      <>
        <strong>{actions[entry.action] ?? inWords(entry.action)}</strong>{' '}
        <Outcome outcome={entry.outcome} />
        <Details details={entry.details} />
      </>
    ),
  },
  { name: 'On', cell: (entry) => <Subject entry={entry} /> },
  {
    name: 'By',
    cell: ({ adminEmail }) => adminEmail ?? <span class="quiet">the command line</span>,
  },
  { name: 'Time', cell: ({ at }) => <Moment at={at} /> },
]

const actions: Readonly<Record<string, string>> = {
  'session.begin': 'Logged in',
  'session.end': 'Logged out',
  'client-app.create': 'Client app created',
  'client-app.update': 'Client app changed',
  'client-app.rotate': 'Secret made',
  'client-app.revoke': 'Secret revoked',
  'client-app.activate': 'Client app activated',
  'client-app.deactivate': 'Client app deactivated',
  'wallet.deactivate': 'Wallet deactivated',
  'wallet.reactivate': 'Wallet reactivated',
  'wallet.bonus': 'Bonus granted',
  'user.reset-password': 'Password link made',
}

function Outcome({ outcome }: { outcome: LogEntry['outcome'] }) {
  if (outcome === 'done') return null
  if (outcome === 'refused')
    return (
      <Badge kind="plain" icon="refuse">
        Refused, nothing happened
      </Badge>
    )
  return (
    <Badge kind="warning" icon="alert">
      Not certain: look whether it was done
    </Badge>
  )
}

function Details({ details }: { details: LogEntry['details'] }) {
  const said = Object.entries(details).map(([name, value]) => `${name}: ${plain(value)}`)
  return said.length === 0 ? null : <small>{said.join(' · ')}</small>
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A serviceUserId leads nowhere: it would stand in the address. */
function Subject({ entry: { action, subject } }: { entry: LogEntry }) {
  if (action.startsWith('session.')) return <span class="quiet">their own session</span>
  if (subject === null) return <span class="quiet">nothing</span>
  if (action.startsWith('client-app.'))
    return (
      <Link to={{ page: 'client-app', clientId: subject }} class="fixed">
        {subject}
      </Link>
    )
  if (action.startsWith('wallet.'))
    return (
      <Link to={{ page: 'wallet', walletId: subject }} class="fixed">
        {subject}
      </Link>
    )
  return <span class="fixed">{subject}</span>
}
