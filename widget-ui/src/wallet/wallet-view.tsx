/**
 * The wallet as people see it: who, how much, top up, what is pending, the last ten entries by day.
 * Everything stands in two cards, so that the frame needs no ground of its own. Promises: the
 * skeleton has the size of what comes; a new entry slides in once and is read out politely; a
 * state that needs an act says which; a balance that may be old says so itself.
 * Never: calculates with money; it prints what it was told.
 */
import { useMemo, useState } from 'preact/hooks'
import { SpokenOnly } from '../shared/spoken-only.js'
import { Button } from '../shared/button.js'
import { formatsFor, type Formats } from '../shared/formats.js'
import { Icon } from '../shared/icon.js'
import { Moment } from '../shared/moment.js'
import { Notice } from '../shared/notice.js'
import { pageLanguage } from '../shared/page-language.js'
import type { Language } from '../words/languages.js'
import { say, sayAround } from '../words/say.js'
import type { WidgetWallet as Wallet } from '../../../src/http/schemas/answers/widget.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { pendingWords } from '../widget/pending-words.js'
import { ServiceFoot } from '../widget/service-foot.js'
import { AccountMenu } from './account-menu.js'
import { CountedAmount } from './counted-amount.js'
import { EntryList, EntrySkeletons } from './entry-list.js'
import { entryTitle, ownedEntries, signedAmount } from './entry-words.js'
import type { LiveState } from './live-wallet.js'

export interface WalletViewProps {
  readonly state: LiveState
  readonly data: PageData
  readonly onReload: () => void
  /** The account had been closed, and this login has opened it again. */
  readonly isReopened: boolean
  readonly onView: (view: 'entries' | 'account') => void
  readonly onSwitch: () => void
  /** Missing where the host page has chosen the language. */
  readonly onLanguage: ((language: Language) => void) | undefined
  /** Tells the host page; it may open a window of its own. */
  readonly onTopUp: () => void
  readonly onTopUpHere: () => void
}

export function WalletView({ state, data, isReopened, onReload, ...on }: WalletViewProps) {
  const formats = useMemo(() => formatsFor(data.currency), [data, pageLanguage()])
  const wallet = state.kind === 'shown' ? state.wallet : undefined
  const brand = data.brand ?? say('wallet.title')
  return (
    <main class="page" aria-busy={state.kind === 'loading' ? 'true' : undefined}>
      <div class="card balance-card">
        <header class="wallet-head">
          <h1 class="wallet-brand">
            <Icon name="wallet" />
            <span>{brand}</span>
            <span class="unseen"> {say('wallet.word')}</span>
          </h1>
          {wallet === undefined ? (
            <span class="skeleton wallet-name-skeleton" />
          ) : (
            <AccountMenu
              user={wallet.user}
              brand={brand}
              {...on}
              onAccount={() => on.onView('account')}
            />
          )}
        </header>
        {isReopened && <Notice kind="good">{say('account.reopened')}</Notice>}
        {state.kind === 'failed' ? (
          <Notice kind="danger" action={{ label: say('act.tryAgain'), run: onReload }}>
            {state.text}
          </Notice>
        ) : (
          <Balance {...{ state, wallet, formats, onReload }} {...on} />
        )}
      </div>
      {state.kind !== 'failed' && (
        <section class="card entries" aria-labelledby="entries-title">
          <h2 id="entries-title">{say('wallet.latest')}</h2>
          {state.kind === 'shown' ? (
            <EntryList
              entries={ownedEntries(state.wallet.transactions, state.wallet)}
              pending={state.wallet.pendingTopUps}
              fresh={state.fresh}
              brand={brand}
              formats={formats}
            />
          ) : (
            <EntrySkeletons />
          )}
          {wallet !== undefined && wallet.transactions.length > 0 && (
            <div class="actions">
              <Button onClick={() => on.onView('entries')}>{say('list.all')}</Button>
            </div>
          )}
          <ServiceFoot data={data} />
        </section>
      )}
      <SpokenOnly text={spoken(state, formats)} />
    </main>
  )
}

interface BalanceProps {
  readonly state: LiveState
  readonly wallet: Wallet | undefined
  readonly formats: Formats
  readonly onReload: () => void
  readonly onTopUp: () => void
  readonly onTopUpHere: () => void
}

