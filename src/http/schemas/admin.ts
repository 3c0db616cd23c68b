/**
 * The schemas of the admin API. Session, CSRF token and role are credentials: the guards of
 * admin-session.ts look at them before anything here is complained about.
 */
import { Type } from '@sinclair/typebox'
import { isUuid } from '../../domain/ids.js'
import { textFault } from '../../domain/reference.js'
import { scopes, type Scope } from '../../identity/client-app-rules.js'
import {
  emailCharactersMax,
  pageEntriesMax,
  pageEntriesStandard,
  statusReasonCharactersMax,
} from '../../limits.js'
import type { ErrorCode } from '../error-table.js'
import {
  bonusSchema,
  clientAppsSchema,
  eventsPageSchema,
  foundWalletsSchema,
  loggedInSchema,
  logPageSchema,
  lostEventsSchema,
  madeSecretSchema,
  meSchema,
  oneClientAppSchema,
  overviewSchema,
  refusedLoginsPageSchema,
  resetLinkSchema,
  walletStatementSchema,
  walletStatusSchema,
} from './answers/admin.js'
import { answers } from './answers/error-bodies.js'
import { doneSchema } from './answers/widget.js'
import * as field from './fields.js'

export const lookCodes = ['ADMIN_SESSION_REQUIRED'] as const satisfies ErrorCode[]
const leaveCodes = [
  ...lookCodes,
  'ORIGIN_NOT_ALLOWED',
  'CSRF_TOKEN_INVALID',
] as const satisfies ErrorCode[]
export const changeCodes = [
  ...leaveCodes,
  'ADMIN_ROLE_REQUIRED',
  'NOT_FOUND',
] as const satisfies ErrorCode[]

const notLostId = 'must be the lostId of the last event that was shown'

function isLostId(value: unknown): string | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 1 ? undefined : notLostId
}

export const adminLoginSchema = {
  summary: 'Log in to the admin area',
  body: field.input({ email: field.text(), password: field.text() }),
  response: answers(loggedInSchema, ['ORIGIN_NOT_ALLOWED', 'INVALID_LOGIN', 'TOO_MANY_TRIES']),
}

export const adminLogoutSchema = {
  summary: 'End the session',
  response: answers(doneSchema, leaveCodes),
}

export const adminMeSchema = {
  summary: 'Who is logged in',
  response: answers(meSchema, lookCodes),
}

export const overviewReadSchema = {
  summary: 'Today, a month of days, what is held and what is owed',
  response: answers(overviewSchema, lookCodes),
}

export const lostEventsReadSchema = {
  summary: 'What the event store has lost and nobody has seen yet',
  response: answers(lostEventsSchema, lookCodes),
}

export const lostEventsSeenSchema = {
  summary: 'Say that what was shown of them is seen',
  body: field.input({
    through: field.field<number>(
      { type: 'integer', description: 'The lostId of the last event that was shown' },
      isLostId,
      { whenMissing: notLostId },
    ),
  }),
  response: answers(lostEventsSchema, changeCodes),
}

/** `limit` and `cursor`, as every list of the admin area takes them. */
export const pageQuery = field.input({
  limit: field.wholeNumber({ min: 1, max: pageEntriesMax, standard: pageEntriesStandard }),
  cursor: field.wholeNumber({ min: 0, max: 999_999_999 }),
})

export interface PageQuery {
  readonly limit?: string
  readonly cursor?: string
}

export function pageOf({ limit, cursor }: PageQuery): { limit: number; before?: number } {
  return {
    limit: Number(limit ?? pageEntriesStandard),
    ...(cursor !== undefined && { before: Number(cursor) }),
  }
}

export const adminLogSchema = {
  summary: 'What admins did, newest first',
  querystring: pageQuery,
  response: answers(logPageSchema, lookCodes),
}

export const refusedLoginsSchema = {
  summary: 'Logins that were refused in the last 90 days, counted by the hour, newest first',
  querystring: pageQuery,
  response: answers(refusedLoginsPageSchema, lookCodes),
}

const appParams = field.input({ clientId: field.text() })
const texts = () => field.list(field.text())
const textOrNull = () => Type.Optional(field.nullableText())

