/**
 * What changes a wallet over REST: debit, credit, and voiding a reference.
 * Promises: credentials, scope, fields, user, and only then the lane; a repeat gets the first
 * answer, and what differs from it is said in a header, in the log and in a counter.
 * Never: answers from anything but an outcome.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { entryIdOf } from '../../domain/ids.js'
import type { EntryId, Issuer } from '../../domain/ids.js'
import { toMinor, type Currency } from '../../domain/money.js'
import type { Reference } from '../../domain/reference.js'
import type { EntryCommand, Outcome } from '../../domain/wallet.js'
import type { SealedText } from '../../domain/wallet-events.js'
import type { ClientApp, ClientApps } from '../../identity/client-apps.js'
import type { LinkedUser, Links } from '../../identity/links.js'
import type { Clock } from '../../platform/clock.js'
import type { Counters } from '../../platform/counters.js'
import type { Random } from '../../platform/random.js'
import { seal } from '../../platform/sealing.js'
import type { EntryAnswer } from '../../writing/waiting-command.js'
import type { WalletWriter } from '../../writing/wallet-writer.js'
import type { App } from '../app.js'
import { authenticateClient, findLinkedUser, findUserToBook } from '../client-auth.js'
import { checked, type RequestOf } from '../contract.js'
import { routeOf } from '../errors.js'
import type { FairShares } from '../fair-shares.js'
import { answerOf, describeOutcome, mismatches } from '../outcome-answer.js'
import type { SentCommand } from '../outcome-answer.js'
import type { AppliedBody, KnownOutcome } from '../schemas/answers/wallets.js'
import { creditSchema, debitSchema, voidSchema } from '../schemas/server-wallet.js'
import type { CreditSchema, DebitSchema } from '../schemas/server-wallet.js'

export interface CommandParts {
  readonly clientApps: ClientApps
  readonly links: Links
  readonly shares: FairShares
  readonly writer: WalletWriter
  readonly clock: Clock
  readonly random: Random
  readonly counters: Counters
  readonly currency: Currency
  readonly amountMaxMinor: number
}

export function registerServerCommands(app: App, parts: CommandParts): void {
  const limits = { currency: parts.currency, maxMinor: parts.amountMaxMinor }
  app.post('/api/server/wallet/debit', { schema: debitSchema(limits) }, (request, reply) =>
    book(parts, { verb: 'debit', request }, reply),
  )
  app.post('/api/server/wallet/credit', { schema: creditSchema(limits) }, (request, reply) =>
    book(parts, { verb: 'credit', request }, reply),
  )
  app.post('/api/server/wallet/outcome/void', { schema: voidSchema }, (request) =>
    voidReference(parts, request),
  )
}

/** Only a credit refunds: on a debit `refundOf` is a field that nobody knows. */
type Booking =
  | { readonly verb: 'debit'; readonly request: RequestOf<DebitSchema> }
  | { readonly verb: 'credit'; readonly request: RequestOf<CreditSchema> }

async function book(
  parts: CommandParts,
  booking: Booking,
  reply: FastifyReply,
): Promise<AppliedBody> {
  const { verb, request } = booking
  const arrivedMs = parts.clock.now()
  const clientApp = await authenticateClient(parts.clientApps, request, 'wallet:write')
  const { body } = checked(request)
  const refundOf = booking.verb === 'credit' ? checked(booking.request).body.refundOf : undefined
  const { serviceUserId } = body
  const user = await findUserToBook(parts.links, clientApp, { serviceUserId, refundOf })
  const command = commandOf(parts, { verb, clientApp, user, fields: body, refundOf })
  const answer = await execute(parts, { clientApp, user, command, arrivedMs })
  if (answer.replayed) {
    const sent = sentIn(user, command)
    void reply.headers({ ...replayHeaders(parts, request, sent, answer.outcome) })
  }
  return answerOf(answer.outcome, parts.currency)
}

export interface BookingOrder {
  readonly verb: 'debit' | 'credit'
  readonly clientApp: ClientApp
  readonly user: LinkedUser
  readonly fields: BookingFields
  readonly refundOf: Reference | undefined
}

