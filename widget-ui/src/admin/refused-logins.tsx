/**
 * The logins that were refused in the last 90 days, counted by the hour: who was guessed at, from
 * where and how often. Never: shows what was typed; the service does not keep it.
 */
import { useState } from 'preact/hooks'
import type { RefusedLogin, RefusedLoginsPage } from '../../../src/http/schemas/answers/admin.js'
import { SpokenOnly } from '../shared/spoken-only.js'
import { Button } from '../shared/button.js'
import { DataTable, type Column } from '../shared/data-table.js'
import { Moment } from '../shared/moment.js'
import { Notice } from '../shared/notice.js'
import { Waiting } from './page.js'
import { useSession } from './session.js'
import { useAct, useLoaded } from './work.js'

export function RefusedLogins() {
  const { api } = useSession()
  const loaded = useLoaded(() => api.refusedLogins(), [api])
  return (
    <section aria-labelledby="refused">
      <h2 id="refused">Refused logins</h2>
      <p class="quiet section-note">
        Wrong emails and passwords of the last 90 days, counted by the hour. What was typed is kept
        nowhere. They are not part of the log above, so that strangers cannot fill it.
      </p>
      {loaded.value === undefined ? (
        <Waiting loaded={loaded} rows={3} />
      ) : (
        <Logins page={loaded.value} onMore={loaded.replace} />
      )}
    </section>
  )
}

interface LoginsProps {
  page: RefusedLoginsPage
  onMore: (page: RefusedLoginsPage) => void
}

function Logins({ page, onMore }: LoginsProps) {
  const { api, formats } = useSession()
  const act = useAct()
  const [spoken, setSpoken] = useState('')
  const more = () =>
    act.run(async () => {
      const next = await api.refusedLogins(page.nextCursor)
      onMore({ ...next, logins: [...page.logins, ...next.logins] })
      setSpoken(`${next.logins.length} earlier rows added.`)
    })
  if (page.logins.length === 0)
    return (
      <div class="card empty">
        <p>No login was refused.</p>
      </div>
    )
  const columns: Column<RefusedLogin>[] = [
    { name: 'Account', isHead: true, width: 'rest', cell: (login) => <Account login={login} /> },
    { name: 'From', width: 'content', cell: ({ address }) => address ?? 'other addresses' },
    { name: 'Tries', isNumber: true, cell: ({ tries }) => formats.count(tries) },
    { name: 'Last', width: 'content', cell: ({ lastAt }) => <Moment at={lastAt} /> },
  ]
  return (
    <>
      <SpokenOnly text={spoken} />
      <DataTable
        caption="Refused logins, newest first"
        columns={columns}
        rows={page.logins}
        keyOf={({ hour, area, account, address }) => `${hour} ${area} ${account} ${address}`}
      />
      {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
      {page.nextCursor !== undefined && (
        <div class="more">
          <Button isBusy={act.isBusy} onClick={more}>
            Load earlier refused logins
          </Button>
        </div>
      )}
    </>
  )
}

function Account({ login }: { login: RefusedLogin }) {
  const { area, account, adminEmail, address } = login
  const place = area === 'admin' ? 'Admin area' : 'Widget'
  const nobody = address === null ? 'any account' : 'an email of nobody'
  return (
    <>
      <strong>{adminEmail ?? account ?? nobody}</strong> <small>{place}</small>
    </>
  )
}
