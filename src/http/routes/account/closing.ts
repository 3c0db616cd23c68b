/**
 * What a person ends: an app's access, or the whole account; and what they take with them, an
 * export of all that is kept of them. Promises: an account is closed only with an empty wallet and
 * nothing on its way, after forms that could still be paid are cancelled; a login opens it again
 * for 30 days; what came by card goes back there when the person asks for it.
 * Never: forfeits money; what is in the way is said, with what can go back to cards.
 */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { requireBounded } from '../../../audit/documents/period-statement.js'
import { readStatement, type StatementLine } from '../../../audit/books/statement.js'
import type { WalletId } from '../../../domain/ids.js'
import { toMajor, type Currency } from '../../../domain/money.js'
import type { EventStore } from '../../../event-store/event-store.js'
import type { ClosedAccounts } from '../../../identity/closed-accounts.js'
import type { Links } from '../../../identity/links.js'
import type { UserDetails, Users } from '../../../identity/users.js'
import type { WalletReader } from '../../../reading/wallet-reader.js'
import type { CardReturns } from '../../../top-ups/card-returns.js'
import type { App } from '../../app.js'
import { checked, type RequestOf } from '../../contract.js'
import { ApiError } from '../../errors.js'
import { askPasswordAgain } from '../../password-again.js'
import { closeSchema, exportSchema, returnSchema, unlinkSchema } from '../../schemas/account.js'
import type { Account, Closed, ReturnedToCards } from '../../schemas/answers/account.js'
import type { SavedCards } from '../../schemas/answers/cards.js'
import type { Done } from '../../schemas/answers/widget.js'
import { findObstacles } from '../../wallet-obstacles.js'
import { personSession } from '../../widget-call.js'
import { cardsOf, type CardsParts } from './cards.js'
import { bounded, countDocument, personOf, sendFile } from './documents.js'
import { accountOf, countChange } from './profile.js'

export interface ClosingParts extends CardsParts {
  readonly users: Users
  readonly links: Links
  readonly closedAccounts: ClosedAccounts
  readonly reader: WalletReader
  readonly store: EventStore
  readonly currency: Currency
  /** Undefined: nothing can be topped up. */
  readonly cardReturns: CardReturns | undefined
}

export function registerClosing(app: App, parts: ClosingParts): void {
  app.post('/api/widget/account/unlink', { schema: unlinkSchema }, (request) =>
    unlink(parts, request),
  )
  app.post('/api/widget/account/close', { schema: closeSchema }, (request) => close(parts, request))
  app.post('/api/widget/account/return-to-cards', { schema: returnSchema }, (request) =>
    returnToCards(parts, request),
  )
  app.get('/api/widget/account/export', { schema: exportSchema }, (request, reply) =>
    sendExport(parts, request, reply),
  )
}

/** Also the app on whose page the person is: this session ends with it. */
async function unlink(parts: ClosingParts, request: RequestOf<typeof unlinkSchema>): Promise<Done> {
  const { serviceUserId } = await personSession(parts.widgetSessions, request)
  const { clientId } = checked(request).body
  await parts.links.remove(clientId, serviceUserId)
  return {}
}

async function close(parts: ClosingParts, request: RequestOf<typeof closeSchema>): Promise<Closed> {
  const { serviceUserId, walletId } = await personOf(parts, request)
  const { password } = checked(request).body
  await countChange(parts, serviceUserId)
  const { ip } = request
  const { email } = await askPasswordAgain(parts, { serviceUserId, ip, password })
  // First: what is charged from now on was named before, and is cancelled or seen below.
  await parts.automaticTopUps?.switchOff(serviceUserId)
  await requireEmpty(parts, walletId)
  const erasedAt = await parts.closedAccounts.close(serviceUserId)
  parts.accountMails.tell({ serviceUserId, to: email }, { kind: 'closed', erasedAt })
  return { erasedAt }
}

