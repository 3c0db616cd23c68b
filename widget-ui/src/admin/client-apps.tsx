/** The list of client apps: searched as you type, sorted by its heads, not paged (they are few). */
import { useMemo, useState } from 'preact/hooks'
import { SpokenOnly } from '../shared/spoken-only.js'
import { DataTable, type Column } from '../shared/data-table.js'
import { Icon } from '../shared/icon.js'
import { Moment } from '../shared/moment.js'
import { ActiveBadge } from './active-badge.js'
import type { ClientApp } from '../../../src/http/schemas/answers/admin.js'
import { Page, Waiting } from './page.js'
import { Link } from './router.js'
import { useSession } from './session.js'
import { useLoaded } from './work.js'

export function ClientAppsPage() {
  const { api, mayAct } = useSession()
  const loaded = useLoaded(() => api.clientApps(), [api])
  const newApp = (
    <Link to={{ page: 'new-client-app' }} class="button button-primary">
      New client app
    </Link>
  )
  const hasSome = loaded.value !== undefined && loaded.value.length > 0
  return (
    <Page title="Client apps" actions={mayAct && hasSome ? newApp : undefined}>
      {loaded.value === undefined && <Waiting loaded={loaded} rows={6} />}
      {loaded.value?.length === 0 && (
        <div class="card empty">
          <h2>No client app yet</h2>
          <p>
            A client app is a shop or service whose users pay from these wallets. It gets a clientId
            and a secret for its backend.
          </p>
          {mayAct ? newApp : <p>An admin can create the first one.</p>}
        </div>
      )}
      {hasSome && <AppList apps={loaded.value} />}
    </Page>
  )
}

function AppList({ apps }: { apps: readonly ClientApp[] }) {
  const [query, setQuery] = useState('')
  const found = useMemo(() => apps.filter((app) => matches(app, query)), [apps, query])
  return (
    <>
      <div class="search">
        <Icon name="search" />
        <input
          class="input"
          type="search"
          aria-label="Search client apps"
          placeholder="Search by name, clientId or origin"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      </div>
      <SpokenOnly text={query === '' ? '' : `${found.length} of ${apps.length} client apps`} />
      {found.length === 0 ? (
        <div class="card empty">
          <p>No client app has “{query}” in its name, clientId or origins.</p>
          <button class="button" type="button" onClick={() => setQuery('')}>
            Show all {apps.length}
          </button>
        </div>
      ) : (
        <DataTable
          caption="Client apps"
          columns={columns}
          rows={found}
          keyOf={({ clientId }) => clientId}
          start={{ column: 'Name', isDescending: false }}
        />
      )}
    </>
  )
}

const columns: readonly Column<ClientApp>[] = [
  {
    name: 'Name',
    isHead: true,
    order: ({ name }) => name,
    cell: ({ clientId, name }) => (
      <>
        <Link to={{ page: 'client-app', clientId }}>{name}</Link>
        <small class="fixed">{clientId}</small>
      </>
    ),
  },
  {
    name: 'State',
    order: ({ isActive }) => (isActive ? 0 : 1),
    cell: ({ isActive }) => <ActiveBadge isActive={isActive} />,
  },
  {
    name: 'Scopes',
    cell: ({ scopes }) => (scopes.length === 0 ? 'none' : scopes.join(', ')),
  },
  {
    name: 'Last used',
    order: (app) => lastUsedAt(app) ?? '',
    cell: (app) => <LastUsed at={lastUsedAt(app)} />,
  },
  {
    name: 'Created',
    order: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
]

export function LastUsed({ at }: { at: string | null }) {
  return at === null ? <span class="quiet">never</span> : <Moment at={at} />
}

/** ISO times of one form compare as text. */
function lastUsedAt({ secrets }: ClientApp): string | null {
  return secrets.reduce<string | null>(
    (latest, { lastUsedAt: at }) => (at !== null && at > (latest ?? '') ? at : latest),
    null,
  )
}

function matches(app: ClientApp, query: string): boolean {
  const wanted = query.trim().toLowerCase()
  return [app.name, app.clientId, ...app.allowedOrigins, ...app.allowedIframeParents].some((text) =>
    text.toLowerCase().includes(wanted),
  )
}
