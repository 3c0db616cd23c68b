/**
 * The schemas of a person's own account: entries, documents, and what they may see and change. The
 * session in the query is the credential; all but the list of entries need one that the person made
 * by logging in.
 */
import { Type, type TSchema } from '@sinclair/typebox'
import { documentLanguages } from '../../audit/documents/document-words.js'
import { isStorable } from '../../identity/user-rules.js'
import { pageEntriesMax } from '../../limits.js'
import type { ErrorCode } from '../error-table.js'
import { listedEntries, searchCharactersMax } from '../limits.js'
import {
  accountSchema,
  closedSchema,
  emailChangeSchema,
  entriesPageSchema,
  personSessionSchema,
  provenEmailSchema,
  returnedToCardsSchema,
} from './answers/account.js'
import { answers } from './answers/error-bodies.js'
import { doneSchema, messageSchema } from './answers/widget.js'
import * as field from './fields.js'
import { cursor } from './server-wallet.js'
import { sessionQuery } from './widget.js'

const session = sessionQuery.properties
const period = {
  from: field.time('Entries of this moment and later'),
  to: field.time('Entries before this moment'),
}

/** The kinds of entries that a person may ask for. */
export const entryKinds = ['payment', 'credit', 'topup', 'bonus'] as const

export const entriesSchema = {
  summary: 'All entries of the wallet, in pages, newest first',
  querystring: field.input({
    ...session,
    kind: field.choice(entryKinds),
    app: Type.Optional(field.text({ description: 'The clientId of who booked it' })),
    ...period,
    search: Type.Optional(
      field.textWith(
        { description: 'Part of a referenceId, or an amount', examples: ['1042'] },
        (text) => {
          if (!isStorable(text)) return 'must be well-formed Unicode without U+0000'
          if (text.length <= searchCharactersMax) return undefined
          return `must be at most ${searchCharactersMax} characters`
        },
      ),
    ),
    limit: field.wholeNumber({ min: 1, max: pageEntriesMax, standard: listedEntries }),
    cursor: cursor(),
  }),
  response: answers(entriesPageSchema, ['SESSION_EXPIRED']),
}

const personCodes = ['SESSION_EXPIRED', 'LOGIN_REQUIRED'] as const satisfies ErrorCode[]
const passwordCodes = [
  ...personCodes,
  'WRONG_PASSWORD',
  'TOO_MANY_TRIES',
] as const satisfies ErrorCode[]
const documentCodes = [
  ...personCodes,
  'TOO_MANY_ENTRIES',
  'TOO_MANY_TRIES',
] as const satisfies ErrorCode[]

function fileOf(...types: readonly string[]) {
  const schema: TSchema = Type.String({ format: 'binary' })
  return { content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

/** How a document is written. */
const writing = {
  language: field.choice(documentLanguages),
  timeZone: Type.Optional(
    field.textWith({ description: 'An IANA name', examples: ['Europe/Berlin'] }, (name) =>
      isTimeZone(name) ? undefined : 'must be a time zone such as Europe/Berlin',
    ),
  ),
}

export const statementSchema = {
  summary: 'A statement of a period, as PDF or CSV',
  querystring: field.input({
    ...session,
    format: field.choice(['pdf', 'csv']),
    ...period,
    ...writing,
  }),
  response: answers(fileOf('application/pdf', 'text/csv'), documentCodes),
}

export const receiptSchema = {
  summary: 'The receipt of one entry, as PDF',
  querystring: field.input({ ...session, entryId: field.text(), ...writing }),
  response: answers(fileOf('application/pdf'), [...documentCodes, 'ENTRY_NOT_FOUND']),
}

export const proofSchema = {
  summary: "The audit bundle of one's own wallet",
  querystring: sessionQuery,
  response: answers(fileOf('application/json'), [...documentCodes, 'PROOF_NOT_READY']),
}

export const exportSchema = {
  summary: 'Everything that is kept of the person',
  querystring: sessionQuery,
  response: answers(fileOf('application/json'), documentCodes),
}

const password = field.text({ description: 'Asked for again' })

export const unlockSchema = {
  summary: "Give the password within a session: the person's own account opens",
  querystring: sessionQuery,
  body: field.input({ password }),
  response: answers(personSessionSchema, ['SESSION_EXPIRED', 'WRONG_PASSWORD', 'TOO_MANY_TRIES']),
}

export const goOnSchema = {
  summary: 'Another session of the same login, for half an hour after it',
  querystring: sessionQuery,
  response: answers(personSessionSchema, personCodes),
}

export const accountReadSchema = {
  summary: "The person's own account",
  querystring: sessionQuery,
  response: answers(accountSchema, personCodes),
}

export const renameSchema = {
  summary: 'Change the name',
  querystring: sessionQuery,
  body: field.input({ firstName: field.text(), lastName: field.text() }),
  response: answers(doneSchema, [...personCodes, 'TOO_MANY_TRIES']),
}

export const changeEmailSchema = {
  summary: 'Change the email; where mail is sent its link confirms it',
  querystring: sessionQuery,
  body: field.input({ email: field.text(), password }),
  response: answers(emailChangeSchema, [...passwordCodes, 'ACCOUNT_EXISTS']),
}

export const mailAgainSchema = {
  summary: 'Send the link that confirms the email again',
  querystring: sessionQuery,
  response: answers(messageSchema, [...personCodes, 'NOT_FOUND', 'TOO_MANY_TRIES']),
}

export const confirmEmailSchema = {
  summary: 'Confirm an email with the link that was mailed to it',
  body: field.input({ token: field.text() }),
  response: answers(provenEmailSchema, ['INVALID_EMAIL_TOKEN', 'ACCOUNT_EXISTS', 'TOO_MANY_TRIES']),
}

export const changePasswordSchema = {
  summary: 'Change the password; every other login ends',
  querystring: sessionQuery,
  body: field.input({ password, newPassword: field.text() }),
  response: answers(doneSchema, passwordCodes),
}

export const endSessionsSchema = {
  summary: 'End one login, or all but this one',
  querystring: sessionQuery,
  body: field.input({
    loginId: Type.Optional(field.text({ description: 'Left out: all but this one' })),
  }),
  response: answers(doneSchema, personCodes),
}

export const unlinkSchema = {
  summary: 'Take away what a client app may do; it may still give its debits back',
  querystring: sessionQuery,
  body: field.input({ clientId: field.text() }),
  response: answers(doneSchema, personCodes),
}

export const closeSchema = {
  summary: 'Close the account of an empty wallet',
  querystring: sessionQuery,
  body: field.input({ password }),
  response: answers(closedSchema, [...passwordCodes, 'WALLET_NOT_EMPTY', 'TOPUP_UNAVAILABLE']),
}

export const returnSchema = {
  summary: 'Send what is left of card top-ups back to the cards',
  querystring: sessionQuery,
  body: field.input({ password }),
  response: answers(returnedToCardsSchema, [...passwordCodes, 'TOPUP_UNAVAILABLE']),
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