const brand = { brandName: textOrNull(), accentColor: textOrNull() }

const scope = field.field<Scope>({ type: 'string', enum: [...scopes] }, (value) => {
  if (typeof value !== 'string') return 'must be a string'
  return scopes.some((known) => known === value) ? undefined : `must be one of ${scopes.join(', ')}`
})

export const clientAppsReadSchema = {
  summary: 'All client apps',
  response: answers(clientAppsSchema, lookCodes),
}

export const clientAppReadSchema = {
  summary: 'One client app',
  params: appParams,
  response: answers(oneClientAppSchema, [...lookCodes, 'NOT_FOUND']),
}

export const clientAppCreateSchema = {
  summary: 'Register a client app; its secret is shown once',
  body: field.input({
    name: field.text(),
    allowedOrigins: texts(),
    allowedIframeParents: texts(),
    scopes: field.list(scope),
    ...brand,
  }),
  response: answers(madeSecretSchema, changeCodes),
}

export const clientAppUpdateSchema = {
  summary: 'Change what is given of a client app',
  params: appParams,
  body: field.input({
    name: Type.Optional(field.text()),
    allowedOrigins: Type.Optional(texts()),
    allowedIframeParents: Type.Optional(texts()),
    scopes: Type.Optional(field.list(scope)),
    ...brand,
  }),
  response: answers(oneClientAppSchema, changeCodes),
}

export const clientAppRotateSchema = {
  summary: 'A new secret; the one before the last ends',
  params: appParams,
  response: answers(madeSecretSchema, changeCodes),
}

export const clientAppRevokeSchema = {
  summary: 'End one secret',
  params: field.input({ clientId: field.text(), secretId: field.text() }),
  response: answers(oneClientAppSchema, changeCodes),
}

export const clientAppStatusSchema = {
  summary: 'Switch a client app on or off',
  params: appParams,
  response: answers(oneClientAppSchema, changeCodes),
}

const walletParams = field.input({ walletId: field.text() })

export const walletSearchSchema = {
  summary: 'Find a wallet by its id, its user or their email',
  querystring: field.input({
    q: field.textWith({}, (value) => textFault(value, { bytesMax: 4 * emailCharactersMax })),
  }),
  response: answers(foundWalletsSchema, lookCodes),
}

export const walletStatementReadSchema = {
  summary: 'A wallet with a page of its entries',
  params: walletParams,
  querystring: pageQuery,
  response: answers(walletStatementSchema, [...lookCodes, 'NOT_FOUND']),
}

export const explanationReadSchema = {
  summary: 'The events of a wallet with the rule that applied at each',
  params: walletParams,
  querystring: pageQuery,
  response: answers(eventsPageSchema, [...lookCodes, 'NOT_FOUND']),
}

const reason = field.textWith(
  { description: 'Shown to the person, and in the ledger for ever' },
  (value) => {
    if (Array.from(value).length > statusReasonCharactersMax)
      return `must be at most ${statusReasonCharactersMax} characters`
    const fault = textFault(value, { bytesMax: 4 * statusReasonCharactersMax })
    return fault ?? (value.trim() === '' ? 'must not be blank' : undefined)
  },
)

export const walletStatusChangeSchema = {
  summary: 'Deactivate or reactivate a wallet',
  params: walletParams,
  body: field.input({ reason }),
  response: answers(walletStatusSchema, changeCodes),
}

export type BonusSchema = ReturnType<typeof bonusGrantSchema>

export function bonusGrantSchema(limits: field.AmountLimits) {
  return {
    summary: 'Grant a bonus, once a bonusId',
    params: walletParams,
    body: field.input({
      bonusId: field.textWith({ format: 'uuid' }, (value) =>
        isUuid(value) ? undefined : 'must be a UUID in lower case',
      ),
      amount: field.amount(limits),
      description: field.description(),
    }),
    response: answers(bonusSchema, changeCodes),
  }
}

export const resetLinkMakeSchema = {
  summary: 'A link by which a person chooses a new password, once',
  params: field.input({ serviceUserId: field.text() }),
  response: answers(resetLinkSchema, changeCodes),
}
