/**
 * The HTTP application: Fastify with what every route shares. Promises: one log line a request with
 * the route's pattern and never the address, a request id on every answer, JSON for every error,
 * bounds on everything a client can stretch, bodies that are never coerced.
 * States: serving → closing (new requests get 503, running ones finish) → closed. Routes are added
 * by the composition, before it listens.
 */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawServerDefault,
} from 'fastify'
import * as limits from '../limits.js'
import { monotonicMs, type Clock } from '../platform/clock.js'
import { requestLines, type AnsweredRequest, type Log } from '../platform/log.js'
import type { Random } from '../platform/random.js'
import { AddressBudget } from './address-budget.js'
import { keepContract, type ContractTypes } from './contract.js'
import { ApiError, errorBody, handleError, sendError, toApiError } from './errors.js'
import { readJsonBody } from './json-body.js'
import { pathParameterLengthMax } from './limits.js'
import { RequestLog } from './request-log.js'

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ContractTypes
>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** An answer without an end of its own: that the client leaves is how it ends. */
    readonly isEndless?: true
    /** Values that a body may have, where a route takes more than others. */
    readonly bodyValuesMax?: number
  }
}

export interface AppOptions {
  readonly log: Log
  readonly clock: Clock
  readonly random: Random
  /** Proxies in front of us whose X-Forwarded-For is believed; none when left out. */
  readonly proxies?: number
  /** People see it under an https address. */
  readonly isHttps?: boolean
  /** Shorter in tests. */
  readonly requestTimeoutMs?: number
  readonly refusalHoldMs?: number
}

export function buildApp(options: AppOptions): App {
  const { log, random } = options
  const requestTimeoutMs = options.requestTimeoutMs ?? limits.requestTimeoutMs
  const headers = options.isHttps === true ? { ...apiHeaders, ...httpsHeaders } : apiHeaders
  const begin = beginning(log, headers)
  const answering: Answering = new Map()
  const app: App = fastify({
    // Given a log, Fastify would listen to every answer as well: `beginning` does.
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    childLoggerFactory: (_none, bindings) => new RequestLog(log, bindings),
    genReqId: (request) => requestId(request, random),
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: limits.connectionTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    http: {
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(limits.connectionsCheckMs, requestTimeoutMs),
    },
    trustProxy: (_address: string, hop: number) => hop < (options.proxies ?? 0),
    routerOptions: { maxParamLength: pathParameterLengthMax },
    // Our own hook answers with our own body.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      begin(request, reply, () => undefined)
      sendError(reply, toApiError(error))
    },
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest({
        ...{ error, socket, log, headers },
        id: random.uuid(),
        running: answering.get(socket),
      }),
  }).withTypeProvider<ContractTypes>()

  app.log = log
  keepContract(app)
  const allowedMethods = new AllowedMethods()
  app.addHook('onRoute', ({ method, url }) => allowedMethods.add(url, [method].flat()))
  acceptJsonOnly(app)
  app.setErrorHandler(handleError)
  app.setNotFoundHandler((request, reply) => sendError(reply, allowedMethods.refusal(request)))

  admitRequests(app, { options, begin, answering, allowedMethods })
  return app
}

/**
 * Each open connection, with the answer that is under way on it. Between two requests the place
 * stays: a Map that grows and shrinks with every request leaves its outgrown tables behind, and the
 * collector takes what they hold for alive.
 */
type Answering = Map<Socket, ServerResponse | undefined>

interface Admission {
  readonly options: AppOptions
  readonly begin: Begin
  readonly answering: Answering
  readonly allowedMethods: AllowedMethods
}

/** What every request passes first, before its body is read. */
function admitRequests(app: App, admission: Admission): void {
  const { options, begin, answering, allowedMethods } = admission
  const closing = closeGracefully(app, options.clock, answering)
  const budget = new AddressBudget(app, options)
  const refusalOf = (request: FastifyRequest): ApiError | undefined => {
    const refusal = budget.refusal(request)
    if (refusal !== undefined) return refusal
    if (request.is404) return allowedMethods.refusal(request)
    return closing.isClosing ? new ApiError('UNAVAILABLE') : undefined
  }
  app.server.on('connection', (socket: Socket) => {
    socket.once('close', () => answering.delete(socket))
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    begin(request, reply, () => {
      closing.end()
      budget.settle(request)
      // Another request may have come on the same connection before this answer was out.
      if (answering.get(socket) !== reply.raw) return
      if (socket.destroyed) answering.delete(socket)
      else answering.set(socket, undefined)
    })
    answering.set(socket, reply.raw)
    closing.begin()
    if (closing.isClosing) void reply.header('connection', 'close')
    // Before the body is read: a stranger's upload to nowhere costs nothing.
    const refusal = refusalOf(request)
    if (request.caller === 'refused') budget.hold(() => done(refusal))
    else done(refusal)
  })
}

/** `onClose`: once, when the answer is out or nobody is there to get it. */
type Begin = (request: FastifyRequest, reply: FastifyReply, onClose: () => void) => void

/** What every answer gets and every request leaves in the log, also where no hook runs. */
function beginning(log: Log, headers: Readonly<Record<string, string>>): Begin {
  const write = requestLines(log)
  // Without a listener such an error would end the process.
  const onError = (error: Error): void => log.error({ err: error }, 'an answer broke off')
  return (request, reply, onClose) => {
    const beganMs = monotonicMs()
    void reply.header('x-request-id', request.id).headers(headers)
    // One listener of a kind for everybody: each one more costs every request.
    reply.raw.on('error', onError).once('close', () => {
      if (log.isLevelEnabled('info')) write(answered(request, reply, monotonicMs() - beganMs))
      onClose()
    })
  }
}

