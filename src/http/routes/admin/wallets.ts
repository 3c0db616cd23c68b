/**
 * Wallets as an admin sees them: search, statement, status, bonus, and the link for a forgotten
 * password. Promises: read authoritatively; a bonus form grants once however often it is sent.
 * Never: logs a bonus's description or a person's name; erasing the person must erase them.
 */
import { entryIdOf, isUuid, walletIdOf } from '../../../domain/ids.js'
import { toMajor, toMinor } from '../../../domain/money.js'
import { reference } from '../../../domain/reference.js'
import { signOf } from '../../../domain/wallet-events.js'
import { listLinkedApps } from '../../../identity/linked-apps.js'
import { isServiceUserId } from '../../../identity/links.js'
import type { UserDetails } from '../../../identity/users.js'
import { adminSearchMax, resetTokenMs } from '../../../limits.js'
import { seal, unseal } from '../../../platform/sealing.js'
import type { Entry } from '../../../reading/wallet-reader.js'
import type { App } from '../../app.js'
import { checked, type RequestOf } from '../../contract.js'
import { ApiError, invalidField } from '../../errors.js'
import { sumsOf } from '../../outcome-answer.js'
import {
  bonusGrantSchema,
  pageOf,
  resetLinkMakeSchema,
  walletSearchSchema,
  walletStatementReadSchema,
  walletStatusChangeSchema,
  type BonusSchema,
} from '../../schemas/admin.js'
import type {
  Bonus,
  Entry as EntryBody,
  FoundWallets,
  ResetLink,
  WalletStatement,
  WalletStatus,
} from '../../schemas/answers/admin.js'
import type { GuardedParts } from './admin-parts.js'

const all = '/api/admin/wallets'
const one = `${all}/:walletId`

export function registerWallets(app: App, parts: GuardedParts): void {
  const { guard, currency, amountMaxMinor } = parts
  const look = { onRequest: guard.look }
  const change = { onRequest: guard.change }
  app.get(all, { ...look, schema: walletSearchSchema }, (request) => search(parts, request))
  app.get(one, { ...look, schema: walletStatementReadSchema }, (request) =>
    readStatement(parts, request),
  )
  const status = { ...change, schema: walletStatusChangeSchema }
  app.post(`${one}/deactivate`, status, (request) => setStatus(parts, request, false))
  app.post(`${one}/reactivate`, status, (request) => setStatus(parts, request, true))
  const bonus = { ...change, schema: bonusGrantSchema({ currency, maxMinor: amountMaxMinor }) }
  app.post(`${one}/bonus`, bonus, (request) => grantBonus(parts, request))
  const reset = { ...change, schema: resetLinkMakeSchema }
  app.post('/api/admin/users/:serviceUserId/reset-password', reset, (request) =>
    resetPassword(parts, request),
  )
}

async function search(
  parts: GuardedParts,
  request: RequestOf<typeof walletSearchSchema>,
): Promise<FoundWallets> {
  const { q } = checked(request).query
  const users = (await findUsers(parts, q)).slice(0, adminSearchMax)
  const wallets = users.map(async (user) => {
    const wallet = await parts.reader.read(user.walletId, { limit: 0 })
    return { ...personOf(user), ...sumsOf(wallet, parts.currency), isActive: wallet.isActive }
  })
  return { wallets: await Promise.all(wallets) }
}

/** Each of the three keys is unique, so there is one at most. */
async function findUsers({ users }: GuardedParts, q: string): Promise<UserDetails[]> {
  const user = isUuid(q)
    ? await users.findByWallet(walletIdOf(q))
    : isServiceUserId(q)
      ? await users.find(q)
      : await users.findByEmail(q)
  return user === undefined ? [] : [user]
}

async function readStatement(
  parts: GuardedParts,
  request: RequestOf<typeof walletStatementReadSchema>,
): Promise<WalletStatement> {
  const { clientApps, currency, pool, reader } = parts
  const { query, params } = checked(request)
  const page = pageOf(query)
  const user = await findUser(parts, params)
  const wallet = await reader.read(user.walletId, page)
  const apps = await clientApps.list()
  const names = new Map(apps.map(({ clientId, name }) => [`client-app:${clientId}`, name]))
  const { entries, isActive, nextBefore, revision, statusReason } = wallet
  return {
    ...personOf(user),
    erased: user.isErased,
    ...sumsOf(wallet, currency),
    isActive,
    statusReason: statusReason ?? null,
    revision,
    entries: entries.map((entry) => ({
      ...entryOf(parts, user, entry),
      appName: names.get(entry.issuer) ?? null,
    })),
    ...(nextBefore !== undefined && { nextCursor: String(nextBefore) }),
    links: await listLinkedApps(pool, user.serviceUserId),
  }
}

