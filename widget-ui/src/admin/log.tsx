/**
 * The log of admin actions: newest first, by cursor, in words. Nothing in it can be changed. Below
 * it the refused logins, which are no part of it; those of before they were counted apart are.
 */
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { SpokenOnly } from '../shared/spoken-only.js'
import { Button } from '../shared/button.js'
import { DataTable, type Column } from '../shared/data-table.js'
import { Moment } from '../shared/moment.js'
import { Badge, Notice } from '../shared/notice.js'
import type { LogEntry, LogPage as LoggedPage } from '../../../src/http/schemas/answers/admin.js'
import { actionWords, actorOf, detailWords, isRefusedLogin } from './log-words.js'
import { Page, Waiting } from './page.js'
import { RefusedLogins } from './refused-logins.js'
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
      <RefusedLogins />
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
    width: 'rest',
    cell: (entry) => (
      <>
        <strong>{actionWords(entry)}</strong>{' '}
        {!isRefusedLogin(entry) && <Outcome outcome={entry.outcome} />}
        <Details words={detailWords(entry)} />
      </>
    ),
  },
  { name: 'On', width: 'content', cell: (entry) => <Subject entry={entry} /> },
  { name: 'By', width: 'content', cell: (entry) => <Actor entry={entry} /> },
  { name: 'Time', width: 'content', cell: ({ at }) => <Moment at={at} /> },
]

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

function Details({ words }: { words: string }) {
  return words === '' ? null : <small>{words}</small>
}

function Actor({ entry }: { entry: LogEntry }) {
  const { words, isKnown } = actorOf(entry)
  return isKnown ? <Pieces text={words} /> : <span class="quiet">{words}</span>
}

/** A serviceUserId leads nowhere: it would stand in the address. */
function Subject({ entry }: { entry: LogEntry }) {
  const { action, subject } = entry
  if (isRefusedLogin(entry)) return <span class="quiet">the login</span>
  if (action.startsWith('session.')) return <span class="quiet">their own session</span>
  if (subject === null) return <span class="quiet">nothing</span>
  if (action.startsWith('client-app.') || action === 'seed')
    return (
      <Link to={{ page: 'client-app', clientId: subject }} class="fixed">
        <Pieces text={subject} />
      </Link>
    )
  if (action.startsWith('wallet.'))
    return (
      <Link to={{ page: 'wallet', walletId: subject }} class="fixed">
        <Pieces text={subject} />
      </Link>
    )
  return (
    <span class="fixed">
      <Pieces text={subject} />
    </span>
  )
}

/** An id or an email that breaks at its signs only: a browser by itself breaks anywhere in it. */
function Pieces({ text }: { text: string }) {
  return (
    <>
      {text.split(/(?<=[-@.])/).map((piece, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {piece}
        </Fragment>
      ))}
    </>
  )
}