function answered(
  request: FastifyRequest,
  reply: FastifyReply,
  durationMs: number,
): AnsweredRequest {
  const { url, config } = request.routeOptions
  return {
    requestId: request.id,
    method: request.method,
    // The pattern, never the address: credentials travel in query strings.
    route: url ?? '(unknown)',
    // Where the client went away before its answer was complete, what it would have been.
    status: reply.raw.statusCode,
    durationMs: Math.round(durationMs * 10) / 10,
    isAborted: !reply.raw.writableFinished && config.isEndless !== true,
  }
}

/** The widest refusal: nothing here is cached, framed, sniffed or loaded. Pages set their own. */
const apiHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/**
 * Once seen over https, a browser asks for this host in no other way for a year. Not for other
 * hosts below it, which may be anybody's.
 */
const httpsHeaders = { 'strict-transport-security': 'max-age=31536000' }

const safeRequestId = new RegExp(`^[A-Za-z0-9._-]{1,${limits.requestIdLengthMax}}$`)

function requestId({ headers }: IncomingMessage, random: Random): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && safeRequestId.test(given) ? given : random.uuid()
}

/** JSON and nothing else. */
function acceptJsonOnly(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, body, done) => {
      let value: unknown
      try {
        value = readJsonBody(body, request.routeOptions.config.bodyValuesMax)
      } catch (error) {
        done(toApiError(error))
        return
      }
      done(null, value)
    },
  )
}

/** Knows which methods each path has, so that a wrong one is told 405 instead of 404. */
class AllowedMethods {
  readonly #routes: { readonly segments: readonly string[]; readonly methods: Set<string> }[] = []
  readonly #byPattern = new Map<string, Set<string>>()

  add(pattern: string, methods: readonly string[]): void {
    const known = this.#byPattern.get(pattern) ?? new Set<string>()
    if (!this.#byPattern.has(pattern)) {
      this.#byPattern.set(pattern, known)
      this.#routes.push({ segments: pattern.split('/'), methods: known })
    }
    for (const method of methods) known.add(method)
  }

  refusal(request: FastifyRequest): ApiError {
    const [path = ''] = request.url.split('?', 1)
    const segments = path.split('/')
    const found = this.#routes.filter((route) => matches(route.segments, segments))
    if (found.length === 0) return new ApiError('NOT_FOUND')
    const methods = new Set(found.flatMap((route) => [...route.methods]))
    const allow = [...methods].sort().join(', ')
    return new ApiError('METHOD_NOT_ALLOWED', { headers: { allow } })
  }
}

/** Whole segments are all that our routes use: fixed text, `:name`, and `*` for the rest. */
function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const end = pattern.indexOf('*')
  if (end === -1 ? pattern.length !== path.length : path.length < end) return false
  const fixed = end === -1 ? pattern : pattern.slice(0, end)
  return fixed.every((segment, index) =>
    segment.startsWith(':') ? path[index] !== '' : segment === path[index],
  )
}

/**
 * After app.close() the port is closed, requests that arrive on open connections get 503, and
 * running ones finish. As soon as none runs, every connection is closed: a browser's spare one
 * would otherwise hold the process for as long as it likes.
 */
function closeGracefully(
  app: App,
  clock: Clock,
  answering: Answering,
): { readonly isClosing: boolean; begin(): void; end(): void } {
  let isClosing = false
  let running = 0
  let cancelDrain = (): void => undefined
  const closeWhenIdle = (): void => {
    if (!isClosing || running > 0) return
    clock.after(0, () => {
      if (running === 0) app.server.closeAllConnections()
    })
  }

  app.addHook('preClose', (done) => {
    isClosing = true
    // Once for each that is under way, and not by a hook of every answer.
    for (const response of answering.values())
      if (response?.headersSent === false) response.setHeader('connection', 'close')
    cancelDrain = clock.after(limits.requestDrainMs, () => app.server.closeAllConnections())
    closeWhenIdle()
    done()
  })
  app.addHook('onClose', (_app, done) => {
    cancelDrain()
    done()
  })
  return {
    get isClosing() {
      return isClosing
    },
    begin() {
      running += 1
    },
    end() {
      running -= 1
      closeWhenIdle()
    },
  }
}

interface BrokenRequest {
  readonly error: Error & { readonly code?: string }
  readonly socket: Socket
  readonly log: Log
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  /** The answer to the request on this connection, if one is under way. */
  readonly running: ServerResponse | undefined
}

/** A request that never became one: no HTTP, headers without end, a client that is too slow. */
function answerBrokenRequest(broken: BrokenRequest): void {
  const { error, socket, log, id, running } = broken
  const isHalfAnswered = running?.headersSent === true && !running.writableFinished
  if (error.code === 'ECONNRESET' || !socket.writable || isHalfAnswered) {
    socket.destroy()
    return
  }
  const answer = brokenRequestAnswer(error.code)
  const body = JSON.stringify(errorBody(answer))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    'x-request-id': id,
    ...broken.headers,
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const reason = STATUS_CODES[answer.status] ?? ''
  socket.end(`HTTP/1.1 ${answer.status} ${reason}\r\n${head.join('')}\r\n${body}`, () =>
    socket.destroy(),
  )
  // Not the error itself: it carries the packet, and with it whatever the client sent.
  const fields = { requestId: id, method: '(unknown)', route: '(unknown)', status: answer.status }
  log.info({ ...fields, reason: error.code }, 'request refused before it was complete')
}

function brokenRequestAnswer(code: string | undefined): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('REQUEST_TIMEOUT')
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('HEADERS_TOO_LARGE')
  return new ApiError('INVALID_REQUEST', { message: 'This is not a valid HTTP request.' })
}
