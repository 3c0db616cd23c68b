/**
 * The one table from code to status, and the one place where an error becomes an answer.
 * Promises: every error body is { error, code, requiresAuth? } (plus what an ApiError adds on
 * purpose), every fault is logged once, here, and nothing internal leaves the process.
 * Never: matches on the text of a message.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { InvariantError } from '../domain/invariant.js'
import {
  OutcomeUnknownError,
  StoreCorruptError,
  StoreUnavailableError,
} from '../event-store/event-store.js'
import { InvalidFieldError } from '../identity/invalid-field-error.js'
import { retryAfterSeconds } from '../limits.js'
import { ProcessorUnavailableError } from '../top-ups/card-processor.js'
import { isDatabaseAway } from '../platform/postgres.js'
import { OverloadedError } from '../platform/turns.js'
import { CommandUnavailableError } from '../writing/waiting-command.js'

interface TableRow {
  readonly status: number
  /** Where the contract gives the same code another status on debit and credit. */
  readonly commandStatus?: number
  readonly text: string
  readonly requiresAuth?: true
  readonly retryAfter?: true
}

const newReference = 'A new attempt needs a new referenceId.'

export const errorTable = {
  INVALID_REQUEST: { status: 400, text: 'The request is not valid.' },
  INSUFFICIENT_BALANCE: { status: 400, text: `The balance is not sufficient. ${newReference}` },
  REFUND_EXCEEDS_DEBIT: {
    status: 400,
    text: `The refund is more than what is left of the debit. ${newReference}`,
  },
  BALANCE_LIMIT_EXCEEDED: {
    status: 400,
    text: `The balance would exceed what a wallet can hold. ${newReference}`,
  },
  INVALID_RESET_TOKEN: {
    status: 400,
    text: 'This link was used or has expired. Ask for a new one.',
  },
  TOPUP_LIMIT: { status: 400, text: 'The amount is not within the limits of a top-up.' },
  INVALID_SIGNATURE: { status: 400, text: 'The webhook has no valid signature of this moment.' },
  INVALID_LINK_PROOF: { status: 400, text: 'The link proof is unknown, used or expired.' },
  INVALID_CLIENT: { status: 401, text: 'The client credentials are not valid.' },
  SESSION_EXPIRED: { status: 401, text: 'The session has expired.' },
  INVALID_LOGIN: { status: 401, text: 'The email or the password is not right.' },
  INVALID_TOKEN: { status: 401, text: 'The bearer token is not valid.' },
  ADMIN_SESSION_REQUIRED: { status: 401, text: 'Log in to the admin area first.' },
  USER_NOT_FOUND: {
    status: 401,
    commandStatus: 404,
    text: 'The user is not known; they need to sign in.',
    requiresAuth: true,
  },
  INSUFFICIENT_SCOPE: { status: 403, text: 'The client app does not have the scope for this.' },
  ORIGIN_NOT_ALLOWED: { status: 403, text: 'This origin may not embed the wallet.' },
  SESSION_MISMATCH: { status: 403, text: 'The new session is of another user or app, or ended.' },
  CSRF_TOKEN_INVALID: { status: 403, text: 'This page is out of date. Load it again.' },
  ADMIN_ROLE_REQUIRED: { status: 403, text: 'An auditor may look, but change nothing.' },
  WALLET_INACTIVE: { status: 403, text: `The wallet is not active. ${newReference}` },
  NOT_FOUND: { status: 404, text: 'There is nothing at this address.' },
  TOPUP_NOT_FOUND: { status: 404, text: 'This wallet has no such top-up.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'This address does not take this method.' },
  ACCOUNT_EXISTS: { status: 409, text: 'There is an account with this email. Log in instead.' },
  VOIDED: { status: 409, text: `This reference was voided; nothing was booked. ${newReference}` },
  REQUEST_TIMEOUT: { status: 408, text: 'The request took too long to arrive.' },
  PAYLOAD_TOO_LARGE: { status: 413, text: 'The body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'The body must be application/json.' },
  TOO_MANY_TRIES: { status: 429, text: 'Too many tries. Wait a while, then try again.' },
  HEADERS_TOO_LARGE: { status: 431, text: 'The address or the headers are too long.' },
  INTERNAL: { status: 500, text: 'Something went wrong on our side.' },
  TOPUP_UNAVAILABLE: {
    status: 503,
    text: 'Card payments are not possible now. What was paid is booked later by itself.',
    retryAfter: true,
  },
  UNAVAILABLE: {
    status: 503,
    text: 'The service cannot answer now. Repeating with the same reference is safe.',
    retryAfter: true,
  },
} as const satisfies Record<string, TableRow>

export type ErrorCode = keyof typeof errorTable

export interface ApiErrorOptions {
  /** Instead of the table's text; for people, so no secret and nothing internal. */
  readonly message?: string
  /** The answer to a debit or credit: takes the row's `commandStatus` where there is one. */
  readonly isCommand?: boolean
  /** Further fields of the body, such as the balance that was not sufficient. */
  readonly fields?: Readonly<Record<string, string | number | boolean>>
  readonly headers?: Readonly<Record<string, string>>
  /** What led here: logged, never sent. */
  readonly cause?: unknown
}

/** An answer that is no success, on purpose: thrown by a route, sent as it is. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly fields: Readonly<Record<string, string | number | boolean>>
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    const row: TableRow = errorTable[code]
    super(options.message ?? row.text, { cause: options.cause })
    this.code = code
    this.status = (options.isCommand === true ? row.commandStatus : undefined) ?? row.status
    this.fields = options.fields ?? {}
    this.headers =
      row.retryAfter === true
        ? { 'retry-after': String(retryAfterSeconds), ...options.headers }
        : (options.headers ?? {})
  }
}

export interface ErrorBody {
  readonly error: string
  readonly code: ErrorCode
  readonly requiresAuth?: true
}

export function errorBody({ code, message, fields }: ApiError): ErrorBody {
  const row: TableRow = errorTable[code]
  const body = { error: message, code, ...fields }
  return row.requiresAuth === true ? { ...body, requiresAuth: true } : body
}

/** A field of the request that is not as it must be; `problem` completes "The field … ". */
export function invalidField(field: string, problem: string): ApiError {
  return new ApiError('INVALID_REQUEST', { message: `The field '${field}' ${problem}.` })
}

/** Fastify's error handler: translates, logs what is a fault of ours, answers. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  // The client went away in the middle of its body: nobody is there to be answered, and the
  // request's own line says so.
  if (request.raw.destroyed && !request.raw.complete) {
    reply.hijack()
    return
  }
  const answer = toApiError(error)
  logFault(answer, request)
  sendError(reply, answer)
}

export function sendError(reply: FastifyReply, answer: ApiError): void {
  void reply.code(answer.status).headers(answer.headers).send(errorBody(answer))
}

/** Whatever was thrown, as the answer that the client may see. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof InvalidFieldError) return invalidField(error.field, error.problem)
  if (isUnavailable(error)) return new ApiError('UNAVAILABLE', { cause: error })
  if (error instanceof ProcessorUnavailableError)
    return new ApiError('TOPUP_UNAVAILABLE', { cause: error })
  if (isFastifyError(error)) {
    const answer = fromFastify(error)
    if (answer !== undefined) return answer
  }
  return new ApiError('INTERNAL', { cause: error })
}

function isUnavailable(error: unknown): boolean {
  return (
    error instanceof OverloadedError ||
    error instanceof CommandUnavailableError ||
    error instanceof StoreUnavailableError ||
    error instanceof OutcomeUnknownError ||
    isContradiction(error) ||
    isDatabaseAway(error)
  )
}

/** The wallet or the log is not as it must be: its commands wait until someone has looked. */
function isContradiction(error: unknown): boolean {
  return error instanceof InvariantError || error instanceof StoreCorruptError
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

/** Undefined for what is our own mistake, such as a reply sent twice. */
function fromFastify(error: FastifyError): ApiError | undefined {
  if (error.validation !== undefined) return fromValidation(error)
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new ApiError('INVALID_REQUEST', { message: 'The body is not valid JSON.' })
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new ApiError('INVALID_REQUEST', { message: 'The body is empty.' })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError('INVALID_REQUEST', { message: 'The body is not as long as announced.' })
    case 'FST_ERR_BAD_URL':
      return new ApiError('INVALID_REQUEST', { message: 'The path is not a valid address.' })
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError('NOT_FOUND')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('UNSUPPORTED_MEDIA_TYPE')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('PAYLOAD_TOO_LARGE')
    default:
      return undefined
  }
}

function fromValidation({ validation, validationContext }: FastifyError): ApiError {
  const [first] = validation ?? []
  if (first === undefined) return new ApiError('INVALID_REQUEST')
  const path = first.instancePath.split('/').slice(1)
  const missing: unknown = first.params['missingProperty']
  if (typeof missing === 'string') return invalidField([...path, missing].join('.'), 'is missing')
  const problem = first.message ?? 'is not valid'
  if (path.length > 0) return invalidField(path.join('.'), problem)
  const part = validationContext === 'body' ? 'body' : 'query'
  return new ApiError('INVALID_REQUEST', { message: `The ${part} ${problem}.` })
}

function logFault(answer: ApiError, request: FastifyRequest): void {
  if (answer.status < 500) return
  const { cause, code } = answer
  const route = routeOf(request)
  const isOutage = code === 'UNAVAILABLE' || code === 'TOPUP_UNAVAILABLE'
  if (!isOutage || isContradiction(cause))
    request.log.error({ err: cause ?? answer, route }, 'request failed')
  // Under load these come in thousands, and their stacks say nothing that the reason does not.
  else if (cause instanceof CommandUnavailableError)
    request.log.warn({ reason: cause.reason, route }, 'command not answered now')
  else if (cause !== undefined) request.log.warn({ err: cause, route }, 'request not answered now')
}

/** The pattern of the route, never the address: credentials travel in query strings. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? '(unknown)'
}
