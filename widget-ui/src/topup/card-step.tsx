/**
 * The second step: the card. It stays in place, unseen, while it pays: Stripe pays out of its own
 * form, and what was typed is there for another try.
 */
import type { Formats } from '../shared/formats.js'
import { Icon } from '../shared/icon.js'
import { pageAddress } from '../widget/opening.js'
import { SandboxCard } from './sandbox-card.js'
import { StateHeading } from './state-panel.js'
import { StripeCard } from './stripe-card.js'
import type { Intent } from './top-up-flow.js'
import type { TopUpOnPage, TopUpParts } from './use-top-up.js'

export function CardStep(of: { parts: TopUpParts; topUp: TopUpOnPage; intent: Intent }) {
  const { parts, topUp, intent } = of
  const { formats, data } = parts
  const isShown = topUp.stage.name === 'card'
  const payLabel = `Pay ${formats.money(intent.amount)}`
  return (
    <div class={isShown ? 'card-step' : 'card-step card-step-behind'} inert={!isShown}>
      {isShown && <CardHead formats={formats} intent={intent} onChange={topUp.changeAmount} />}
      {data.payments.kind === 'stripe' ? (
        <StripeCard
          key={intent.paymentIntentId}
          intent={intent}
          publishableKey={intent.publishableKey ?? data.payments.publishableKey ?? ''}
          payLabel={payLabel}
          returnAddress={returnAddress(parts)}
          onPay={(attempt) => topUp.pay(intent, attempt)}
        />
      ) : (
        <SandboxCard
          payLabel={payLabel}
          card={topUp.card}
          onCard={topUp.setCard}
          onPay={() => topUp.paySandbox(intent)}
        />
      )}
    </div>
  )
}

function CardHead(of: { formats: Formats; intent: Intent; onChange: () => void }) {
  return (
    <div class="card-head">
      <StateHeading isFirst={false}>Pay {of.formats.money(of.intent.amount)}</StateHeading>
      <button class="button button-bare" type="button" onClick={of.onChange}>
        <Icon name="back" isSmall />
        Change amount
      </button>
    </div>
  )
}

/** Where a bank's own page leads back to. The session is still needed there to ask. */
function returnAddress({ api, data }: TopUpParts): string {
  const { clientId } = data
  return new URL(pageAddress({ page: 'topup', clientId, session: api.session }), location.origin)
    .href
}
