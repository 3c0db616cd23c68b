/**
 * The schemas of the server-to-server API: what a client backend sends and gets. Credentials stand
 * first and are read by client-auth.ts itself, before any of these fields is complained about.
 */
import { Type } from '@sinclair/typebox'
import { holdSecondsMax, holdSecondsMin, holdSecondsStandard } from '../../domain/holds.js'
import type { Currency } from '../../domain/money.js'
import { pageEntriesMax, pageEntriesStandard } from '../../limits.js'
import type { Clock } from '../../platform/clock.js'
import type { ErrorCode } from '../error-table.js'
import { answers } from './answers/error-bodies.js'
import {
  appliedSchema,
  balanceCheckSchema,
  declineCodes,
  knownOutcomeSchema,
  linkedUserSchema,
  outcomeSchema,
  walletSchema,
} from './answers/wallets.js'
import * as field from './fields.js'

/** What every call of a client backend begins with. */
export const clientCredentials = {
  clientId: field.text({ description: 'Of the registered client app' }),
  clientSecret: field.text({ description: 'Known to the backend alone' }),
}

export const clientCodes = ['INVALID_CLIENT', 'INSUFFICIENT_SCOPE'] as const satisfies ErrorCode[]
const userCodes = [...clientCodes, 'USER_NOT_FOUND'] as const satisfies ErrorCode[]

const serviceUserId = field.text()
const user = { ...clientCredentials, serviceUserId }
const reference = {
  referenceType: field.referenceType(),
  referenceId: field.referenceId(),
}

/** What a debit says, beside who calls. */
export function bookingFields(limits: field.AmountLimits) {
  return {
    serviceUserId,
    amount: field.amount(limits),
    ...reference,
    description: field.description(),
  }
}

export function creditFields(limits: field.AmountLimits) {
  return { ...bookingFields(limits), refundOf: field.refundOf() }
}

const booked = answers(appliedSchema, [...userCodes, ...declineCodes], { isCommand: true })

export type DebitSchema = ReturnType<typeof debitSchema>

export function debitSchema(limits: field.AmountLimits) {
  return {
    summary: 'Take an amount from a wallet',
    body: field.input({ ...clientCredentials, ...bookingFields(limits) }),
    response: booked,
  }
}

export type CreditSchema = ReturnType<typeof creditSchema>

export function creditSchema(limits: field.AmountLimits) {
  return {
    summary: 'Add an amount to a wallet, or give a debit back',
    body: field.input({ ...clientCredentials, ...creditFields(limits) }),
    response: booked,
  }
}

const held = answers(appliedSchema, [...userCodes, ...declineCodes, 'UPGRADE_UNFINISHED'], {
  isCommand: true,
})

export function holdFields(limits: field.AmountLimits) {
  const lifetime = { min: holdSecondsMin, max: holdSecondsMax, standard: holdSecondsStandard }
  return { ...bookingFields(limits), expiresInSeconds: field.seconds(lifetime) }
}

export function holdSchema(limits: field.AmountLimits) {
  return {
    summary: 'Set an amount aside, to be captured or released',
    body: field.input({ ...clientCredentials, ...holdFields(limits) }),
    response: held,
  }
}

export type HoldSchema = ReturnType<typeof holdSchema>

/** Without an amount: all that the hold has left. */
export function captureSchema(limits: field.AmountLimits) {
  return {
    summary: 'Take an amount of a hold, or all that it has left',
    body: field.input({
      ...user,
      holdOf: field.holdOf(),
      amount: Type.Optional(field.amount(limits)),
      ...reference,
      description: field.description(),
      final: Type.Optional(field.flag({ description: 'Release what is left of the hold' })),
    }),
    response: held,
  }
}

export type CaptureSchema = ReturnType<typeof captureSchema>

export const releaseSchema = {
  summary: 'Release what a hold has left',
  body: field.input({
    ...user,
    holdOf: field.holdOf(),
    ...reference,
    description: field.description(),
  }),
  response: held,
}

export const voidSchema = {
  summary: 'Close a reference for ever, or learn what became of it',
  body: field.input({ ...user, ...reference }),
  response: answers(knownOutcomeSchema, userCodes, { isCommand: true }),
}

export const outcomeReadSchema = {
  summary: 'What became of a reference',
  querystring: field.input({ ...user, ...reference }),
  response: answers(outcomeSchema, userCodes),
}

export type BalanceCheckSchema = ReturnType<typeof balanceCheckReadSchema>

export function balanceCheckReadSchema(currency: Currency) {
  return {
    summary: 'Whether a balance is sufficient',
    querystring: field.input({ ...user, requiredAmount: field.amountText(currency) }),
    response: answers(balanceCheckSchema, userCodes),
  }
}

export type WalletReadSchema = ReturnType<typeof walletReadSchema>

/** A date in the future has no balance yet, so this one needs to know the time. */
export function walletReadSchema(clock: Clock) {
  const notInFuture = (ms: number) => (ms > clock.now() ? 'must not be in the future' : undefined)
  return {
    summary: 'The wallet, now or at a date, with a page of its transactions',
    querystring: field.input({
      ...user,
      at: field.time('The balance at this moment', notInFuture),
      type: field.choice(['credit', 'debit']),
      from: field.time('Entries of this moment and later'),
      to: field.time('Entries before this moment'),
      referenceType: Type.Optional(field.referenceType()),
      limit: field.wholeNumber({ min: 1, max: pageEntriesMax, standard: pageEntriesStandard }),
      cursor: cursor(),
    }),
    response: answers(walletSchema, userCodes),
  }
}

export const linkProofSchema = {
  summary: 'For which user a link proof was made',
  body: field.input({ ...clientCredentials, linkProof: field.text() }),
  response: answers(linkedUserSchema, [...clientCodes, 'INVALID_LINK_PROOF']),
}

export function cursor() {
  const pattern = '^[0-9]{1,15}$'
  const form = new RegExp(pattern)
  return Type.Optional(
    field.field<string>({ type: 'string', pattern, description: 'Of an earlier page' }, (value) =>
      typeof value === 'string' && form.test(value)
        ? undefined
        : 'must be the nextCursor of an earlier answer',
    ),
  )
}
