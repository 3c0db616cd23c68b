/**
 * One wallet: whose it is, what it holds, its statement newest first, and the acts on it. Further
 * pages of the statement come by cursor and are added below.
 */
import { useState } from 'preact/hooks'
import { SpokenOnly } from '../shared/spoken-only.js'
import { Button } from '../shared/button.js'
import { DataTable, type Column } from '../shared/data-table.js'
import type { Formats } from '../shared/formats.js'
import { Icon } from '../shared/icon.js'
import { Moment } from '../shared/moment.js'
import { Badge, Notice } from '../shared/notice.js'
import { ActiveBadge } from './active-badge.js'
import type { Entry, WalletStatement as Wallet } from '../../../src/http/schemas/answers/admin.js'
import { Page, Waiting } from './page.js'
import { Link } from './router.js'
import { useSession } from './session.js'
import { WalletActs } from './wallet-acts.js'
import { declineInWords, entryName, personName } from './wallet-parts.js'
import { useAct, useLoaded } from './work.js'

export function WalletPage({ walletId }: { walletId: string }) {
  const { api } = useSession()
  const loaded = useLoaded(() => api.wallet(walletId), [api, walletId])
  const wallet = loaded.value
  const up = { to: { page: 'wallets' }, name: 'Wallets' } as const
  if (loaded.failure?.code === 'NOT_FOUND')
    return (
      <Page title="Unknown wallet" up={up}>
        <Notice kind="warning">There is no wallet with this id.</Notice>
      </Page>
    )
  return (
    <Page title={wallet === undefined ? 'Wallet' : personName(wallet)} up={up}>
      {wallet === undefined && <Waiting loaded={loaded} rows={10} />}
      {wallet !== undefined && loaded.failure !== undefined && (
        <Notice kind="danger" action={{ label: 'Try again', run: loaded.reload }}>
          {loaded.failure.message}
        </Notice>
      )}
      {wallet !== undefined && !wallet.isActive && (
        <Notice kind="warning">
          This wallet is inactive: debits and credits are declined, payments that were received are
          still booked. Reason: {wallet.statusReason ?? 'none given'}
        </Notice>
      )}
      {wallet !== undefined && <Facts wallet={wallet} />}
      {wallet !== undefined && (
        <p>
          <Link to={{ page: 'explain', walletId }} class="button">
            <Icon name="info" isSmall />
            Explain this balance
          </Link>
        </p>
      )}
      {wallet !== undefined && <WalletActs wallet={wallet} onActed={loaded.reload} />}
      {wallet !== undefined && <Statement wallet={wallet} onMore={loaded.replace} />}
    </Page>
  )
}

function Facts({ wallet }: { wallet: Wallet }) {
  const { formats } = useSession()
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts" class="unseen">
        The wallet
      </h2>
      <dl class="facts">
        <dt>Balance</dt>
        <dd class="number-value amount">{formats.money(wallet.balance)}</dd>
        <dt>State</dt>
        <dd>
          <ActiveBadge isActive={wallet.isActive} />
        </dd>
        <dt>Email</dt>
        <dd>{wallet.email ?? <span class="quiet">{wallet.erased ? 'erased' : 'none'}</span>}</dd>
        <dt>serviceUserId</dt>
        <dd class="fixed">{wallet.serviceUserId}</dd>
        <dt>Wallet id</dt>
        <dd class="fixed">{wallet.walletId}</dd>
        <dt>Linked client apps</dt>
        <dd>
          {wallet.links.length === 0 ? (
            <span class="quiet">none</span>
          ) : (
            wallet.links.map(({ name }) => name).join(', ')
          )}
        </dd>
      </dl>
    </section>
  )
}

function Statement({ wallet, onMore }: { wallet: Wallet; onMore: (wallet: Wallet) => void }) {
  const { api, formats } = useSession()
  const act = useAct()
  const [spoken, setSpoken] = useState('')
  const { nextCursor } = wallet
  const more = () =>
    act.run(async () => {
      const { nextCursor: next, entries } = await api.wallet(wallet.walletId, nextCursor)
      const { nextCursor: _used, ...rest } = wallet
      const all = [...wallet.entries, ...entries]
      onMore({ ...rest, entries: all, ...(next === undefined ? {} : { nextCursor: next }) })
      setSpoken(`${entries.length} earlier entries added.`)
    })
  return (
    <section aria-labelledby="statement">
      <h2 id="statement">Statement</h2>
      <SpokenOnly text={spoken} />
      {wallet.entries.length === 0 ? (
        <div class="card empty">
          <p>
            Nothing was booked yet. The first top-up, credit or bonus of this wallet will stand
            here.
          </p>
        </div>
      ) : (
        <DataTable
          caption="Statement, newest first"
          columns={columnsFor(formats)}
          rows={wallet.entries}
          keyOf={({ id }) => id}
        />
      )}
      {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
      {nextCursor !== undefined && (
        <div class="more">
          <Button isBusy={act.isBusy} onClick={more}>
            Load earlier entries
          </Button>
        </div>
      )}
    </section>
  )
}

function columnsFor(formats: Formats): Column<Entry>[] {
  return [
    { name: 'Entry', isHead: true, cell: (entry) => <EntryName entry={entry} /> },
    { name: 'From', cell: ({ appName }) => appName ?? <span class="quiet">the service</span> },
    { name: 'Time', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      name: 'Amount',
      isNumber: true,
      cell: (entry) => <Amount entry={entry} formats={formats} />,
    },
    {
      name: 'Balance after',
      isNumber: true,
      cell: ({ balanceAfter }) => <span class="amount">{formats.money(balanceAfter)}</span>,
    },
  ]
}

function EntryName({ entry }: { entry: Entry }) {
  return (
    <>
      <strong>{entryName(entry)}</strong>
      {entry.outcome === 'declined' && (
        <>
          {' '}
          <Badge kind="danger" icon="refuse">
            Declined
          </Badge>
          <small>{declineInWords(entry)}</small>
        </>
      )}
      {entry.description !== null && <small>{entry.description}</small>}
      <small>
        <span class="fixed">
          {entry.referenceType} {entry.referenceId}
        </span>
      </small>
    </>
  )
}

function Amount({ entry, formats }: { entry: Entry; formats: Formats }) {
  if (entry.type === null)
    return (
      <span class="amount quiet">
        <s>{formats.money(entry.amount)}</s>
        <span class="unseen">, not booked</span>
      </span>
    )
  const signed = entry.type === 'credit' ? entry.amount : -entry.amount
  return (
    <span class={signed > 0 ? 'amount amount-in' : 'amount'}>{formats.signedMoney(signed)}</span>
  )
}