/** The way out of WALLET_NOT_EMPTY: what came by card goes back there. */
async function returnToCards(
  parts: ClosingParts,
  request: RequestOf<typeof returnSchema>,
): Promise<ReturnedToCards> {
  const { currency, cardReturns } = parts
  const { serviceUserId, walletId } = await personOf(parts, request)
  const { password } = checked(request).body
  if (cardReturns === undefined)
    throw new ApiError('TOPUP_UNAVAILABLE', { message: 'Card payments are switched off here.' })
  await countChange(parts, serviceUserId)
  const { ip } = request
  const { email } = await askPasswordAgain(parts, { serviceUserId, ip, password })
  // First: an empty wallet is below every threshold.
  await parts.automaticTopUps?.switchOff(serviceUserId)
  const { sentMinor, waitingMinor, refusedMinor } = await cardReturns.send(walletId)
  if (sentMinor + waitingMinor > 0)
    parts.accountMails.tell({ serviceUserId, to: email }, { kind: 'returned-to-cards' })
  const { balanceMinor } = await parts.reader.read(walletId, { limit: 0 })
  return {
    sent: toMajor(sentMinor, currency),
    waiting: toMajor(waitingMinor, currency),
    refused: toMajor(refusedMinor, currency),
    balance: toMajor(balanceMinor, currency),
  }
}

/** Throws WALLET_NOT_EMPTY with everything that is in the way. */
async function requireEmpty(parts: ClosingParts, walletId: WalletId): Promise<void> {
  const { currency, topUps, cardReturns } = parts
  // A form that somebody has left open must not be paid into a closed account.
  await topUps?.cancelOpen(walletId)
  const found = await findObstacles(parts, walletId)
  if (found === undefined) return
  const refundableMinor = (await cardReturns?.offer(walletId)) ?? 0
  throw new ApiError('WALLET_NOT_EMPTY', {
    fields: {
      balance: toMajor(found.balanceMinor, currency),
      held: toMajor(found.heldMinor, currency),
      pendingTopUps: found.pendingTopUps,
      openReturns: found.openReturns,
      refundable: toMajor(refundableMinor, currency),
    },
  })
}

async function sendExport(
  parts: ClosingParts,
  request: RequestOf<typeof exportSchema>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await personSession(parts.widgetSessions, request)
  const user = await personOf(parts, request)
  await countDocument(parts, user.walletId)
  await bounded(requireBounded(parts.store, user.walletId))
  const account = await accountOf(parts, session)
  const { cards, automaticTopUp } = await cardsOf(parts, user)
  const known = { account, cards, automaticTopUp }
  return sendFile(reply, 'wallet-account.json', Readable.from(exportPieces(parts, user, known)))
}

/** One JSON text, in pieces: the wallet may have many events. */
async function* exportPieces(
  { store, currency, clock }: ClosingParts,
  user: UserDetails,
  known: { readonly account: Account } & Pick<SavedCards, 'cards' | 'automaticTopUp'>,
): AsyncGenerator<string, void> {
  const { serviceUserId, walletId } = user
  const madeAt = new Date(clock.now()).toISOString()
  const ids = { format: 'wallet-account-export-v1', madeAt, serviceUserId, walletId }
  const head = { ...ids, currency: currency.code, ...known }
  yield `${JSON.stringify(head).slice(0, -1)},"events":[`
  let separator = ''
  for await (const line of readStatement(store, user)) {
    yield `${separator}\n${JSON.stringify(exportedLine(line, currency))}`
    separator = ','
  }
  yield '\n]}\n'
}

function exportedLine(line: StatementLine, currency: Currency) {
  const { changeMinor, amountMinor, balanceMinor, position: _position, ...rest } = line
  return {
    ...rest,
    change: toMajor(changeMinor, currency),
    amount: amountMinor === null ? null : toMajor(amountMinor, currency),
    balance: toMajor(balanceMinor, currency),
  }
}
