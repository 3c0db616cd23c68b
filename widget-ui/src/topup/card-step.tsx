/**
 * The second step: the card. It stays in place, unseen, while it pays: Stripe pays out of its own
 * form, and what was typed is there for another try.
 */
import type { Formats } from '../shared/formats.js'
import { Icon } from '../shared/icon.js'
import { say } from '../words/say.js'
import { pageAddress } from '../widget/opening.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'
import { withWayBack } from './bank-return.js'
import { SandboxCard } from './sandbox-card.js'
import { SavedChoices } from './saved-cards.js'
import { StateHeading } from './state-panel.js'
import { StripeCard } from './stripe-card.js'
import type { Intent } from './top-up-flow.js'
import type { TopUpOnPage, TopUpParts } from './use-top-up.js'

export function CardStep(of: { parts: TopUpParts; topUp: TopUpOnPage; intent: Intent }) {
  const { parts, topUp, intent } = of
  const { api, formats, data } = parts
  const { paymentIntentId } = intent
  const isShown = topUp.stage.name === 'card'
  const payLabel = say('pay.title', { amount: formats.money(intent.amount) })
  return (
    <div class={isShown ? 'card-step' : 'card-step card-step-behind'} inert={!isShown}>
      {isShown && <CardHead formats={formats} intent={intent} onChange={topUp.changeAmount} />}
      {topUp.showsSaved && (
        <SavedChoices
          amount={formats.money(intent.amount)}
          cards={topUp.savedCards}
          onPay={({ cardId }) => topUp.paySaved(intent, cardId)}
          onOther={topUp.useOther}
        />
      )}
      {topUp.showsSaved ? null : data.payments.kind === 'stripe' ? (
        <StripeCard
          saving={topUp.saving}
          prepare={() => topUp.prepareSaving(intent)}
          key={`${paymentIntentId} ${topUp.cardForms}`}
          intent={intent}
          publishableKey={intent.publishableKey ?? data.payments.publishableKey ?? ''}
          payLabel={payLabel}
          returnAddress={returnAddress(data)}
          onPay={(attempt) =>
            topUp.pay(intent, () => withWayBack({ paymentIntentId, session: api.session }, attempt))
          }
        />
      ) : (
        <SandboxCard
          key={topUp.cardForms}
          payLabel={payLabel}
          card={topUp.card}
          onCard={topUp.setCard}
          saving={topUp.saving}
          isBusy={topUp.isPreparing}
          onPay={() => topUp.paySandbox(intent)}
        />
      )}
    </div>
  )
}

function CardHead(of: { formats: Formats; intent: Intent; onChange: () => void }) {
  return (
    <div class="card-head">
      <StateHeading isFirst={false}>
        {say('pay.title', { amount: of.formats.money(of.intent.amount) })}
      </StateHeading>
      <button class="button button-bare" type="button" onClick={of.onChange}>
        <Icon name="back" isSmall />
        {say('topUp.changeAmount')}
      </button>
    </div>
  )
}

/** Where a bank's own page leads back to: others learn it, so the session is not in it. */
function returnAddress({ clientId }: PageData): string {
  return new URL(pageAddress({ page: 'topup', clientId }), location.origin).href
}
