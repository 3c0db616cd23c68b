/**
 * What a person takes home: a statement of a period, the receipt of an entry, and the proof of the
 * whole wallet. Promises: only for a session that the person made by logging in; figures come from
 * the stream or the authoritative read; sizes, rates and turns are bounded, so that nobody's debit
 * waits for them. Never: makes checkpoints as often as people ask for proofs.
 */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { documentWords } from '../../../audit/documents/document-words.js'
import type { DocumentPress } from '../../../audit/documents/document-press.js'
import type { DocumentOf } from '../../../audit/documents/person-documents.js'
import { readPeriod, requireBounded } from '../../../audit/documents/period-statement.js'
import { TooManyEntriesError } from '../../../audit/documents/period-statement.js'
import { statementCsv } from '../../../audit/documents/statement-csv.js'
import * as auditLimits from '../../../audit/limits.js'
import { BundleError, bundlePieces, proveHead } from '../../../audit/proofs/bundle.js'
import type { MayMake } from '../../../audit/proofs/bundle.js'
import type { CheckpointParts } from '../../../audit/proofs/checkpoint-completion.js'
import { SigningKeyError } from '../../../audit/proofs/signing-keys.js'
import { WitnessError } from '../../../audit/proofs/witness.js'
import { isUuid, type EntryId, type WalletId } from '../../../domain/ids.js'
import type { Currency } from '../../../domain/money.js'
import { signOf } from '../../../domain/wallet-events.js'
import type { EventStore } from '../../../event-store/event-store.js'
import type { Accounts } from '../../../identity/accounts.js'
import { readBrands } from '../../../identity/app-brands.js'
import type { Throttle } from '../../../identity/throttle.js'
import type { UserDetails, Users } from '../../../identity/users.js'
import type { WidgetSessions } from '../../../identity/widget-sessions.js'
import type { Clock } from '../../../platform/clock.js'
import type { Pool } from '../../../platform/postgres.js'
import { unseal } from '../../../platform/sealing.js'
import type { ServiceIdentity } from '../../../platform/service-identity.js'
import { Turns } from '../../../platform/turns.js'
import type { WalletReader } from '../../../reading/wallet-reader.js'
import type { App } from '../../app.js'
import { checked, type RequestOf } from '../../contract.js'
import { countTry } from '../../counted-try.js'
import { ApiError, invalidField } from '../../errors.js'
import * as limits from '../../limits.js'
import { proofSchema, receiptSchema, statementSchema } from '../../schemas/account.js'
import { utcTime } from '../../schemas/fields.js'
import { clientIdsOf } from '../../shown-entries.js'
import { personSession } from '../../widget-call.js'

export interface DocumentParts {
  readonly widgetSessions: WidgetSessions
  readonly users: Users
  readonly accounts: Accounts
  readonly throttle: Throttle
  readonly reader: WalletReader
  readonly store: EventStore
  readonly pool: Pool
  readonly clock: Clock
  readonly currency: Currency
  readonly press: DocumentPress
  /** What makes and proves checkpoints. */
  readonly signing: CheckpointParts
  readonly service: ServiceIdentity
  readonly publicOrigin: () => string
}

export function registerDocuments(app: App, parts: DocumentParts): void {
  app.get('/api/widget/account/statement', { schema: statementSchema }, (request, reply) =>
    sendStatement(parts, request, reply),
  )
  app.get('/api/widget/account/receipt', { schema: receiptSchema }, (request, reply) =>
    sendReceipt(parts, request, reply),
  )
  const turns = new Turns({
    atOnceMax: 1,
    waitingMax: limits.proofsWaitingMax,
    wait: { clock: parts.clock, maxMs: limits.proofWaitMs },
  })
  app.get('/api/widget/account/proof', { schema: proofSchema }, (request, reply) =>
    sendProof(parts, turns, { request, reply }),
  )
}

async function sendStatement(
  parts: DocumentParts,
  request: RequestOf<typeof statementSchema>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { store, pool, currency, clock } = parts
  const user = await personOf(parts, request)
  const { query } = checked(request)
  const from = query.from === undefined ? user.createdAt : utcTime(query.from)
  const to = utcTime(query.to ?? new Date(clock.now()).toISOString())
  if (from >= to) throw invalidField('to', 'must be after from')
  await countDocument(parts, user.walletId)
  const isPdf = query.format !== 'csv'
  const linesMax = isPdf ? auditLimits.statementPdfEntriesMax : auditLimits.statementCsvEntriesMax
  const statement = await bounded(readPeriod(store, { ...user, from, to, linesMax }))
  const issuers = statement.lines.flatMap(({ issuer }) => (issuer === null ? [] : [{ issuer }]))
  const brands = await readBrands(pool, issuers.flatMap(clientIdsOf))
  const name = `statement-${from.slice(0, 10)}-${to.slice(0, 10)}`
  if (!isPdf) return sendFile(reply, `${name}.csv`, statementCsv(statement, { currency, brands }))
  const of = documentOf(parts, user, { ...query, brands })
  return sendFile(
    reply,
    `${name}.pdf`,
    await parts.press.print({ kind: 'statement', statement, of }),
  )
}

