/**
 * What changes a wallet over REST: debit, credit, and voiding a reference.
 * Promises: credentials, scope, fields, user, and only then the lane; a repeat gets the first
 * answer, and what differs from it is said in a header, in the log and in a counter.
 * Never: answers from anything but an outcome.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { entryIdOf } from '../../domain/ids.js'
import type { EntryId, Issuer } from '../../domain/ids.js'
import type { Currency } from '../../domain/money.js'
import type { Reference } from '../../domain/reference.js'
import type { WalletCommand } from '../../domain/wallet.js'
import type { SealedText } from '../../domain/wallet-events.js'
import type { ClientApp, ClientApps } from '../../identity/client-apps.js'
import type { LinkedUser, Links } from '../../identity/links.js'
import type { Clock } from '../../platform/clock.js'
import type { Counters } from '../../platform/counters.js'
import type { Random } from '../../platform/random.js'
import { seal } from '../../platform/sealing.js'
import type { Answer } from '../../writing/waiting-command.js'
import type { WalletWriter } from '../../writing/wallet-writer.js'
import type { App } from '../app.js'
import { authenticateClient, findLinkedUser, serviceUserIdField } from '../client-auth.js'
import { ApiError, routeOf } from '../errors.js'
import {
  amountField,
  descriptionField,
  inputOf,
  referenceFields,
  refundOfField,
} from '../fields.js'
import type { Input } from '../fields.js'
import { answerOf, describeOutcome, mismatches } from '../outcome-answer.js'
import type { AppliedBody, SentCommand } from '../outcome-answer.js'

export interface CommandParts {
  readonly clientApps: ClientApps
  readonly links: Links
  readonly writer: WalletWriter
  readonly clock: Clock
  readonly random: Random
  readonly counters: Counters
  readonly currency: Currency
  readonly amountMaxMinor: number
}

export function registerServerCommands(app: App, parts: CommandParts): void {
  app.post('/api/server/wallet/debit', (request, reply) => book('debit', parts, request, reply))
  app.post('/api/server/wallet/credit', (request, reply) => book('credit', parts, request, reply))
  app.post('/api/server/wallet/outcome/void', (request) => voidReference(parts, request))
}

async function book(
  verb: 'credit' | 'debit',
  parts: CommandParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AppliedBody> {
  const arrivedMs = parts.clock.now()
  const input = inputOf(request.body)
  const clientApp = await authenticateClient(parts.clientApps, input, 'wallet:write')
  const fields = bookingFields(verb, parts, input)
  const user = await findLinkedUser(parts.links, clientApp, fields.serviceUserId, {
    isCommand: true,
  })
  const owner = ownerOf(clientApp, user, fields.reference)
  const command: WalletCommand = {
    type: verb === 'debit' ? 'Debit' : 'Credit',
    entryId: owner.entryId,
    issuer: owner.issuer,
    reference: fields.reference,
    amountMinor: fields.amountMinor,
    ...sealed(parts, user, owner.entryId, fields.description),
    ...(fields.refundOf && { refundOf: fields.refundOf }),
  }
  const answer = await parts.writer.execute(user.walletId, command, arrivedMs)
  const refundedEntryId = fields.refundOf && entryIdOf({ ...owner, reference: fields.refundOf })
  const sent = { verb, amountMinor: fields.amountMinor, refundedEntryId }
  if (answer.replayed) tellReplay(parts, request, reply, answer, sent)
  return answerOf(outcomeIn(answer), parts.currency)
}

/** Closes a free reference for ever, or tells what became of a used one. */
async function voidReference(parts: CommandParts, request: FastifyRequest) {
  const arrivedMs = parts.clock.now()
  const input = inputOf(request.body)
  const clientApp = await authenticateClient(parts.clientApps, input, 'wallet:write')
  const serviceUserId = serviceUserIdField(input)
  const reference = referenceFields(input)
  const user = await findLinkedUser(parts.links, clientApp, serviceUserId, { isCommand: true })
  const { entryId, issuer } = ownerOf(clientApp, user, reference)
  const command = { type: 'Void', entryId, issuer, reference } as const
  const answer = await parts.writer.execute(user.walletId, command, arrivedMs)
  return describeOutcome(outcomeIn(answer), parts.currency)
}

function bookingFields(verb: 'credit' | 'debit', parts: CommandParts, input: Input) {
  const { currency, amountMaxMinor: maxMinor } = parts
  return {
    serviceUserId: serviceUserIdField(input),
    amountMinor: amountField(input, 'amount', { currency, maxMinor }),
    reference: referenceFields(input),
    description: descriptionField(input),
    refundOf: verb === 'credit' ? refundOfField(input) : undefined,
  }
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

function tellReplay(
  { counters }: CommandParts,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  sent: SentCommand,
): void {
  void reply.header('idempotency-replayed', 'true')
  const differing = mismatches(outcomeIn(answer), sent)
  if (differing.length === 0) return
  void reply.header('reference-mismatch', differing.join(', '))
  counters.increment('reference_mismatches_total')
  request.log.warn({ route: routeOf(request), differing }, 'a repeat differs from its original')
}

function outcomeIn({ outcome }: Answer) {
  if (outcome === undefined) throw new ApiError('INTERNAL')
  return outcome
}
