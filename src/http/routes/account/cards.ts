/**
 * Saved cards over HTTP: which there are, saving the one that pays, paying with one tap, removing.
 * Promises: only for a session that the person made by logging in; saving needs the password again;
 * an intent that is unknown, ended or another wallet's is the same 404; what came of a payment is
 * asked for by `confirm`, as of every other. Never: holds card data.
 */
import { isUuid } from '../../../domain/ids.js'
import type { Users } from '../../../identity/users.js'
import { isStorable } from '../../../identity/user-rules.js'
import { confirmTriesPerWallet, intentWindowMs, savedCardsMax } from '../../../top-ups/limits.js'
import type { SavedCards } from '../../../top-ups/saved-cards.js'
import type { TopUpIntent } from '../../../top-ups/top-up-intents.js'
import type { TopUps } from '../../../top-ups/top-up.js'
import type { App } from '../../app.js'
import { checked, type RequestOf } from '../../contract.js'
import { countTry } from '../../counted-try.js'
import { ApiError } from '../../errors.js'
import { askPasswordAgain } from '../../password-again.js'
import type { SavedCards as SavedCardsAnswer } from '../../schemas/answers/cards.js'
import type { PayAnswer } from '../../schemas/answers/top-ups.js'
import type { Done } from '../../schemas/answers/widget.js'
import * as schemas from '../../schemas/cards.js'
import { personOf } from './documents.js'
import { countChange, type ProfileParts } from './profile.js'

export interface CardsParts extends ProfileParts {
  readonly users: Users
  /** Both undefined: nothing can be topped up. */
  readonly topUps: TopUps | undefined
  readonly savedCards: SavedCards | undefined
}

export function registerCards(app: App, parts: CardsParts): void {
  const path = '/api/widget/account/cards'
  app.get(path, { schema: schemas.cardsReadSchema }, (request) => read(parts, request))
  app.post(`${path}/save`, { schema: schemas.saveCardSchema }, (request) => save(parts, request))
  app.post(`${path}/unsave`, { schema: schemas.unsaveCardSchema }, (request) =>
    unsave(parts, request),
  )
  app.post(`${path}/pay`, { schema: schemas.paySavedSchema }, (request) => pay(parts, request))
  app.post(`${path}/remove`, { schema: schemas.removeCardSchema }, (request) =>
    remove(parts, request),
  )
}

async function read(
  parts: CardsParts,
  request: RequestOf<typeof schemas.cardsReadSchema>,
): Promise<SavedCardsAnswer> {
  const { serviceUserId } = await personOf(parts, request)
  return cardsOf(parts, serviceUserId)
}

/** Also what an export says of the person. */
export async function cardsOf(
  { savedCards }: Pick<CardsParts, 'savedCards'>,
  serviceUserId: string,
): Promise<SavedCardsAnswer> {
  if (savedCards === undefined) return { cards: [], cardsMax: 0 }
  return { cards: await savedCards.list(serviceUserId), cardsMax: savedCardsMax }
}

async function save(
  parts: CardsParts,
  request: RequestOf<typeof schemas.saveCardSchema>,
): Promise<Done> {
  const person = await personOf(parts, request)
  const { paymentIntentId, password } = checked(request).body
  const { serviceUserId } = person
  const { savedCards, intent } = await openIntent(parts, person, paymentIntentId)
  await countChange(parts, serviceUserId)
  await askPasswordAgain(parts, { serviceUserId, ip: request.ip, password })
  if (!(await savedCards.wish(serviceUserId, intent))) throw new ApiError('TOO_MANY_CARDS')
  return {}
}

async function unsave(
  parts: CardsParts,
  request: RequestOf<typeof schemas.unsaveCardSchema>,
): Promise<Done> {
  const person = await personOf(parts, request)
  const { paymentIntentId } = checked(request).body
  const { savedCards, intent } = await openIntent(parts, person, paymentIntentId)
  await savedCards.unwish(person.serviceUserId, intent)
  return {}
}

async function pay(
  parts: CardsParts,
  request: RequestOf<typeof schemas.paySavedSchema>,
): Promise<PayAnswer> {
  const person = await personOf(parts, request)
  const { paymentIntentId, cardId } = checked(request).body
  const { savedCards, intent } = await openIntent(parts, person, paymentIntentId)
  const { serviceUserId } = person
  const charged = { serviceUserId, intent, cardId, isPersonThere: true }
  const answer = isUuid(cardId) ? await savedCards.charge(charged) : undefined
  if (answer === undefined) throw new ApiError('CARD_NOT_FOUND')
  return answer
}

async function remove(
  parts: CardsParts,
  request: RequestOf<typeof schemas.removeCardSchema>,
): Promise<Done> {
  const person = await personOf(parts, request)
  const { cardId } = checked(request).body
  await countChange(parts, person.serviceUserId)
  const removed = isUuid(cardId) ? await parts.savedCards?.remove(person, cardId) : undefined
  if (removed === undefined) throw new ApiError('CARD_NOT_FOUND')
  return {}
}

/** Of this person's wallet, and not paid yet; asked for a bounded number of times. */
async function openIntent(
  { topUps, savedCards, throttle }: CardsParts,
  { walletId }: Pick<TopUpIntent, 'walletId'>,
  paymentIntentId: string,
): Promise<{ readonly savedCards: SavedCards; readonly intent: TopUpIntent }> {
  if (topUps === undefined || savedCards === undefined)
    throw new ApiError('TOPUP_UNAVAILABLE', { message: 'Card payments are switched off here.' })
  const intent = isStorable(paymentIntentId) ? await topUps.find(paymentIntentId) : undefined
  if (intent?.walletId !== walletId || intent.status !== 'open')
    throw new ApiError('TOPUP_NOT_FOUND')
  const confirms = { kind: 'topup-confirm', value: walletId }
  await countTry(throttle, { ...confirms, tries: confirmTriesPerWallet, windowMs: intentWindowMs })
  return { savedCards, intent }
}
