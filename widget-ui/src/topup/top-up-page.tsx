/**
 * The top-up page: one panel that changes with the state of the flow, the brand and the balance
 * above it, the test banner where no real money moves, and one live region that reads the news.
 */
import type { Formats } from '../shared/formats.js'
import { SpokenOnly } from '../shared/spoken-only.js'
import { Icon } from '../shared/icon.js'
import { ServiceFoot } from '../widget/service-foot.js'
import { say } from '../words/say.js'
import type { WidgetWallet as Wallet } from '../../../src/http/schemas/answers/widget.js'
import { AmountStep } from './amount-step.js'
import { BankCheck } from './bank-check.js'
import { CardStep } from './card-step.js'
import { EndedNotice, LoginDialog } from './session-ended.js'
import { StateActions, WayOut } from './state-actions.js'
import { StateHeading, StatePanel } from './state-panel.js'
import { stateWords, type StateWords } from './state-words.js'
import { useIsFirst, useTopUp, type TopUpOnPage, type TopUpParts } from './use-top-up.js'

export function TopUpPage(parts: TopUpParts) {
  const { data, formats } = parts
  const topUp = useTopUp(parts)
  const { stage, intent, wallet } = topUp
  const words = stateWords(stage, {
    money: formats.money,
    amount: intent?.amount,
    hadSession: data.session !== 'none',
    inactiveReason: wallet?.inactiveReason ?? null,
  })
  return (
    <main class="page topup">
      {data.payments.testMode && data.payments.kind !== 'off' && <TestBanner />}
      <div class="card topup-panel">
        <p class="topup-head">
          <Icon name="wallet" />
          <span class="topup-brand">{data.brand ?? say('wallet.title')}</span>
          {topUp.stage.name !== 'booked' && <Balance wallet={wallet} formats={formats} />}
        </p>
        <EndedNotice parts={parts} topUp={topUp} />
        {intent !== undefined && <CardStep parts={parts} topUp={topUp} intent={intent} />}
        <Step parts={parts} topUp={topUp} words={words} />
        <WayOut parts={parts} topUp={topUp} />
        <ServiceFoot data={data} />
        {stage.name === 'checking' && (
          <BankCheck
            amount={intent === undefined ? '' : formats.money(intent.amount)}
            onAnswer={topUp.answerBank}
          />
        )}
      </div>
      {topUp.isLoggingIn && <LoginDialog parts={parts} topUp={topUp} />}
      <SpokenOnly text={words.sentences.join(' ')} />
    </main>
  )
}

function Step(of: { parts: TopUpParts; topUp: TopUpOnPage; words: StateWords }) {
  const { parts, topUp, words } = of
  const { stage } = topUp
  const isFirst = useIsFirst(stage.name)
  if (stage.name === 'card') return null
  if (stage.name !== 'choosing' && stage.name !== 'preparing')
    return (
      <StatePanel
        key={stage.name}
        picture={stage.name}
        words={words}
        isFirst={isFirst}
        actions={<StateActions parts={parts} topUp={topUp} />}
      />
    )
  return (
    <div class="card-step">
      <StateHeading isFirst={isFirst}>{words.title}</StateHeading>
      <AmountStep
        formats={parts.formats}
        limits={parts.data.payments}
        pending={topUp.wallet?.pendingTopUps ?? []}
        choice={topUp.choice}
        onChoice={topUp.setChoice}
        adjustment={topUp.adjustment}
        refusal={stage.name === 'choosing' ? stage.refusal : undefined}
        isBusy={stage.name === 'preparing'}
        onContinue={topUp.choose}
      />
    </div>
  )
}

function TestBanner() {
  return (
    <p class="test-banner">
      <Icon name="info" isSmall />
      <span>
        <strong>{say('topUp.testMode')}</strong> {say('topUp.noRealMoney')}
      </span>
    </p>
  )
}

/** Its place is kept while it loads, so that nothing moves when it comes. */
function Balance({ wallet, formats }: { wallet: Wallet | undefined; formats: Formats }) {
  if (wallet === undefined) return <span class="topup-balance" />
  return (
    <span class="topup-balance">
      <span class="quiet small">{ownerOf(wallet)}</span>{' '}
      <strong class="amount">{formats.money(wallet.balance)}</strong>
    </span>
  )
}

/** Whose wallet it is: nobody should pay into a stranger's by opening a link. */
function ownerOf({ user }: Wallet): string {
  const name = `${user.firstName} ${user.lastName}`.trim()
  return name === '' ? say('topUp.balance') : say('topUp.balanceOf', { name })
}
