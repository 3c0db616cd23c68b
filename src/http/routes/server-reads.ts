/**
 * What a client backend reads: a wallet with its transactions, now or at a date, whether a balance
 * is sufficient, and what became of a reference. Promises: authoritative, so an acknowledged write
 * is always seen; credentials, scope, fields, user, in this order.
 */
import { entryIdOf } from '../../domain/ids.js'
import type { Issuer } from '../../domain/ids.js'
import type { Currency } from '../../domain/money.js'
import { toMajor, toMinor } from '../../domain/money.js'
import { signOf } from '../../domain/wallet-events.js'
import type { EntryType } from '../../domain/wallet-events.js'
import type { ClientApp, ClientApps } from '../../identity/client-apps.js'
import type { LinkedUser, Links } from '../../identity/links.js'
import { balanceFinalMs, pageEntriesStandard } from '../../limits.js'
import { searchesAtOnceMax, searchesWaitingMax } from '../../limits.js'
import type { Clock } from '../../platform/clock.js'
import { Turns } from '../../platform/turns.js'
import type { Page, WalletReader, WalletView } from '../../reading/wallet-reader.js'
import type { WalletWriter } from '../../writing/wallet-writer.js'
import type { App } from '../app.js'
import { authenticateClient, findLinkedUser } from '../client-auth.js'
import { checked, type AnswerOf, type Checked, type RequestOf } from '../contract.js'
import { describeOutcome } from '../outcome-answer.js'
import { utcTime } from '../schemas/fields.js'
import {
  balanceCheckReadSchema,
  outcomeReadSchema,
  walletReadSchema,
  type BalanceCheckSchema,
  type WalletReadSchema,
} from '../schemas/server-wallet.js'
import { transactionRecord } from '../transaction-record.js'

export interface ReadParts {
  readonly clientApps: ClientApps
  readonly links: Links
  readonly reader: WalletReader
  readonly writer: WalletWriter
  readonly clock: Clock
  readonly currency: Currency
}

export function registerServerReads(app: App, parts: ReadParts): void {
  const searches = new SearchTurns()
  app.get('/api/server/wallet', { schema: walletReadSchema(parts.clock) }, (request) =>
    readWallet(parts, searches, request),
  )
  app.get(
    '/api/server/wallet/check-balance',
    { schema: balanceCheckReadSchema(parts.currency) },
    (request) => checkBalance(parts, request),
  )
  app.get('/api/server/wallet/outcome', { schema: outcomeReadSchema }, (request) =>
    readOutcome(parts, request),
  )
}

async function readWallet(
  parts: ReadParts,
  searches: SearchTurns,
  request: RequestOf<WalletReadSchema>,
): Promise<AnswerOf<WalletReadSchema>> {
  const { currency, reader } = parts
  const clientApp = await authenticateClient(parts.clientApps, request.query, 'wallet:read')
  const { query } = checked(request)
  const issuer = issuerOf(clientApp)
  const at = query.at === undefined ? undefined : utcTime(query.at)
  const page = pageOf(query, issuer, at)
  const user = await linkedUser(parts, clientApp, query.serviceUserId)

  const read = () => reader.read(user.walletId, page)
  const wallet = isSearch(page) ? await searches.run(clientApp, read) : await read()
  const { entries, isActive, nextBefore } = wallet
  const context = { currency, sealingKey: user.sealingKey, reader: issuer }
  const look = (time: string) => searches.run(clientApp, () => balanceAt(parts, user, time))
  const balanceMinor = at === undefined ? wallet.balanceMinor : await look(at)
  return {
    balance: toMajor(balanceMinor, currency),
    transactions: entries.map((entry) => transactionRecord(entry, context)),
    isActive,
    ...(nextBefore !== undefined && { nextCursor: String(nextBefore) }),
    // A command that was stamped before `at` may still be under way.
    ...(at && { at, final: parts.clock.now() - Date.parse(at) > balanceFinalMs }),
  }
}

async function checkBalance(
  parts: ReadParts,
  request: RequestOf<BalanceCheckSchema>,
): Promise<AnswerOf<BalanceCheckSchema>> {
  const { currency } = parts
  const clientApp = await authenticateClient(parts.clientApps, request.query, 'wallet:read')
  const { query } = checked(request)
  const requiredMinor = toMinor(Number(query.requiredAmount), currency)
  const user = await linkedUser(parts, clientApp, query.serviceUserId)
  const { balanceMinor } = await parts.reader.read(user.walletId, { limit: 0 })
  return {
    balance: toMajor(balanceMinor, currency),
    requiredAmount: toMajor(requiredMinor, currency),
    hasSufficientBalance: balanceMinor >= requiredMinor,
  }
}

async function readOutcome(
  parts: ReadParts,
  request: RequestOf<typeof outcomeReadSchema>,
): Promise<AnswerOf<typeof outcomeReadSchema>> {
  const { currency, reader, writer } = parts
  const clientApp = await authenticateClient(parts.clientApps, request.query, 'wallet:read')
  const { query } = checked(request)
  const { walletId } = await linkedUser(parts, clientApp, query.serviceUserId)
  const entryId = entryIdOf({ issuer: issuerOf(clientApp), walletId, reference: query })
  // Behind what this process was told before: the command asked about may be waiting right now.
  await writer.settled(walletId)
  const entry = await reader.findEntry(walletId, entryId)
  // Another process may still have it under way: only `void` settles that.
  return entry === undefined
    ? { outcome: 'never_seen', final: false }
    : describeOutcome(entry, currency)
}

/**
 * A search may walk along a whole wallet, whatever its page holds: each client app has only a few
 * at once, so that the connections of all others stay free. More wait in line, and some are refused
 * (OverloadedError).
 */
class SearchTurns {
  /** No more than there are client apps. */
  readonly #turnsOf = new Map<string, Turns>()

  run<T>({ clientId }: ClientApp, search: () => Promise<T>): Promise<T> {
    const bounds = { atOnceMax: searchesAtOnceMax, waitingMax: searchesWaitingMax }
    const turns = this.#turnsOf.get(clientId) ?? new Turns(bounds)
    this.#turnsOf.set(clientId, turns)
    return turns.run(search)
  }
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

/** The balance after the last entry that is not younger than `at`. */
async function balanceAt({ reader }: ReadParts, { walletId }: LinkedUser, at: string) {
  const filter = { toTime: justAfter(at) }
  const { entries }: WalletView = await reader.read(walletId, { limit: 1, filter })
  return entries[0]?.balanceMinor ?? 0
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
