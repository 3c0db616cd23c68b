/**
 * The saved cards as choices of one tap each, before the form for another card. Promises: shown
 * only to the person who has logged in; the amount stands on every button that takes it.
 */
import type { SavedCard } from '../../../src/http/schemas/answers/cards.js'
import { Button } from '../shared/button.js'
import { cardName, expiryOf, isExpired } from '../widget/card-names.js'
import { say } from '../words/say.js'
import { CardBrand } from './card-brand.js'
import { brands } from './card-brands.js'

export interface SavedChoicesProps {
  readonly amount: string
  readonly cards: readonly SavedCard[]
  readonly onPay: (card: SavedCard) => void
  readonly onOther: () => void
}

export function SavedChoices({ amount, cards, onPay, onOther }: SavedChoicesProps) {
  return (
    <div class="saved-cards">
      <ul>
        {cards.map((card) => (
          <li key={card.cardId}>
            <SavedChoice card={card} amount={amount} onPay={() => onPay(card)} />
          </li>
        ))}
      </ul>
      <Button onClick={onOther}>{say('saved.other')}</Button>
    </div>
  )
}

function SavedChoice(of: { card: SavedCard; amount: string; onPay: () => void }) {
  const { card, amount, onPay } = of
  const isOver = isExpired(card, Date.now())
  return (
    <button class="saved-card" type="button" disabled={isOver} onClick={onPay}>
      <CardBrand brand={brands.find(({ brand }) => brand === card.brand)?.brand} isSilent />
      <span class="saved-card-name">
        {isOver ? cardName(card) : say('saved.pay', { amount, card: cardName(card) })}
      </span>
      <span class="small quiet">
        {say(isOver ? 'saved.expired' : 'saved.expires', { date: expiryOf(card) })}
      </span>
    </button>
  )
}
