/**
 * The schemas of the widget's API: sessions made by client backends, and what the pages themselves
 * call. The session in the query and the clientId of sign-up and login are credentials: their own
 * readers look at them before any field is complained about.
 */
import { Type } from '@sinclair/typebox'
import { languages } from '../../platform/languages.js'
import { answers } from './answers/error-bodies.js'
import {
  doctorFactsSchema,
  doneSchema,
  messageSchema,
  renewedSessionSchema,
  resetAccountAnswerSchema,
  welcomeSchema,
  widgetSessionSchema,
  widgetWalletSchema,
} from './answers/widget.js'
import * as field from './fields.js'
import { clientCredentials } from './server-wallet.js'

/** What every call with a session begins with. */
export const sessionQuery = field.input({
  session: field.text({ description: 'The session token' }),
})

const account = {
  clientId: field.text({ description: 'The client app on whose page the person is' }),
  email: field.text(),
  password: field.text(),
}

export const signUpSchema = {
  summary: 'Make an account inside the widget',
  body: field.input({ ...account, firstName: field.text(), lastName: field.text() }),
  response: answers(welcomeSchema, ['INVALID_CLIENT', 'ACCOUNT_EXISTS', 'TOO_MANY_TRIES']),
}

export const loginSchema = {
  summary: 'Log in inside the widget',
  body: field.input(account),
  response: answers(welcomeSchema, ['INVALID_CLIENT', 'INVALID_LOGIN', 'TOO_MANY_TRIES']),
}

export const forgotPasswordSchema = {
  summary: 'Ask for a link to choose a new password',
  body: field.input({ email: field.text() }),
  response: answers(messageSchema, ['NOT_FOUND', 'TOO_MANY_TRIES']),
}

export const resetPasswordSchema = {
  summary: 'Choose a new password with such a link',
  body: field.input({ token: field.text(), password: field.text() }),
  response: answers(messageSchema, ['INVALID_RESET_TOKEN', 'TOO_MANY_TRIES']),
}

export const resetAccountSchema = {
  summary: 'Whose password such a link changes',
  body: field.input({ token: field.text() }),
  response: answers(resetAccountAnswerSchema, ['INVALID_RESET_TOKEN', 'TOO_MANY_TRIES']),
}

export const chooseLanguageSchema = {
  summary: 'The language of this person, for pages and mails',
  querystring: sessionQuery,
  body: field.input({ language: field.choice(languages) }),
  response: answers(doneSchema, ['SESSION_EXPIRED']),
}

export const createSessionSchema = {
  summary: 'A session for one of your users, from your backend',
  body: field.input({
    ...clientCredentials,
    serviceUserId: field.text(),
    parentOrigin: Type.Optional(field.text({ description: 'Of the page that embeds the widget' })),
  }),
  response: answers(widgetSessionSchema, [
    'INVALID_CLIENT',
    'INSUFFICIENT_SCOPE',
    'USER_NOT_FOUND',
    'ORIGIN_NOT_ALLOWED',
  ]),
}

export const endSessionSchema = {
  summary: 'End a session',
  querystring: sessionQuery,
  response: answers(doneSchema, ['SESSION_EXPIRED']),
}

export const renewSessionSchema = {
  summary: 'Go on with a newer session of the same user and app',
  querystring: sessionQuery,
  body: field.input({ sessionToken: field.text({ description: 'The newer session' }) }),
  response: answers(renewedSessionSchema, ['SESSION_EXPIRED', 'SESSION_MISMATCH']),
}

export const widgetWalletReadSchema = {
  summary: 'The wallet as the widget shows it',
  querystring: sessionQuery,
  response: answers(widgetWalletSchema, ['SESSION_EXPIRED']),
}

export const walletEventsSchema = {
  summary: 'A stream that tells when the wallet has changed',
  querystring: sessionQuery,
  response: answers({ content: { 'text/event-stream': { schema: Type.String() } } }, [
    'SESSION_EXPIRED',
  ]),
}

/** The doctor refuses nobody: what is missing or given twice is examined as empty. */
export const doctorSchema = {
  summary: 'Why a frame stays empty',
  querystring: field.input({
    clientId: field.anything(),
    origin: field.anything(),
    session: field.anything(),
  }),
  response: answers(doctorFactsSchema, ['TOO_MANY_TRIES']),
}

export const preflightSchema = {
  summary: 'Which origins may call from a browser',
  response: { 204: Type.Null() },
}
