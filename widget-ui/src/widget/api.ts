/**
 * The widget's calls to the service. Owns the session token, which lives in memory only. Promises:
 * a failed call throws an ApiFailure with words for people; an answer is waited for with a limit.
 * Never: repeats a call by itself, or puts anything secret but the token into an address.
 */
import type { WidgetWallet as Wallet } from '../../../src/http/schemas/answers/widget.js'
import { fileAnswerMs, widgetAnswerMs } from '../shared/answer-limits.js'
import { tooManyTries } from '../shared/too-many-tries.js'
import { currentSpeech, say } from '../words/say.js'
import { failureWords } from './failure-words.js'

/** A refusal that the service gave, or the lack of an answer. The message is for people. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  /** 0 when there was no answer. */
  readonly status: number
  readonly code: string
  /** The field that the service names, when it names one; the message is then its problem. */
  readonly field: string | undefined
  /** The whole body of the answer, such as the limits that a refusal tells. */
  readonly body: Readonly<Record<string, unknown>>

  constructor(of: FailureParts) {
    super(of.text)
    this.status = of.status
    this.code = of.code
    this.field = of.field
    this.body = of.body ?? {}
  }

  get isExpiry(): boolean {
    return this.code === 'SESSION_EXPIRED'
  }
}

interface FailureParts {
  readonly status: number
  readonly code: string
  readonly text: string
  readonly field?: string | undefined
  readonly body?: Record<string, unknown>
}

export class WidgetApi {
  /** The token that calls are made with; undefined before a login. */
  session: string | undefined

  constructor(session: string | undefined) {
    this.session = session
  }

  wallet = () => this.call<Wallet>('GET', '/api/widget/wallet')

  /** How long the session still lives, by the server's clock: this device's may be wrong. */
  async walletAndLife(): Promise<{ wallet: Wallet; lifeMs: number }> {
    let nowMs = Date.now()
    const wallet = await this.call<Wallet>('GET', '/api/widget/wallet', {
      onHeaders: (headers) => {
        const serverMs = Date.parse(headers.get('date') ?? '')
        if (!Number.isNaN(serverMs)) nowMs = serverMs
      },
    })
    return { wallet, lifeMs: Date.parse(wallet.expiresAt) - nowMs }
  }

  /** Kept alive when the host page takes this frame away in the same moment. */
  endSession = () => this.call<unknown>('POST', '/api/widget/session/end', { keepalive: true })

  /** Goes on with another token of the same person and app; the service compares them. */
  async renew(sessionToken: string): Promise<void> {
    const old = this.session
    await this.call<unknown>('POST', '/api/widget/session/renew', { body: { sessionToken } })
    // Whoever has switched account meanwhile must not find the old one again.
    if (this.session === old) this.session = sessionToken
  }

  /** Changes of the wallet as they happen (server-sent events). */
  walletEvents(): EventSource {
    return new EventSource(this.#address('/api/widget/wallet/events'))
  }

  async call<Answer>(method: 'GET' | 'POST', path: string, options: CallOptions = {}) {
    const answer = await this.#fetch(method, path, options)
    options.onHeaders?.(answer.headers)
    const content = (await answer.json().catch(() => undefined)) as unknown
    if (answer.ok && content !== undefined) return content as Answer
    throw failureOf({ method, answer, content })
  }

  /** What a person saves: its bytes, and the name that the service gives it. */
  async file(path: string, query: Readonly<Record<string, string>>): Promise<SavedFile> {
    const answer = await this.#fetch('GET', path, { query, answerMs: fileAnswerMs })
    if (!answer.ok) {
      const content = (await answer.json().catch(() => undefined)) as unknown
      throw failureOf({ method: 'GET', answer, content })
    }
    const [, name = 'wallet'] =
      /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '') ?? []
    const content = await answer.blob().catch(() => undefined)
    if (content === undefined) throw noAnswer('GET', answer.status)
    return { name, content }
  }

  async #fetch(method: string, path: string, options: CallOptions): Promise<Response> {
    const { body, keepalive = false, query = {}, answerMs = widgetAnswerMs } = options
    const answer = await fetch(this.#address(path, query), {
      method,
      keepalive,
      headers: {
        // Mails that a call leads to are in the language of the page.
        'accept-language': currentSpeech().locale,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(answerMs),
    }).catch(() => undefined)
    if (answer === undefined) throw noAnswer(method, 0)
    return answer
  }

  #address(path: string, query: Readonly<Record<string, string>> = {}): string {
    const all = { ...(this.session !== undefined && { session: this.session }), ...query }
    const text = new URLSearchParams(all).toString()
    return text === '' ? path : `${path}?${text}`
  }
}

export interface SavedFile {
  readonly name: string
  readonly content: Blob
}

export interface CallOptions {
  readonly body?: object
  /** Beside the token. */
  readonly query?: Readonly<Record<string, string>>
  readonly answerMs?: number
  readonly keepalive?: boolean
  readonly onHeaders?: (headers: Headers) => void
}

/** For whoever catches: what is no refusal is a mistake of the page, told in the console. */
export function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error
  console.error(error)
  return new ApiFailure({ status: 0, code: 'PAGE', text: say('failure.page') })
}

function failureOf(of: { method: string; answer: Response; content: unknown }): ApiFailure {
  const { status, headers } = of.answer
  const body = (of.content ?? {}) as Record<string, unknown>
  const { code, error } = body
  if (typeof code !== 'string' || typeof error !== 'string') return noAnswer(of.method, status)
  if (code === 'TOO_MANY_TRIES')
    return new ApiFailure({ status, code, text: tooManyTries(headers), body })
  if (code === 'UNAVAILABLE' || code === 'INTERNAL') return noAnswer(of.method, status)
  return new ApiFailure({ status, code, ...failureWords(code, error), body })
}

function noAnswer(method: string, status: number): ApiFailure {
  const text = say(method === 'GET' ? 'failure.noAnswerUnmoved' : 'failure.noAnswer')
  return new ApiFailure({ status, code: 'UNAVAILABLE', text })
}
