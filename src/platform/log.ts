/**
 * The log: one JSON object a line, times in ISO 8601 UTC, to stdout unless told otherwise.
 * Whoever logs passes no secret in the first place; this file is the second line of defence: fields
 * with the names below, tokens, user ids and passwords inside addresses are blanked out, requests
 * shrink to method and route, and errors to what a reader needs (never a driver's extra fields).
 * An error is logged once, where it stops travelling.
 */
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import { systemClock } from './clock.js'
import { isoTime } from './iso-time.js'
import { bufferedLines } from './log-lines.js'

export type Log = Logger

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LogOptions {
  readonly level: LogLevel
  /** Stdout when left out. Commands that print their results there pass `stderrLines()`. */
  readonly destination?: DestinationStream
}

export function createLog({ level, destination }: LogOptions): Log {
  return pino(
    {
      level,
      // The process id stays, the host's name goes: who runs several knows it from elsewhere.
      base: { pid: process.pid },
      timestamp: () => `,"time":"${isoNow()}"`,
      serializers,
      formatters: { level: (label) => ({ level: label }), log: (fields) => blankSecrets(fields) },
      hooks: { streamWrite: blankTokens },
    },
    destination ?? bufferedLines(1),
  )
}

/** For commands whose result goes to stdout: people watch them, so each line goes out by itself. */
export function stderrLines(): DestinationStream {
  return pino.destination({ dest: 2, sync: false })
}

/** What the log says of every request that was answered. */
export interface AnsweredRequest {
  /** Letters, digits, `.`, `_` and `-` only: it may be the client's own. */
  readonly requestId: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly durationMs: number
  /** The client went away before its answer was complete. */
  readonly isAborted: boolean
}

/**
 * Writes the one line of a request, as `info` of a child log with the request's id would, at a
 * tenth of its price: nothing of it can be a secret but the id that a client made up.
 */
export function requestLines(log: Log): (request: AnsweredRequest) => void {
  const stream = streamOf(log)
  const { pid } = process
  return ({ requestId, method, route, status, durationMs, isAborted }) => {
    const aborted = isAborted ? ',"aborted":true' : ''
    stream.write(
      `{"level":"info","time":"${isoNow()}","pid":${pid},` +
        `"requestId":"${blankTokens(requestId)}","method":"${method}","route":"${route}",` +
        `"status":${status},"durationMs":${durationMs}${aborted},"msg":"request"}\n`,
    )
  }
}

function isoNow(): string {
  return isoTime(systemClock.now())
}

function streamOf(log: Log): DestinationStream {
  return (log as Log & { readonly [pino.symbols.streamSym]: DestinationStream })[
    pino.symbols.streamSym
  ]
}

/** Compared without regard to case, at every depth. */
const secretNames = [
  'authorization',
  'clientSecret',
  'client_secret',
  'connectionString',
  'cookie',
  'databaseUrl',
  'DATABASE_URL',
  'eventStoreUrl',
  'EVENTSTORE_URL',
  'linkProof',
  'password',
  'paymentSecret',
  'passwordHash',
  'secret',
  'secretHash',
  'secretKey',
  'serviceUserId',
  'session',
  'sessionToken',
  'set-cookie',
  'token',
]
const secretNamesInLowerCase = new Set(secretNames.map((name) => name.toLowerCase()))

const blank = '[redacted]'

/** Deeper than anything we log; below it a value is dropped rather than trusted. */
const depthMax = 5

/** Longer is a loop of errors, not a chain of causes. */
const causesMax = 4

const serializers: NonNullable<LoggerOptions['serializers']> = {
  // What a child log is bound to passes no formatter, only these.
  ...Object.fromEntries(secretNames.map((name) => [name, () => blank])),
  req: describeRequest,
  res: describeResponse,
  // Errors are described by the formatter already, under whatever name they stand.
  err: (described: unknown) => described,
}

function blankSecrets(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(fields)) {
    const shown = blankField({ name, value, depth })
    if (shown === value) continue
    // Most lines hold nothing to blank and need no copy; the caller's object stays as it is.
    copy ??= { ...fields }
    copy[name] = shown
  }
  return copy ?? fields
}

function blankField(field: { name: string; value: unknown; depth: number }): unknown {
  if (secretNamesInLowerCase.has(field.name.toLowerCase())) return blank
  // The serializers of these two choose what is shown of them.
  if (field.depth === 0 && (field.name === 'req' || field.name === 'res')) return field.value
  return blankInside(field.value, field.depth)
}

function blankInside(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (value instanceof Error) return describeError(value)
  if (depth >= depthMax) return '[too deep]'
  if (Array.isArray(value)) return value.map((item) => blankInside(item, depth + 1))
  // A connection pool or a socket holds passwords and traffic: of such objects only the name.
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return `[${value.constructor.name}]`
  return blankSecrets(value as Record<string, unknown>, depth + 1)
}

/**
 * Session tokens, user ids, client secrets, link proofs, reset tokens, the processor's keys and
 * payment secrets, and `user:password@` in an address, wherever they stand in a line.
 */
const tokens = new RegExp(
  [
    '(ws|usr)_[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
    '(sk_live|sk_test|rk_live|rk_test|whsec|secret)_\\w{16,}',
    '(sk|lp|rst)_[\\w-]{43}',
    '(://)[^\\s/@"]*:[^\\s"]*@',
  ].join('|'),
  'g',
)
const beginnings = ['ws_', 'usr_', 'sk_', 'rk_', 'lp_', 'rst_', 'whsec_', 'secret_', '://']

function blankTokens(line: string): string {
  // Looking for the beginnings is ten times as fast, and an ordinary line has none of them.
  if (!beginnings.some((beginning) => line.includes(beginning))) return line
  return line.replace(
    tokens,
    (_match, id?: string, secret?: string, key?: string, scheme?: string) =>
      scheme === undefined ? `${id ?? secret ?? key ?? ''}_${blank}` : `${scheme}${blank}@`,
  )
}

interface DescribedError {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: DescribedError
}

/** Only these fields: a driver's error also carries the row or the packet that it choked on. */
function describeError(error: Error, depth = 0): DescribedError {
  const code: unknown = 'code' in error ? error.code : undefined
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause instanceof Error && depth < causesMax
      ? { cause: describeError(error.cause, depth + 1) }
      : {}),
  }
}

interface RequestLike {
  readonly method?: string
  readonly routeOptions?: { readonly url?: string }
}

/** Credentials travel in query strings here: the route, never the address. */
function describeRequest(request: RequestLike): { method?: string; route: string } {
  const route = request.routeOptions?.url ?? '(unknown)'
  return request.method === undefined ? { route } : { method: request.method, route }
}

function describeResponse(response: { readonly statusCode?: number }): { statusCode?: number } {
  return response.statusCode === undefined ? {} : { statusCode: response.statusCode }
}
