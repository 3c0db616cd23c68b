/**
 * What changes a wallet over REST: debit, credit, holds, and voiding a reference.
 * Promises: credentials, scope, fields, user, and only then the lane; a repeat gets the first
 * answer, and what differs from it is said in a header, in the log and in a counter.
 * Never: answers from anything but an outcome.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Currency } from '../../domain/money.js'
import type { EntryCommand, Outcome } from '../../domain/wallet.js'
import type { ClientApps } from '../../identity/client-apps.js'
import type { Links } from '../../identity/links.js'
import type { Clock } from '../../platform/clock.js'
import type { Counters } from '../../platform/counters.js'
import type { Random } from '../../platform/random.js'
import type { RollOut } from '../../platform/roll-out.js'
import type { EntryAnswer } from '../../writing/waiting-command.js'
import type { WalletWriter } from '../../writing/wallet-writer.js'
import type { App } from '../app.js'
import { authenticateClient, findLinkedUser, findUserFor } from '../client-auth.js'
import { orderOf, ownerOf, type Asker, type Wish } from '../command-order.js'
import { checked, type RequestOf } from '../contract.js'
import { ApiError, routeOf } from '../errors.js'
import type { FairShares } from '../fair-shares.js'
import { answerOf, describeOutcome, mismatches } from '../outcome-answer.js'
import type { SentCommand } from '../outcome-answer.js'
import type { AppliedBody, KnownOutcome } from '../schemas/answers/wallets.js'
import {
  captureSchema,
  creditSchema,
  debitSchema,
  holdSchema,
  releaseSchema,
  voidSchema,
} from '../schemas/server-wallet.js'

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
  readonly rollOut: RollOut
}

export function registerServerCommands(app: App, parts: CommandParts): void {
  const limits = { currency: parts.currency, maxMinor: parts.amountMaxMinor }
  const booked = (request: Called, reply: FastifyReply, wishOf: () => Wish) =>
    book(parts, { request, reply }, wishOf)
  app.post('/api/server/wallet/debit', { schema: debitSchema(limits) }, (request, reply) =>
    booked(request, reply, () => ({ verb: 'debit', fields: checked(request).body })),
  )
  app.post('/api/server/wallet/credit', { schema: creditSchema(limits) }, (request, reply) =>
    booked(request, reply, () => ({ verb: 'credit', fields: checked(request).body })),
  )
  app.post('/api/server/wallet/hold', { schema: holdSchema(limits) }, (request, reply) =>
    booked(request, reply, () => ({ verb: 'hold', fields: checked(request).body })),
  )
  app.post('/api/server/wallet/hold/capture', { schema: captureSchema(limits) }, (request, reply) =>
    booked(request, reply, () => ({ verb: 'capture', fields: checked(request).body })),
  )
  app.post('/api/server/wallet/hold/release', { schema: releaseSchema }, (request, reply) =>
    booked(request, reply, () => ({ verb: 'release', fields: checked(request).body })),
  )
  app.post('/api/server/wallet/outcome/void', { schema: voidSchema }, (request) =>
    voidReference(parts, request),
  )
}

/** What is needed of a request before its fields are looked at. */
type Called = Pick<FastifyRequest, 'method' | 'caller' | 'log' | 'routeOptions'> & {
  readonly body: unknown
  readonly query: unknown
}

/** `wishOf` looks at the fields, and throws what is wrong with them. */
async function book(
  parts: CommandParts,
  { request, reply }: { readonly request: Called; readonly reply: FastifyReply },
  wishOf: () => Wish,
): Promise<AppliedBody> {
  const arrivedMs = parts.clock.now()
  const caller = authenticateClient(parts.clientApps, request, 'wallet:write')
  // What is known is not awaited: a debit waits for its lane alone.
  const clientApp = caller instanceof Promise ? await caller : caller
  const wish = wishOf()
  // A debit or credit waits for nothing here: its events are as old as the service.
  if (isOfHold(wish)) await requireFinished(parts.rollOut)
  const found = findUserFor(parts.links, clientApp, wish)
  const user = found instanceof Promise ? await found : found
  const { command, sent } = orderOf(parts, { clientApp, user }, wish)
  const { outcome, replayed } = await execute(parts, { clientApp, user, command, arrivedMs })
  if (replayed) void reply.headers({ ...replayHeaders(parts, request, sent, outcome) })
  return answerOf(outcome, parts.currency)
}

export function isOfHold({ verb }: Wish): boolean {
  return verb !== 'debit' && verb !== 'credit'
}

/** Not before every process can read what would be written. */
export async function requireFinished(rollOut: RollOut): Promise<void> {
  if (!(await rollOut.isFinished())) throw new ApiError('UPGRADE_UNFINISHED')
}

/** Closes a free reference for ever, or tells what became of a used one. */
async function voidReference(
  parts: CommandParts,
  request: RequestOf<typeof voidSchema>,
): Promise<KnownOutcome> {
  const arrivedMs = parts.clock.now()
  const clientApp = await authenticateClient(parts.clientApps, request, 'wallet:write')
  const { body } = checked(request)
  const user = await findLinkedUser(parts.links, clientApp, body.serviceUserId, {
    isCommand: true,
  })
  const { entryId, issuer, reference } = ownerOf({ clientApp, user }, body)
  const command = { type: 'Void', entryId, issuer, reference } as const
  const { outcome } = await execute(parts, { clientApp, user, command, arrivedMs })
  return describeOutcome(outcome, parts.currency)
}

interface Execution extends Asker {
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

interface ReplayHeaders {
  readonly 'idempotency-replayed': 'true'
  readonly 'reference-mismatch'?: string
}

/** What the answer to a repeat says beside its body; a difference is also counted and logged. */
export function replayHeaders(
  { counters }: CommandParts,
  request: Pick<FastifyRequest, 'log' | 'routeOptions'>,
  sent: SentCommand,
  outcome: Outcome,
): ReplayHeaders {
  const differing = mismatches(outcome, sent)
  if (differing.length === 0) return { 'idempotency-replayed': 'true' }
  counters.increment('reference_mismatches_total')
  request.log.warn({ route: routeOf(request), differing }, 'a repeat differs from its original')
  return { 'idempotency-replayed': 'true', 'reference-mismatch': differing.join(', ') }
}
