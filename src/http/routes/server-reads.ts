/**
 * What a client backend reads: a wallet with its transactions, now or at a date, whether a balance
 * is sufficient, and what became of a reference. Promises: authoritative, so an acknowledged write
 * is always seen; credentials, scope, fields, user, in this order.
 */
import type { FastifyReply } from 'fastify'
import { entryIdOf } from '../../domain/ids.js'
import type { Issuer } from '../../domain/ids.js'
import { availableMinor } from '../../domain/holds.js'
import { toMajor, toMinor } from '../../domain/money.js'
import { signOf } from '../../domain/wallet-events.js'
import type { EntryType } from '../../domain/wallet-events.js'
import type { ClientApp, ClientApps } from '../../identity/client-apps.js'
import type { LinkedUser, Links } from '../../identity/links.js'
import { balanceFinalMs, pageEntriesStandard } from '../../limits.js'
import type { Clock } from '../../platform/clock.js'
import type { Page, WalletReader, WalletView } from '../../reading/wallet-reader.js'
import type { WalletWriter } from '../../writing/wallet-writer.js'
import type { App } from '../app.js'
import { authenticateClient, findLinkedUser } from '../client-auth.js'
import { checked, type AnswerOf, type Checked, type RequestOf } from '../contract.js'
import type { FairShares } from '../fair-shares.js'
import { describeOutcome, sumsOf } from '../outcome-answer.js'
import { readPending, type PendingParts } from '../pending-top-ups.js'
import { utcTime } from '../schemas/fields.js'
import {
  balanceCheckReadSchema,
  outcomeReadSchema,
  walletReadSchema,
  type BalanceCheckSchema,
  type WalletReadSchema,
} from '../schemas/server-wallet.js'
import { transactionRecords } from '../transaction-record.js'

export interface ReadParts extends PendingParts {
  readonly clientApps: ClientApps
  readonly links: Links
  readonly shares: FairShares
  readonly reader: WalletReader
  readonly writer: WalletWriter
  readonly clock: Clock
}

export function registerServerReads(app: App, parts: ReadParts): void {
  app.get('/api/server/wallet', { schema: walletReadSchema(parts.clock) }, (request, reply) =>
    readWallet(parts, request, reply),
  )
  app.get(
    '/api/server/wallet/check-balance',
    { schema: balanceCheckReadSchema(parts.currency) },
    (request, reply) => checkBalance(parts, request, reply),
  )
  app.get('/api/server/wallet/outcome', { schema: outcomeReadSchema }, (request, reply) =>
    readOutcome(parts, request, reply),
  )
}

async function readWallet(
  parts: ReadParts,
  request: RequestOf<WalletReadSchema>,
  reply: FastifyReply,
): Promise<AnswerOf<WalletReadSchema>> {
  const { currency, reader } = parts
  const clientApp = await authenticateClient(parts.clientApps, request, 'wallet:read')
  const { query } = checked(request)
  const issuer = issuerOf(clientApp)
  const at = query.at === undefined ? undefined : utcTime(query.at)
  const page = pageOf(query, issuer, at)
  const user = await linkedUser(parts, clientApp, query.serviceUserId)

  const share = parts.shares.of(clientApp)
  const read = async () => {
    await share.beginRead(reply, page.limit)
    // A page further back or a date is about what was.
    const isNow = at === undefined && page.before === undefined
    const stillPending = isNow ? await readPending(parts, user.walletId) : () => []
    const wallet = await reader.read(user.walletId, page)
    const pendingTopUps = stillPending(wallet.entries)
    if (at === undefined) return { ...wallet, pendingTopUps }
    return { ...wallet, pendingTopUps, ...(await sumsAt(parts, user, at)) }
  }
  // A balance at a date is a search too: its page ends there.
  const wallet = isSearch(page) ? await share.search(read) : await read()
  const { entries, isActive, nextBefore, pendingTopUps } = wallet
  const context = { currency, sealingKey: user.sealingKey, reader: issuer }
  const transactions = await transactionRecords(entries, context)
  const answer: AnswerOf<WalletReadSchema> = { ...sumsOf(wallet, currency), transactions, isActive }
  if (pendingTopUps.length > 0) answer.pendingTopUps = pendingTopUps
  if (nextBefore !== undefined) answer.nextCursor = String(nextBefore)
  if (at === undefined) return answer
  // A command that was stamped before `at` may still be under way.
  return { ...answer, at, final: parts.clock.now() - Date.parse(at) > balanceFinalMs }
}

