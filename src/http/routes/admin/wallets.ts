/**
 * Wallets as an admin sees them: search, statement, status, bonus, and the link for a forgotten
 * password. Promises: read authoritatively; a bonus form grants once however often it is sent.
 * Never: logs a bonus's description or a person's name; erasing the person must erase them.
 */
import type { FastifyRequest } from 'fastify'
import { entryIdOf, isUuid, walletIdOf } from '../../../domain/ids.js'
import { toMajor } from '../../../domain/money.js'
import { reference, textFault } from '../../../domain/reference.js'
import { signOf } from '../../../domain/wallet-events.js'
import { listLinkedApps } from '../../../identity/linked-apps.js'
import { isServiceUserId } from '../../../identity/links.js'
import type { UserDetails } from '../../../identity/users.js'
import {
  adminSearchMax,
  emailCharactersMax,
  resetTokenMs,
  statusReasonCharactersMax,
} from '../../../limits.js'
import { seal, unseal } from '../../../platform/sealing.js'
import type { Entry } from '../../../reading/wallet-reader.js'
import type { App } from '../../app.js'
import { ApiError, invalidField } from '../../errors.js'
import { amountField, descriptionField, inputOf, stringField } from '../../fields.js'
import type { Input } from '../../fields.js'
import type { GuardedParts } from './admin-parts.js'
import { pageFields } from './log.js'

const all = '/api/admin/wallets'
const one = `${all}/:walletId`

export function registerWallets(app: App, parts: GuardedParts): void {
  const { guard } = parts
  const look = { onRequest: guard.look }
  const change = { onRequest: guard.change }
  app.get(all, look, (request) => search(parts, request))
  app.get(one, look, (request) => readStatement(parts, request))
  app.post(`${one}/deactivate`, change, (request) => setStatus(parts, request, false))
  app.post(`${one}/reactivate`, change, (request) => setStatus(parts, request, true))
  app.post(`${one}/bonus`, change, (request) => grantBonus(parts, request))
  app.post('/api/admin/users/:serviceUserId/reset-password', change, (request) =>
    resetPassword(parts, request),
  )
}

async function search(parts: GuardedParts, request: FastifyRequest) {
  const q = stringField(inputOf(request.query), 'q')
  const fault = textFault(q, { bytesMax: 4 * emailCharactersMax })
  if (fault !== undefined) throw invalidField('q', fault)
  const users = (await findUsers(parts, q)).slice(0, adminSearchMax)
  const wallets = users.map(async (user) => {
    const { balanceMinor, isActive } = await parts.reader.read(user.walletId, { limit: 0 })
    return { ...personOf(user), balance: toMajor(balanceMinor, parts.currency), isActive }
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

async function readStatement(parts: GuardedParts, request: FastifyRequest) {
  const { clientApps, currency, pool, reader } = parts
  const page = pageFields(inputOf(request.query))
  const user = await findUser(parts, request)
  const wallet = await reader.read(user.walletId, page)
  const apps = await clientApps.list()
  const names = new Map(apps.map(({ clientId, name }) => [`client-app:${clientId}`, name]))
  const { balanceMinor, entries, isActive, nextBefore, revision, statusReason } = wallet
  return {
    ...personOf(user),
    erased: user.isErased,
    balance: toMajor(balanceMinor, currency),
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

function entryOf({ currency }: GuardedParts, { sealingKey: key }: UserDetails, entry: Entry) {
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

async function setStatus(parts: GuardedParts, request: FastifyRequest, isActive: boolean) {
  const { acts, reader, writer } = parts
  const reason = reasonField(inputOf(request.body))
  const { walletId } = await findUser(parts, request)
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

async function grantBonus(parts: GuardedParts, request: FastifyRequest) {
  const { acts, amountMaxMinor, currency, random, writer } = parts
  const input = inputOf(request.body)
  const bonusId = stringField(input, 'bonusId')
  if (!isUuid(bonusId)) throw invalidField('bonusId', 'must be a UUID in lower case')
  const amountMinor = amountField(input, 'amount', { currency, maxMinor: amountMaxMinor })
  const text = descriptionField(input)
  const { walletId, sealingKey: key } = await findUser(parts, request)
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
  if (outcome === undefined) throw new Error('a bonus has an outcome')
  return {
    balance: toMajor(outcome.balanceMinor, currency),
    amount: toMajor(outcome.amountMinor, currency),
    replayed,
  }
}

async function resetPassword(parts: GuardedParts, request: FastifyRequest) {
  const { acts, clock, publicOrigin, users } = parts
  const { serviceUserId } = request.params as { serviceUserId: string }
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

async function findUser(parts: GuardedParts, request: FastifyRequest): Promise<UserDetails> {
  const { walletId } = request.params as { walletId: string }
  const user = isUuid(walletId) ? await parts.users.findByWallet(walletIdOf(walletId)) : undefined
  if (user === undefined) throw new ApiError('NOT_FOUND')
  return user
}

function reasonField(input: Input): string {
  const reason = stringField(input, 'reason')
  const fault = textFault(reason, { bytesMax: 4 * statusReasonCharactersMax })
  const length = Array.from(reason).length
  if (length > statusReasonCharactersMax)
    throw invalidField('reason', `must be at most ${statusReasonCharactersMax} characters`)
  if (fault !== undefined) throw invalidField('reason', fault)
  if (reason.trim() === '') throw invalidField('reason', 'must not be blank')
  return reason
}