async function sendReceipt(
  parts: DocumentParts,
  request: RequestOf<typeof receiptSchema>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const user = await personOf(parts, request)
  const { query } = checked(request)
  const { entryId } = query
  await countDocument(parts, user.walletId)
  const entry = isUuid(entryId)
    ? await parts.reader.findEntry(user.walletId, entryId as EntryId)
    : undefined
  if (entry === undefined || signOf[entry.type] === 0) throw new ApiError('ENTRY_NOT_FOUND')
  const { sealingKey: key } = user
  const sealed = entry.description
  const line = {
    ...entry,
    event: entry.type,
    changeMinor: signOf[entry.type] * entry.amountMinor,
    description: (sealed && unseal(sealed, { key, entryId: entry.entryId })) ?? null,
  }
  const brands = await readBrands(parts.pool, clientIdsOf(entry))
  const of = documentOf(parts, user, { ...query, brands })
  const name = `receipt-${entry.time.slice(0, 10)}-${entryId.slice(0, 8)}.pdf`
  return sendFile(reply, name, await parts.press.print({ kind: 'receipt', line, of }))
}

async function sendProof(
  parts: DocumentParts,
  turns: Turns,
  { request, reply }: { request: RequestOf<typeof proofSchema>; reply: FastifyReply },
): Promise<FastifyReply> {
  const { walletId } = await personOf(parts, request)
  const wallet = { kind: 'proof-wallet', value: walletId }
  const { proofsPerWallet: tries, documentWindowMs: windowMs } = limits
  await countTry(parts.throttle, { ...wallet, tries, windowMs })
  await bounded(requireBounded(parts.store, walletId))
  await turns.enter()
  // The turn ends with the answer, also with one that the person does not wait for.
  if (reply.raw.destroyed) turns.leave()
  else reply.raw.once('close', () => turns.leave())
  const { signing, store, clock } = parts
  const proof = await proveHead(signing, walletId, mayMakeAt(clock)).catch(notReady)
  const pieces = bundlePieces(store, proof, { from: null, to: null })
  return sendFile(reply, `wallet-proof-${walletId}.json`, Readable.from(pieces))
}

/** People's proofs hurry the schedule a little, where a checkpoint is cheap. */
function mayMakeAt(clock: Clock): MayMake {
  return (newest) => {
    if (newest === undefined) return true
    const { time, walletCount } = newest.checkpoint
    const isOld = clock.now() - Date.parse(time) >= auditLimits.proofCheckpointMs
    return isOld && walletCount <= auditLimits.proofCheckpointWalletsMax
  }
}

function notReady(error: unknown): never {
  const isUnsigned =
    error instanceof BundleError ||
    error instanceof SigningKeyError ||
    error instanceof WitnessError
  throw isUnsigned ? new ApiError('PROOF_NOT_READY', { cause: error }) : error
}

/** The person of a session that they made by logging in. */
export async function personOf(
  { widgetSessions, users }: Pick<DocumentParts, 'widgetSessions' | 'users'>,
  request: Parameters<typeof personSession>[1],
): Promise<UserDetails> {
  const { serviceUserId } = await personSession(widgetSessions, request)
  const user = await users.find(serviceUserId)
  // Never so: sessions refer to users, who are erased but never removed.
  if (user === undefined) throw new ApiError('SESSION_EXPIRED')
  return user
}

/** More than one document holds is told as such. */
export async function bounded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof TooManyEntriesError ? new ApiError('TOO_MANY_ENTRIES') : error
  }
}

export async function countDocument(
  { throttle }: Pick<DocumentParts, 'throttle'>,
  walletId: WalletId,
): Promise<void> {
  const wallet = { kind: 'document-wallet', value: walletId }
  const { documentsPerWallet: tries, documentWindowMs: windowMs } = limits
  await countTry(throttle, { ...wallet, tries, windowMs })
}

interface Written {
  readonly language?: DocumentOf['language'] | undefined
  readonly timeZone?: string | undefined
  readonly brands: ReadonlyMap<string, string>
}

function documentOf(parts: DocumentParts, user: UserDetails, written: Written): DocumentOf {
  const { language = 'en', timeZone = 'UTC', brands } = written
  const name = [user.firstName, user.lastName].filter((part) => part !== undefined).join(' ')
  return {
    serviceName: parts.service.name ?? documentWords[language].wallet,
    person: [name, user.email].filter((part) => part !== undefined && part !== '').join(', '),
    language,
    timeZone,
    currency: parts.currency,
    brands,
    madeAt: new Date(parts.clock.now()),
    verifyAddress: `${parts.publicOrigin()}/audit/verify`,
  }
}

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  pdf: 'application/pdf',
}

/** Kept by nobody on the way; a browser saves it under its name. */
export function sendFile(
  reply: FastifyReply,
  name: string,
  content: Buffer | string | Readable,
): FastifyReply {
  const ending = name.slice(name.lastIndexOf('.') + 1)
  return reply
    .headers({
      'content-type': types[ending] ?? 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    })
    .send(content)
}
