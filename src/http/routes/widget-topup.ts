/**
 * Top-ups from the widget: an intent to pay, and what came of it. Promises: amount and status are
 * what the processor says, whatever the browser sends; an intent that is unknown or another
 * wallet's is the same 404; a wallet that is not active begins no top-up, but what was paid is
 * booked. Never: holds card data.
 */
import { balanceMaxMinor, toMajor, toMinor, type Currency } from '../../domain/money.js'
import type { LinkedUser, Links } from '../../identity/links.js'
import type { Throttle } from '../../identity/throttle.js'
import { isStorable } from '../../identity/user-rules.js'
import type { WidgetSession, WidgetSessions } from '../../identity/widget-sessions.js'
import {
  confirmTriesPerWallet,
  intentTriesPerWallet,
  intentWindowMs,
} from '../../top-ups/limits.js'
import { AmountRefusedError } from '../../top-ups/card-processor.js'
import type { PaymentsConfig } from '../../top-ups/payments-config.js'
import type { WalletReader } from '../../reading/wallet-reader.js'
import type { TopUps } from '../../top-ups/top-up.js'
import type { App } from '../app.js'
import { checked, type RequestOf } from '../contract.js'
import { countTry } from '../counted-try.js'
import { ApiError } from '../errors.js'
import { sumsOf } from '../outcome-answer.js'
import type { Intent, TopUpAnswer } from '../schemas/answers/top-ups.js'
import { confirmSchema, createIntentSchema, type CreateIntentSchema } from '../schemas/top-ups.js'
import { liveSession } from '../widget-call.js'

export interface WidgetTopUpParts {
  readonly widgetSessions: WidgetSessions
  readonly links: Links
  readonly throttle: Throttle
  readonly reader: WalletReader
  readonly currency: Currency
  readonly payments: PaymentsConfig
  /** Undefined: nothing can be topped up. */
  readonly topUps: TopUps | undefined
}

export function registerWidgetTopUp(app: App, parts: WidgetTopUpParts): void {
  app.post(
    '/api/widget/topup/create-intent',
    { schema: createIntentSchema(parts.currency) },
    (request) => createIntent(parts, request),
  )
  app.post('/api/widget/topup/confirm', { schema: confirmSchema }, (request) =>
    confirm(parts, request),
  )
}

async function createIntent(
  parts: WidgetTopUpParts,
  request: RequestOf<CreateIntentSchema>,
): Promise<Intent> {
  const { currency, payments, throttle } = parts
  const session = await liveSession(parts.widgetSessions, request)
  const topUps = topUpsOf(parts)
  const amountMinor = toMinor(checked(request).body.amount, currency)
  if (amountMinor < payments.minimumMinor || amountMinor > payments.maximumMinor)
    throw overLimit(parts)
  const { walletId } = await userOf(parts, session)
  await requireRoom(parts, walletId, amountMinor)
  const wallet = { kind: 'topup-wallet', value: walletId }
  await countTry(throttle, { ...wallet, tries: intentTriesPerWallet, windowMs: intentWindowMs })
  const { clientId, serviceUserId } = session
  const created = await topUps
    .create({ walletId, serviceUserId, clientId, amountMinor })
    .catch((error: unknown) => {
      throw error instanceof AmountRefusedError ? overLimit(parts) : error
    })
  if (created.kind === 'over-limit') throw overLimit(parts, created.leftMinor)
  return {
    paymentIntentId: created.paymentIntentId,
    paymentSecret: created.paymentSecret,
    publishableKey: payments.publishableKey,
    amount: toMajor(amountMinor, currency),
    currency: currency.code,
  }
}

/** Of the body only the id counts: everything else is the processor's to say. */
async function confirm(
  parts: WidgetTopUpParts,
  request: RequestOf<typeof confirmSchema>,
): Promise<TopUpAnswer> {
  const { currency, reader, throttle } = parts
  const session = await liveSession(parts.widgetSessions, request)
  const topUps = topUpsOf(parts)
  const { paymentIntentId } = checked(request).body
  const { walletId } = await userOf(parts, session)
  // Before the processor is asked: nobody sets anything going for another's wallet. What
  // PostgreSQL refuses to compare is nobody's id.
  const intent = isStorable(paymentIntentId) ? await topUps.find(paymentIntentId) : undefined
  if (intent?.walletId !== walletId) throw new ApiError('TOPUP_NOT_FOUND')
  // Places for settling are shared by all: nobody takes them all by asking again and again.
  const confirms = { kind: 'topup-confirm', value: walletId }
  await countTry(throttle, { ...confirms, tries: confirmTriesPerWallet, windowMs: intentWindowMs })
  const settled = await topUps.settle(paymentIntentId)
  if (settled === undefined) throw new ApiError('TOPUP_NOT_FOUND')
  const wallet = await reader.read(walletId, { limit: 1 })
  return {
    paymentIntentId,
    status: settled.status,
    amount: toMajor(settled.amountMinor, currency),
    ...sumsOf(wallet, currency),
    ...(settled.failure !== undefined && { failure: settled.failure }),
  }
}

function topUpsOf({ topUps }: WidgetTopUpParts): TopUps {
  if (topUps !== undefined) return topUps
  throw new ApiError('TOPUP_UNAVAILABLE', { message: 'Card payments are switched off here.' })
}

async function userOf({ links }: WidgetTopUpParts, session: WidgetSession): Promise<LinkedUser> {
  const user = await links.findUser(session.clientId, session.serviceUserId)
  if (user === undefined) throw new ApiError('SESSION_EXPIRED')
  return user
}

/** A new top-up needs a wallet that is active and can hold it. */
async function requireRoom(
  { reader }: WidgetTopUpParts,
  walletId: LinkedUser['walletId'],
  amountMinor: number,
): Promise<void> {
  const wallet = await reader.read(walletId, { limit: 1 })
  if (!wallet.isActive)
    throw new ApiError('WALLET_INACTIVE', {
      message: 'The wallet is not active. It cannot be topped up now.',
    })
  if (wallet.balanceMinor + amountMinor > balanceMaxMinor)
    throw new ApiError('BALANCE_LIMIT_EXCEEDED', {
      message: 'The balance would exceed what a wallet can hold.',
    })
}

/** `dayLeftMinor` only when the day is what is over. */
function overLimit({ currency, payments }: WidgetTopUpParts, dayLeftMinor?: number): ApiError {
  const minimum = toMajor(payments.minimumMinor, currency)
  const maximum = toMajor(payments.maximumMinor, currency)
  if (dayLeftMinor === undefined)
    return new ApiError('TOPUP_LIMIT', {
      message: `A top-up is at least ${minimum} and at most ${maximum}.`,
      fields: { minimum, maximum },
    })
  const dayLeft = toMajor(dayLeftMinor, currency)
  return new ApiError('TOPUP_LIMIT', {
    message: `Within 24 hours ${dayLeft} more can be topped up.`,
    fields: { minimum, maximum, dayLeft },
  })
}
