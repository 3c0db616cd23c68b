/**
 * The wallet service's server-to-server API, as a client backend calls it. Copy this file.
 * Promises: a call takes at most 10 seconds; a debit or credit whose outcome is not known
 * (time-out, broken connection, 5xx) is repeated with the very same reference: it books once.
 * Never: logs or throws an address, because a GET carries the secret and the user in its query.
 */
import { setTimeout as pause } from 'node:timers/promises'

/** Answers that are the final word on a reference: a new attempt takes a new referenceId. */
const declines = new Set([
  'INSUFFICIENT_BALANCE',
  'WALLET_INACTIVE',
  'REFUND_EXCEEDS_DEBIT',
  'BALANCE_LIMIT_EXCEEDED',
  'VOIDED',
])

/** The service answers within 8 s; whoever has not heard by then never will. */
const timeoutMs = 10_000

/** Of one debit or credit, while a person waits; afterwards they ask again by a click. */
const tries = 3
const pauseMs = 500

/** No usable answer. Whether anything was booked is not known. */
export class WalletUnreachableError extends Error {}

/** The service refused; `code` is one of its codes. Nothing was booked by this call. */
export class WalletRefusedError extends Error {
  constructor({ status, body }) {
    super(body.error)
    this.status = status
    this.code = body.code
    this.requiresAuth = body.requiresAuth === true
  }
}

/** `url`: of the service; clientId and clientSecret go with every call. */
export function createWalletClient({ url, clientId, clientSecret }) {
  const credentials = { clientId, clientSecret }

  async function get(path, fields) {
    const query = new URLSearchParams({ ...credentials, ...fields })
    return send(`${url}${path}?${query}`, { method: 'GET' })
  }

  async function post(path, fields) {
    return send(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...credentials, ...fields }),
    })
  }

  async function send(address, request) {
    try {
      // The signal also covers the body: an answer that stops in the middle is no answer.
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await fetch(address, { ...request, signal, redirect: 'error' })
      const body = await response.json()
      return { status: response.status, body, retryAfter: response.headers.get('retry-after') }
    } catch {
      throw new WalletUnreachableError('The wallet service did not answer.')
    }
  }

  /**
   * A debit or a credit. `outcome` is
   * - applied: booked, now or by an earlier try of the same reference;
   * - declined: the final word, with its `code`;
   * - refused: nothing was booked and the reference is still free, with the `code`;
   * - unknown: perhaps booked. Repeat later with the same reference, never with a new one.
   */
  async function command(path, fields) {
    let isPerhapsBooked = false
    for (let attempt = 1; ; attempt += 1) {
      const answer = await post(path, fields).catch(() => undefined)
      const { code } = answer?.body ?? {}
      if (answer?.status === 200) return { ...answer.body, outcome: 'applied' }
      if (declines.has(code)) return { ...answer.body, outcome: 'declined' }
      // A refusal of this try says nothing about a try before it that got no answer.
      if (answer !== undefined && answer.status < 500)
        return { ...answer.body, outcome: isPerhapsBooked ? 'unknown' : 'refused' }
      isPerhapsBooked = true
      if (attempt >= tries) return { outcome: 'unknown', code }
      await pause(pauseAfter(answer))
    }
  }

  async function ask(call) {
    const answer = await call
    if (answer.status === 200) return answer.body
    if (answer.status >= 500) throw new WalletUnreachableError('The wallet service is away.')
    throw new WalletRefusedError(answer)
  }

  return {
    debit: (fields) => command('/api/server/wallet/debit', fields),
    credit: (fields) => command('/api/server/wallet/credit', fields),
    checkBalance: (fields) => ask(get('/api/server/wallet/check-balance', fields)),
    createSession: (fields) => ask(post('/api/widget/session', fields)),
    verifyLink: (fields) => ask(post('/api/server/links/verify', fields)),
  }
}

/** What the service asks for in Retry-After (seconds), within reason. */
function pauseAfter(answer) {
  const seconds = Number(answer?.retryAfter ?? 0)
  return seconds > 0 ? Math.min(seconds, 5) * 1_000 : pauseMs
}
