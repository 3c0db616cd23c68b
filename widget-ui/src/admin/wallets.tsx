/**
 * Finds a wallet by email, serviceUserId or wallet id, exactly: nobody browses through people. It
 * searches as soon as what is typed is whole, else on Enter. What was searched for is kept in
 * memory for the way back, never in the address or the history.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { SpokenOnly } from '../shared/spoken-only.js'
import { Button } from '../shared/button.js'
import { DataTable, type Column } from '../shared/data-table.js'
import { Icon } from '../shared/icon.js'
import { Notice } from '../shared/notice.js'
import { ActiveBadge } from './active-badge.js'
import type { FoundWallet } from '../../../src/http/schemas/answers/admin.js'
import { Page } from './page.js'
import { Link } from './router.js'
import { useSession } from './session.js'
import { personName } from './wallet-parts.js'
import { useAct, type Act } from './work.js'

interface Found {
  readonly query: string
  readonly wallets: readonly FoundWallet[]
}

let lastFound: Found | undefined

/** Long enough not to ask at every letter of an address. */
const typingPauseMs = 300

export function WalletsPage() {
  const [query, setQuery] = useState(lastFound?.query ?? '')
  const { found, act, find } = useFinding()
  const wanted = asKept(query.trim())
  useEffect(() => {
    if (!isWhole(wanted) || wanted === found?.query) return undefined
    const timer = setTimeout(() => find(wanted), typingPauseMs)
    return () => clearTimeout(timer)
  }, [wanted])
  const submit = (event: Event) => {
    event.preventDefault()
    if (wanted !== '') find(wanted)
  }
  return (
    <Page title="Wallets">
      <form class="finder" role="search" onSubmit={submit}>
        <div class="search">
          <Icon name="search" />
          <input
            class="input"
            type="search"
            aria-label="Email, serviceUserId or wallet id"
            placeholder="Email, serviceUserId or wallet id"
            value={query}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
        </div>
        <Button kind="primary" type="submit">
          Find
        </Button>
      </form>
      <SpokenOnly text={found === undefined ? '' : foundInWords(found)} />
      <Result found={found} act={act} onRetry={() => find(wanted)} />
    </Page>
  )
}

function useFinding() {
  const { api } = useSession()
  const [found, setFound] = useState(lastFound)
  const act = useAct()
  const latest = useRef('')
  const find = (query: string) => {
    latest.current = query
    act.run(async () => {
      // What was typed while the answer was under way is asked for after it.
      for (let asked = ''; asked !== latest.current;) {
        asked = latest.current
        lastFound = { query: asked, wallets: await api.findWallets(asked) }
      }
      setFound(lastFound)
    })
  }
  return { found, act, find }
}

function Result({
  found,
  act,
  onRetry,
}: {
  found: Found | undefined
  act: Act
  onRetry: () => void
}) {
  const { formats } = useSession()
  if (act.failure !== undefined)
    return (
      <Notice kind="danger" action={{ label: 'Try again', run: onRetry }}>
        {act.failure.message}
      </Notice>
    )
  if (found === undefined)
    return (
      <div class="card empty">
        <p>
          Ask the person for the email of their wallet, or take the serviceUserId from the client
          app’s records. Both have to be complete.
        </p>
      </div>
    )
  if (found.wallets.length === 0)
    return (
      <div class="card empty">
        <p>
          No wallet has exactly this email, serviceUserId or wallet id. Check it for typing errors.
        </p>
      </div>
    )
  const columns: Column<FoundWallet>[] = [
    {
      name: 'Person',
      isHead: true,
      cell: (wallet) => (
        <>
          <Link to={{ page: 'wallet', walletId: wallet.walletId }}>{personName(wallet)}</Link>
          {wallet.email !== null && <small>{wallet.email}</small>}
        </>
      ),
    },
    { name: 'State', cell: ({ isActive }) => <ActiveBadge isActive={isActive} /> },
    {
      name: 'Balance',
      isNumber: true,
      cell: ({ balance }) => <span class="amount">{formats.money(balance)}</span>,
    },
  ]
  return (
    <DataTable
      caption="Wallets found"
      columns={columns}
      rows={found.wallets}
      keyOf={({ walletId }) => walletId}
    />
  )
}

function foundInWords({ wallets }: Found): string {
  if (wallets.length === 0) return 'No wallet found.'
  return wallets.length === 1 ? 'One wallet found.' : `${wallets.length} wallets found.`
}

const idPattern = /^(usr_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function isWhole(query: string): boolean {
  return idPattern.test(query) || /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/.test(query)
}

/** Ids are kept in lower case; some programs copy them in capitals. */
function asKept(query: string): string {
  return idPattern.test(query) ? query.toLowerCase() : query
}
