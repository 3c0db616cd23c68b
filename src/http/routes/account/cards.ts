/**
 * Saved cards over HTTP: which there are, saving the one that pays, paying with one tap, removing.
 * Promises: only for a session that the person made by logging in; saving needs the password again;
 * an intent that is unknown, ended or another wallet's is the same 404; what came of a payment is
 * asked for by `confirm`, as of every other. The same for the rule of automatic top-ups, which also
 * needs the password to be switched on. Never: holds card data.
 */
import { isUuid } from '../../../domain/ids.js'
import { toMajor, toMinor, type Currency } from '../../../domain/money.js'
import type { Users } from '../../../identity/users.js'
import { isStorable } from '../../../identity/user-rules.js'
import type { AutomaticTopUps } from '../../../top-ups/automatic-top-ups.js'
import { confirmTriesPerWallet, intentWindowMs, savedCardsMax } from '../../../top-ups/limits.js'
import type { PaymentsConfig } from '../../../top-ups/payments-config.js'
import type { CardOwner, SavedCards } from '../../../top-ups/saved-cards.js'
import type { TopUpIntent } from '../../../top-ups/top-up-intents.js'
import type { TopUps } from '../../../top-ups/top-up.js'
import type { App } from '../../app.js'
import { checked, type RequestOf } from '../../contract.js'
import { countTry } from '../../counted-try.js'
import { ApiError, invalidField } from '../../errors.js'
import { askPasswordAgain } from '../../password-again.js'
import type { AutomaticTopUp, SavedCards as SavedCardsAnswer } from '../../schemas/answers/cards.js'
import type { PayAnswer } from '../../schemas/answers/top-ups.js'
import type { Done } from '../../schemas/answers/widget.js'
import * as schemas from '../../schemas/cards.js'
import { personSession } from '../../widget-call.js'
import { personOf } from './documents.js'
import { countChange, type ProfileParts } from './profile.js'

export interface CardsParts extends ProfileParts {
  readonly users: Users
  readonly currency: Currency
  readonly payments: Pick<PaymentsConfig, 'minimumMinor' | 'maximumMinor'>
  /** All undefined: nothing can be topped up. */
  readonly topUps: TopUps | undefined
  readonly savedCards: SavedCards | undefined
  readonly automaticTopUps: AutomaticTopUps | undefined
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
  const rule = '/api/widget/account/automatic-top-up'
  app.post(rule, { schema: schemas.automaticTopUpOnSchema(parts.currency) }, (request) =>
    switchOn(parts, request),
  )
  app.post(`${rule}/off`, { schema: schemas.automaticTopUpOffSchema }, (request) =>
    switchOff(parts, request),
  )
}

async function read(
  parts: CardsParts,
  request: RequestOf<typeof schemas.cardsReadSchema>,
): Promise<SavedCardsAnswer> {
  return cardsOf(parts, await personOf(parts, request))
}

/** Also what an export says of the person. */
export async function cardsOf(
  parts: Pick<CardsParts, 'savedCards' | 'automaticTopUps' | 'currency'>,
  person: CardOwner,
): Promise<SavedCardsAnswer> {
  const { savedCards } = parts
  if (savedCards === undefined) return { cards: [], cardsMax: 0, automaticTopUp: null }
  return {
    cards: await savedCards.list(person.serviceUserId),
    cardsMax: savedCardsMax,
    automaticTopUp: (await ruleOf(parts, person)) ?? null,
  }
}

async function ruleOf(
  { automaticTopUps: rules, currency }: Pick<CardsParts, 'automaticTopUps' | 'currency'>,
  { serviceUserId, walletId }: CardOwner,
): Promise<AutomaticTopUp | undefined> {
  const rule = await rules?.find(serviceUserId)
  if (rules === undefined || rule === undefined) return undefined
  return {
    isOn: rule.isOn,
    offBecause: rule.offBecause ?? null,
    cardId: rule.cardId ?? null,
    threshold: toMajor(rule.thresholdMinor, currency),
    amount: toMajor(rule.amountMinor, currency),
    monthMaximum: toMajor(rule.monthMaxMinor, currency),
    monthUsed: toMajor(await rules.monthSum(walletId), currency),
  }
}

async function switchOn(
  parts: CardsParts,
  request: RequestOf<schemas.AutomaticTopUpOnSchema>,
): Promise<Done> {
  const { currency, payments, automaticTopUps, accountMails } = parts
  const { clientId } = await personSession(parts.widgetSessions, request)
  const { serviceUserId, walletId } = await personOf(parts, request)
  const { body } = checked(request)
  const [thresholdMinor, amountMinor, monthMaxMinor] = [
    toMinor(body.threshold, currency),
    toMinor(body.amount, currency),
    toMinor(body.monthMaximum, currency),
  ]
  const { minimumMinor, maximumMinor } = payments
  if (amountMinor < minimumMinor || amountMinor > maximumMinor) {
    const [least, most] = [toMajor(minimumMinor, currency), toMajor(maximumMinor, currency)]
    throw invalidField('amount', `must be from ${least} to ${most}`)
  }
  if (monthMaxMinor < amountMinor)
    throw invalidField('monthMaximum', 'must be at least the amount of one top-up')
  if (automaticTopUps === undefined) throw new ApiError('TOPUP_UNAVAILABLE')
  await countChange(parts, serviceUserId)
  const { ip } = request
  const { email: to } = await askPasswordAgain(parts, {
    serviceUserId,
    ip,
    password: body.password,
  })
  const { cardId } = body
  const rule = { cardId, thresholdMinor, amountMinor, monthMaxMinor }
  const of = { serviceUserId, walletId, clientId }
  if (!isUuid(cardId) || !(await automaticTopUps.switchOn(of, rule)))
    throw new ApiError('CARD_NOT_FOUND')
  accountMails.tell({ serviceUserId, to }, { kind: 'automatic-top-up-on' })
  return {}
}

async function switchOff(
  parts: CardsParts,
  request: RequestOf<typeof schemas.automaticTopUpOffSchema>,
): Promise<Done> {
  const { serviceUserId } = await personOf(parts, request)
  await parts.automaticTopUps?.switchOff(serviceUserId)
  return {}
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