function Balance({ state, wallet, formats, onReload, ...topUp }: BalanceProps) {
  const old = state.kind === 'shown' && state.isOld ? state : undefined
  return (
    <section class="balance-part" aria-label={say('wallet.balance')}>
      <div class={old === undefined ? undefined : 'balance-old'}>
        <p class="quiet" aria-hidden="true">
          {say(old === undefined ? 'wallet.balance' : 'wallet.lastKnown')}
        </p>
        {wallet === undefined ? (
          <p class="balance">
            <span class="skeleton balance-skeleton">&nbsp;</span>
          </p>
        ) : (
          <CountedAmount amount={wallet.balance} format={formats.money} />
        )}
        {wallet?.held !== undefined && (
          <p class="quiet small">
            {say('wallet.reserved', {
              held: formats.money(wallet.held),
              available: formats.money(wallet.available ?? 0),
            })}
          </p>
        )}
      </div>
      {old !== undefined && <LostConnection asOfMs={old.asOfMs} onReload={onReload} />}
      {wallet !== undefined && wallet.pendingTopUps.length > 0 && (
        <Notice kind="info">{pendingWords(wallet.pendingTopUps, formats)}</Notice>
      )}
      {wallet !== undefined && wallet.balance < 0 && (
        <p class="quiet small">{say('wallet.negative')}</p>
      )}
      {wallet?.isActive === false ? (
        <PausedNotice reason={wallet.inactiveReason} />
      ) : (
        <TopUp wallet={wallet} {...topUp} />
      )}
    </section>
  )
}

function TopUp(of: Pick<BalanceProps, 'wallet' | 'onTopUp' | 'onTopUpHere'>) {
  const { wallet, onTopUp, onTopUpHere } = of
  const [isAsked, setAsked] = useState(false)
  const ask = () => {
    setAsked(true)
    onTopUp()
  }
  return (
    <div class="top-up">
      {wallet === undefined ? (
        <span class="skeleton button-skeleton" />
      ) : (
        // Whoever waits for one top-up rarely wants a second: it is offered, not urged.
        <Button kind={wallet.pendingTopUps.length > 0 ? 'plain' : 'primary'} onClick={ask}>
          {say('wallet.topUp')}
        </Button>
      )}
      {isAsked && <TopUpHere onTopUpHere={onTopUpHere} />}
    </div>
  )
}

/** On the balance itself: what stands there was true when the service last answered. */
function LostConnection({ asOfMs, onReload }: { asOfMs: number; onReload: () => void }) {
  return (
    <div class="lost-connection" role="status">
      <Icon name="alert" isSmall />
      <p class="small">{sayAround('wallet.lost', { time: <Moment at={isoOf(asOfMs)} /> })}</p>
      <button class="link-button small" type="button" onClick={onReload}>
        {say('wallet.tryNow')}
      </button>
    </div>
  )
}

function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

/** For host pages that do nothing when asked, and for browsers that block their window. */
function TopUpHere({ onTopUpHere }: { onTopUpHere: () => void }) {
  return (
    <p class="top-up-here" role="status">
      <span class="quiet">{say('wallet.noTopUpPage')}</span>
      <button class="link-button" type="button" onClick={onTopUpHere}>
        {say('wallet.topUpHere')}
      </button>
    </p>
  )
}

function PausedNotice({ reason }: { reason: string | null }) {
  return (
    <Notice kind="warning">
      <strong>{say('wallet.paused')}</strong>
      {reason !== null && reason !== '' && (
        <span class="reason"> {say('wallet.pausedWhy', { reason })}</span>
      )}
      <p>{say('wallet.pausedMeans')}</p>
    </Notice>
  )
}

/** What a screen reader hears: at the first drawing the balance, then what is new. */
function spoken(state: LiveState, { money, signedMoney }: Formats): string {
  if (state.kind === 'loading') return say('wallet.loading')
  if (state.kind !== 'shown') return ''
  const balance = say('wallet.spokenBalance', { amount: money(state.wallet.balance) })
  const news = ownedEntries(state.fresh, state.wallet).map((entry) =>
    say('wallet.spokenNew', {
      title: entryTitle(entry),
      amount: signedMoney(signedAmount(entry)),
    }),
  )
  return [...news, balance].join(' ')
}