function personOf({ walletId, serviceUserId, email, firstName, lastName }: UserDetails) {
  return {
    walletId,
    serviceUserId,
    email: email ?? null,
    firstName: firstName ?? null,
    lastName: lastName ?? null,
  }
}

function entryOf(
  { currency }: GuardedParts,
  { sealingKey: key }: UserDetails,
  entry: Entry,
): Omit<EntryBody, 'appName'> {
  const { entryId, description } = entry
  const sign = signOf[entry.type]
  return {
    id: entryId,
    event: entry.type,
    type: sign === 0 ? null : sign === 1 ? 'credit' : 'debit',
    outcome: entry.code === undefined ? 'applied' : 'declined',
    code: entry.code ?? null,
    amount: toMajor(entry.amountMinor, currency),
    balanceAfter: toMajor(entry.balanceMinor, currency),
    referenceType: entry.referenceType,
    referenceId: entry.referenceId,
    issuer: entry.issuer,
    description: description === undefined ? null : (unseal(description, { key, entryId }) ?? null),
    createdAt: entry.time,
  }
}

async function setStatus(
  parts: GuardedParts,
  request: RequestOf<typeof walletStatusChangeSchema>,
  isActive: boolean,
): Promise<WalletStatus> {
  const { acts, reader, writer } = parts
  const { body, params } = checked(request)
  const { reason } = body
  const { walletId } = await findUser(parts, params)
  const action = isActive ? 'wallet.reactivate' : 'wallet.deactivate'
  const order = { action, subject: walletId, details: { reason } }
  const setIt = async (): Promise<{ isUnchanged: boolean }> => {
    const wallet = await reader.read(walletId, { limit: 0 })
    // A second click: the ledger need not say the same thing twice.
    if (wallet.isActive === isActive && wallet.statusReason === reason) return { isUnchanged: true }
    const type = isActive ? 'Reactivate' : 'Deactivate'
    await writer.execute(walletId, { type, issuer: 'service', reason })
    return { isUnchanged: false }
  }
  await acts.perform(request, order, setIt, ({ isUnchanged }) =>
    isUnchanged ? { details: { unchanged: true } } : {},
  )
  return { isActive, statusReason: reason }
}

async function grantBonus(parts: GuardedParts, request: RequestOf<BonusSchema>): Promise<Bonus> {
  const { acts, currency, random, writer } = parts
  const { body, params } = checked(request)
  const { bonusId, description: text } = body
  const amountMinor = toMinor(body.amount, currency)
  const { walletId, sealingKey: key } = await findUser(parts, params)
  const issuer = 'service'
  const pair = reference('BONUS', bonusId)
  const entryId = entryIdOf({ issuer, walletId, reference: pair })
  if (text !== undefined && key === undefined)
    throw invalidField('description', 'cannot be kept: the data of this person was erased')
  const sealed =
    text !== undefined && key ? { description: seal(text, { key, entryId }, random) } : {}
  const command = { type: 'GrantBonus', entryId, issuer, reference: pair, amountMinor } as const

  const { outcome, replayed } = await acts.perform(
    request,
    {
      action: 'wallet.bonus',
      subject: walletId,
      details: { bonusId, amount: toMajor(amountMinor, currency) },
    },
    () => writer.execute(walletId, { ...command, ...sealed }),
    (answer) => ({ details: { replayed: answer.replayed } }),
  )
  return {
    ...sumsOf(outcome, currency),
    amount: toMajor(outcome.amountMinor, currency),
    replayed,
  }
}

async function resetPassword(
  parts: GuardedParts,
  request: RequestOf<typeof resetLinkMakeSchema>,
): Promise<ResetLink> {
  const { acts, clock, publicOrigin, users } = parts
  const { serviceUserId } = checked(request).params
  const user = await users.find(serviceUserId)
  if (user === undefined) throw new ApiError('NOT_FOUND')
  if (user.email === undefined)
    throw new ApiError('INVALID_REQUEST', { message: 'This person has no email to log in with.' })
  // Taken before the token is made: it lives at least until then.
  const expiresAt = new Date(clock.now() + resetTokenMs).toISOString()
  const token = await acts.perform(
    request,
    { action: 'user.reset-password', subject: serviceUserId, details: { expiresAt } },
    () => users.createResetToken(serviceUserId),
  )
  return { resetUrl: `${publicOrigin()}/widget/reset#${token}`, expiresAt }
}

async function findUser(
  parts: GuardedParts,
  { walletId }: { readonly walletId: string },
): Promise<UserDetails> {
  const user = isUuid(walletId) ? await parts.users.findByWallet(walletIdOf(walletId)) : undefined
  if (user === undefined) throw new ApiError('NOT_FOUND')
  return user
}