async function checkBalance(
  parts: ReadParts,
  request: RequestOf<BalanceCheckSchema>,
  reply: FastifyReply,
): Promise<AnswerOf<BalanceCheckSchema>> {
  const { currency } = parts
  const clientApp = await authenticateClient(parts.clientApps, request, 'wallet:read')
  const { query } = checked(request)
  const requiredMinor = toMinor(Number(query.requiredAmount), currency)
  const user = await linkedUser(parts, clientApp, query.serviceUserId)
  await parts.shares.of(clientApp).beginRead(reply, 0)
  const { sums, pendingTopUps } = await sumsAndPending(parts, user, requiredMinor)
  return {
    ...sumsOf(sums, currency),
    requiredAmount: toMajor(requiredMinor, currency),
    hasSufficientBalance: availableMinor(sums) >= requiredMinor,
    ...(pendingTopUps.length > 0 && { pendingTopUps }),
  }
}

/** Only who has too little is about to be offered a top-up, and needs to know of pending ones. */
async function sumsAndPending(parts: ReadParts, user: LinkedUser, requiredMinor: number) {
  const sums = await parts.reader.read(user.walletId, { limit: 0 })
  if (availableMinor(sums) >= requiredMinor) return { sums, pendingTopUps: [] }
  const stillPending = await readPending(parts, user.walletId)
  // Once more: what is not pending any more may have been booked in between.
  const wallet = await parts.reader.read(user.walletId, { limit: 1 })
  return { sums: wallet, pendingTopUps: stillPending(wallet.entries) }
}

async function readOutcome(
  parts: ReadParts,
  request: RequestOf<typeof outcomeReadSchema>,
  reply: FastifyReply,
): Promise<AnswerOf<typeof outcomeReadSchema>> {
  const { currency, reader, writer } = parts
  const clientApp = await authenticateClient(parts.clientApps, request, 'wallet:read')
  const { query } = checked(request)
  const { walletId } = await linkedUser(parts, clientApp, query.serviceUserId)
  await parts.shares.of(clientApp).beginRead(reply, 1)
  const entryId = entryIdOf({ issuer: issuerOf(clientApp), walletId, reference: query })
  // Behind what this process was told before: the command asked about may be waiting right now.
  await writer.settled(walletId)
  const entry = await reader.findEntry(walletId, entryId)
  // Another process may still have it under way: only `void` settles that.
  return entry === undefined
    ? { outcome: 'never_seen', final: false }
    : describeOutcome(entry, currency)
}

function isSearch({ filter }: Page): boolean {
  return ['types', 'fromTime', 'toTime', 'label'].some((name) => name in (filter ?? {}))
}

function linkedUser({ links }: ReadParts, clientApp: ClientApp, serviceUserId: string) {
  return findLinkedUser(links, clientApp, serviceUserId, { isCommand: false })
}

function issuerOf({ clientId }: ClientApp): Issuer {
  return `client-app:${clientId}`
}

type WalletQuery = Checked<RequestOf<WalletReadSchema>>['query']

function pageOf(query: WalletQuery, issuer: Issuer, at: string | undefined): Page {
  const { type, from, to, referenceType, limit, cursor } = query
  const toTime = earlier(to && utcTime(to), at && justAfter(at))
  return {
    limit: Number(limit ?? pageEntriesStandard),
    before: cursor === undefined ? undefined : Number(cursor),
    filter: {
      appliedOnly: true,
      ...(type && { types: typesOf(type === 'credit' ? 1 : -1) }),
      ...(from && { fromTime: utcTime(from) }),
      ...(toTime && { toTime }),
      // A label finds what this app may see: another app's labels cannot be guessed by filtering.
      ...(referenceType && { label: { referenceType, issuers: [issuer, 'service'] } }),
    },
  }
}

/** Those after the last entry that is not younger than `at`. */
async function sumsAt({ reader }: ReadParts, { walletId }: LinkedUser, at: string) {
  const filter = { toTime: justAfter(at) }
  const { entries }: WalletView = await reader.read(walletId, { limit: 1, filter })
  const [last] = entries
  return { balanceMinor: last?.balanceMinor ?? 0, heldMinor: last?.heldMinor ?? 0 }
}

// Times have milliseconds: up to and including `at` is before the next one.
function justAfter(at: string): string {
  return new Date(Date.parse(at) + 1).toISOString()
}

function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}

function typesOf(sign: 1 | -1): EntryType[] {
  return (Object.keys(signOf) as EntryType[]).filter((type) => signOf[type] === sign)
}
