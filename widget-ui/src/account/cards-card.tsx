/**
 * The saved cards, each with a way to remove it that asks first. Promises: what is shown is read
 * from the service; where no card can be saved the part is not there.
 */
import { useEffect, useState } from 'preact/hooks'
import type { SavedCard, SavedCards } from '../../../src/http/schemas/answers/cards.js'
import type { Formats } from '../shared/formats.js'
import { Notice } from '../shared/notice.js'
import { asFailure } from '../widget/api.js'
import { cardName, expiryOf, isExpired } from '../widget/card-names.js'
import { say } from '../words/say.js'
import { AskFirst } from './ask-first.js'
import { AutomaticForm } from './automatic-form.js'
import type { PartProps } from './part-props.js'
import { useSending } from './use-sending.js'

export function CardsCard({ person, formats }: PartProps & { readonly formats: Formats }) {
  const [saved, setSaved] = useState<SavedCards>()
  const [problem, setProblem] = useState<string>()
  const load = async (): Promise<void> => {
    try {
      setSaved(await person.call<SavedCards>('GET', '/api/widget/account/cards'))
      setProblem(undefined)
    } catch (error) {
      setProblem(asFailure(error).message)
    }
  }
  useEffect(() => void load(), [])
  if (saved?.cardsMax === 0) return null
  return (
    <section class="card" aria-labelledby="cards-title" aria-busy={saved === undefined}>
      <h2 id="cards-title">{say('cards.title')}</h2>
      {problem !== undefined && (
        <Notice kind="danger" action={{ label: say('act.tryAgain'), run: () => void load() }}>
          {problem}
        </Notice>
      )}
      {saved?.cards.length === 0 && <p class="quiet">{say('cards.none')}</p>}
      {saved === undefined && <span class="skeleton account-skeleton">&nbsp;</span>}
      <ul class="account-list">
        {saved?.cards.map((card) => (
          <li key={card.cardId}>
            <CardRow card={card} person={person} onRemoved={() => void load()} />
          </li>
        ))}
      </ul>
      {saved !== undefined && saved.cards.length > 0 && (
        <AutomaticForm
          saved={saved}
          person={person}
          formats={formats}
          onChanged={() => void load()}
        />
      )}
    </section>
  )
}

function CardRow(of: {
  readonly card: SavedCard
  readonly person: PartProps['person']
  readonly onRemoved: () => void
}) {
  const { card, person, onRemoved } = of
  const form = useSending({
    send: async () => {
      const body = { cardId: card.cardId }
      await person.call('POST', '/api/widget/account/cards/remove', { body })
      onRemoved()
    },
  })
  const date = expiryOf(card)
  return (
    <>
      <div>
        <p class="account-row-title">{cardName(card)}</p>
        <p class="quiet small">
          {say(isExpired(card, Date.now()) ? 'saved.expired' : 'saved.expires', { date })}
        </p>
      </div>
      <AskFirst
        label={say('cards.remove')}
        question={say('cards.removeAsk', { card: cardName(card) })}
        form={form}
      />
    </>
  )
}