/** What a debit and a credit say, beside who and on whom. */
interface BookingFields extends Reference {
  readonly amount: number
  readonly description?: string
}

type BookingCommand = Extract<EntryCommand, { type: 'Debit' | 'Credit' }>

export function commandOf(parts: CommandParts, order: BookingOrder): BookingCommand {
  const { verb, clientApp, user, fields, refundOf } = order
  const reference = referenceIn(fields)
  const { entryId, issuer } = ownerOf(clientApp, user, reference)
  return {
    type: verb === 'debit' ? 'Debit' : 'Credit',
    entryId,
    issuer,
    reference,
    amountMinor: toMinor(fields.amount, parts.currency),
    ...sealed(parts, user, entryId, fields.description),
    ...(refundOf && { refundOf: referenceIn(refundOf) }),
  }
}

/** Closes a free reference for ever, or tells what became of a used one. */
async function voidReference(
  parts: CommandParts,
  request: RequestOf<typeof voidSchema>,
): Promise<KnownOutcome> {
  const arrivedMs = parts.clock.now()
  const clientApp = await authenticateClient(parts.clientApps, request, 'wallet:write')
  const { body } = checked(request)
  const reference = referenceIn(body)
  const user = await findLinkedUser(parts.links, clientApp, body.serviceUserId, {
    isCommand: true,
  })
  const { entryId, issuer } = ownerOf(clientApp, user, reference)
  const command = { type: 'Void', entryId, issuer, reference } as const
  const { outcome } = await execute(parts, { clientApp, user, command, arrivedMs })
  return describeOutcome(outcome, parts.currency)
}

interface Execution {
  readonly clientApp: ClientApp
  readonly user: LinkedUser
  readonly command: EntryCommand
  readonly arrivedMs: number
}

/** Within the app's share of what may be under way. */
async function execute(
  { shares, writer }: CommandParts,
  execution: Execution,
): Promise<EntryAnswer> {
  const { clientApp, user, command, arrivedMs } = execution
  const share = shares.of(clientApp)
  share.beginCommands(1)
  try {
    return await writer.execute(user.walletId, command, arrivedMs)
  } finally {
    share.endCommands(1)
  }
}

/** The pair alone: whatever else a client sent stays outside. */
function referenceIn({ referenceType, referenceId }: Reference): Reference {
  return { referenceType, referenceId }
}

function ownerOf({ clientId }: ClientApp, { walletId }: LinkedUser, reference: Reference) {
  const issuer: Issuer = `client-app:${clientId}`
  return { issuer, walletId, entryId: entryIdOf({ issuer, walletId, reference }) }
}

function sealed(
  { random }: CommandParts,
  { sealingKey: key }: LinkedUser,
  entryId: EntryId,
  description: string | undefined,
): { description?: SealedText } {
  // A person whose key is destroyed gets no new texts: they could not be read or erased.
  if (description === undefined || key === undefined) return {}
  return { description: seal(description, { key, entryId }, random) }
}

interface ReplayHeaders {
  readonly 'idempotency-replayed': 'true'
  readonly 'reference-mismatch'?: string
}

export function sentIn({ walletId }: LinkedUser, command: BookingCommand): SentCommand {
  const { amountMinor, issuer, type } = command
  if (type === 'Debit') return { verb: 'debit', amountMinor }
  const { refundOf } = command
  const refundedEntryId = refundOf && entryIdOf({ issuer, walletId, reference: refundOf })
  return { verb: 'credit', amountMinor, refundedEntryId }
}

/** What the answer to a repeat says beside its body; a difference is also counted and logged. */
export function replayHeaders(
  { counters }: CommandParts,
  request: FastifyRequest,
  sent: SentCommand,
  outcome: Outcome,
): ReplayHeaders {
  const differing = mismatches(outcome, sent)
  if (differing.length === 0) return { 'idempotency-replayed': 'true' }
  counters.increment('reference_mismatches_total')
  request.log.warn({ route: routeOf(request), differing }, 'a repeat differs from its original')
  return { 'idempotency-replayed': 'true', 'reference-mismatch': differing.join(', ') }
}
