/**
 * The wallet as people see it: who, how much, top up, the last ten entries by day. Promises: the
 * skeleton has the size of what comes; a new entry slides in once and is read out politely; a
 * state that needs an act says which. Never: calculates with money; it prints what it was told.
 */
import { useMemo, useState } from 'preact/hooks'
import { SpokenOnly } from '../shared/announcer.js'
import { Button } from '../shared/button.js'
import { formatsFor, type Formats } from '../shared/formats.js'
import { Icon } from '../shared/icon.js'
import { Notice } from '../shared/notice.js'
import type { WidgetWallet as Wallet } from '../../../src/http/schemas/answers/widget.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { AccountMenu } from './account-menu.js'
import { CountedAmount } from './counted-amount.js'
import { EntryList, EntrySkeletons } from './entry-list.js'
import { entryLabel, signedAmount } from './entry-words.js'
import type { LiveState } from './live-wallet.js'

export interface WalletViewProps {
  readonly state: LiveState
  readonly data: PageData
  readonly onReload: () => void
  readonly onSwitch: () => void
  /** Tells the host page; it may open a window of its own. */
  readonly onTopUp: () => void
  readonly onTopUpHere: () => void
}

export function WalletView({ state, data, onReload, onSwitch, ...topUp }: WalletViewProps) {
  const formats = useMemo(() => formatsFor(data.currency), [data])
  const wallet = state.kind === 'shown' ? state.wallet : undefined
  return (
    <main class="page" aria-busy={state.kind === 'loading' ? 'true' : undefined}>
      <header class="wallet-head">
        <h1 class="wallet-brand">
          <Icon name="wallet" />
          <span>{data.brand ?? 'Wallet'}</span>
          <span class="unseen"> wallet</span>
        </h1>
        {wallet === undefined ? (
          <span class="skeleton wallet-name-skeleton" />
        ) : (
          <AccountMenu user={wallet.user} brand={data.brand} onSwitch={onSwitch} />
        )}
      </header>
      {state.kind === 'failed' && (
        <Notice kind="danger" action={{ label: 'Try again', run: onReload }}>
          {state.text}
        </Notice>
      )}
      {state.kind === 'shown' && state.isOld && (
        <Notice kind="warning" action={{ label: 'Try now', run: onReload }}>
          The wallet service does not answer right now, so this may not be the latest. Your money is
          safe; we keep trying.
        </Notice>
      )}
      {state.kind !== 'failed' && <BalanceCard wallet={wallet} formats={formats} {...topUp} />}
      {state.kind !== 'failed' && (
        <section class="entries" aria-labelledby="entries-title">
          <h2 id="entries-title">Latest entries</h2>
          {state.kind === 'shown' ? (
            <EntryList entries={state.wallet.transactions} fresh={state.fresh} formats={formats} />
          ) : (
            <EntrySkeletons />
          )}
        </section>
      )}
      <SpokenOnly text={spoken(state, formats)} />
    </main>
  )
}

interface BalanceCardProps {
  readonly wallet: Wallet | undefined
  readonly formats: Formats
  readonly onTopUp: () => void
  readonly onTopUpHere: () => void
}

function BalanceCard({ wallet, formats, onTopUp, onTopUpHere }: BalanceCardProps) {
  const [isAsked, setAsked] = useState(false)
  return (
    <section class="card balance-card" aria-label="Balance">
      <div>
        <p class="quiet" aria-hidden="true">
          Balance
        </p>
        {wallet === undefined ? (
          <p class="balance">
            <span class="skeleton balance-skeleton">&nbsp;</span>
          </p>
        ) : (
          <CountedAmount amount={wallet.balance} format={formats.money} />
        )}
      </div>
      {wallet !== undefined && wallet.balance < 0 && (
        <p class="quiet small">
          A top-up was taken back after it had been spent. Payments are declined until this is
          covered.
        </p>
      )}
      {wallet?.isActive === false ? (
        <PausedNotice reason={wallet.inactiveReason} />
      ) : (
        <div class="top-up">
          {wallet === undefined ? (
            <span class="skeleton button-skeleton" />
          ) : (
            <Button
              kind="primary"
              onClick={() => {
                setAsked(true)
                onTopUp()
              }}
            >
              Top up
            </Button>
          )}
          {isAsked && <TopUpHere onTopUpHere={onTopUpHere} />}
        </div>
      )}
    </section>
  )
}

/** For host pages that do nothing when asked, and for browsers that block their window. */
function TopUpHere({ onTopUpHere }: { onTopUpHere: () => void }) {
  return (
    <p class="top-up-here" role="status">
      <span class="quiet">No top-up page opened?</span>
      <button class="link-button" type="button" onClick={onTopUpHere}>
        Top up here
      </button>
    </p>
  )
}

function PausedNotice({ reason }: { reason: string | null }) {
  return (
    <Notice kind="warning">
      <strong>This wallet is paused.</strong>
      {reason !== null && reason !== '' && <span class="reason"> Reason: {reason}</span>}
      <p>Your balance stays as it is. Payments and top-ups are refused until it goes on.</p>
    </Notice>
  )
}

/** What a screen reader hears: at the first drawing the balance, then what is new. */
function spoken(state: LiveState, { money, signedMoney }: Formats): string {
  if (state.kind === 'loading') return 'Loading your wallet.'
  if (state.kind !== 'shown') return ''
  const balance = `Balance ${money(state.wallet.balance)}.`
  const news = state.fresh.map(
    (entry) => `New: ${entryLabel(entry)}, ${signedMoney(signedAmount(entry))}.`,
  )
  return [...news, balance].join(' ')
}
