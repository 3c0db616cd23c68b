/**
 * The one place where an error becomes an answer; error-table.ts says which codes there are.
 * Promises: every error body is { error, code, requiresAuth? } (plus what an ApiError adds on
 * purpose), every fault is logged once, here, and nothing internal leaves the process.
 * Never: matches on the text of a message.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isContradiction } from '../event-store/contradiction.js'
import { NotWritableError, OutcomeUnknownError } from '../event-store/event-store.js'
import { StoreUnavailableError } from '../event-store/event-store.js'
import { InvalidFieldError } from '../identity/invalid-field-error.js'
import { retryAfterSeconds } from '../limits.js'
import { ProcessorUnavailableError } from '../top-ups/card-processor.js'
import { isDatabaseAway } from '../platform/postgres.js'
import { OverloadedError } from '../platform/turns.js'
import { CommandUnavailableError } from '../writing/waiting-command.js'
import { errorTable, type ErrorCode, type ErrorRow } from './error-table.js'
import type { ErrorBody } from './schemas/answers/error-bodies.js'

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
    const row: ErrorRow = errorTable[code]
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

export function errorBody({ code, message, fields }: ApiError): ErrorBody {
  const row: ErrorRow = errorTable[code]
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
    error instanceof NotWritableError ||
    // Its commands wait until someone has looked.
    isContradiction(error) ||
    isDatabaseAway(error)
  )
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

/** Undefined for what is our own mistake, such as a reply sent twice. */
function fromFastify(error: FastifyError): ApiError | undefined {
  switch (error.code) {
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

/** Faults of ours alone. */
export function logFault(answer: ApiError, request: FastifyRequest): void {
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
export function routeOf(request: Pick<FastifyRequest, 'routeOptions'>): string {
  return request.routeOptions.url ?? '(unknown)'
}
