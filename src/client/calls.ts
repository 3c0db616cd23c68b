/**
 * One call of the service with all its tries: the same request again after a time-out, a connection
 * fault, a 429 or a 5xx, with growing pauses or after what Retry-After says. Promises: at most
 * `triesMax` tries and `totalMs` in all; an answer that is final is returned, whatever it says.
 * Never: changes a request between two tries; a reference books once only if it is the same.
 */
import * as limits from './limits.js'
import type { Runtime } from './runtime.js'
import { WalletUnavailableError, type Fault } from './wallet-errors.js'

export interface CallBounds {
  readonly timeoutMs: number
  readonly triesMax: number
  readonly totalMs: number
}

export interface Call {
  readonly address: string
  readonly request: RequestInit
  /** Whether it may book something. */
  readonly isCommand: boolean
}

/** A final answer of the service, or of what stands in its place. */
export interface Answer {
  readonly status: number
  readonly body: unknown
  /** A command, and some try before this one got no answer and may have booked it. */
  readonly isAfterUnknown: boolean
}

interface Failure {
  readonly fault: Fault
  readonly retryAfterMs: number
}

export async function answerOf(call: Call, bounds: CallBounds, runtime: Runtime): Promise<Answer> {
  const endsAt = runtime.now() + bounds.totalMs
  const faults: Fault[] = []
  for (;;) {
    const leftMs = endsAt - runtime.now()
    const result = await tryOnce(call, Math.min(bounds.timeoutMs, leftMs), runtime)
    if ('status' in result) return { ...result, isAfterUnknown: isUnknown(call, faults) }
    faults.push(result.fault)
    const pauseMs = Math.max(result.retryAfterMs, backOffMs(faults.length, runtime))
    const isLast = faults.length >= bounds.triesMax || runtime.now() + pauseMs >= endsAt
    if (isLast) throw new WalletUnavailableError(faults, isUnknown(call, faults))
    await runtime.pause(pauseMs)
  }
}

/** Only a 429 says for certain that nothing was done. */
function isUnknown({ isCommand }: Call, faults: readonly Fault[]): boolean {
  return isCommand && faults.some((fault) => fault !== 'busy')
}

async function tryOnce(
  { address, request }: Call,
  timeoutMs: number,
  runtime: Runtime,
): Promise<Failure | Omit<Answer, 'isAfterUnknown'>> {
  // It also covers the body: an answer that stops in the middle is none.
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)))
  try {
    // Not followed: a redirection would carry the secret elsewhere.
    const response = await runtime.fetch(address, { ...request, signal, redirect: 'manual' })
    const text = await response.text()
    const fault = faultOf(response.status)
    if (fault !== undefined) return { fault, retryAfterMs: retryAfterMs(response.headers) }
    const body = parsed(text)
    // A success without its body was cut off by something between us.
    if (response.ok && body === undefined) return { fault: 'connection', retryAfterMs: 0 }
    return { status: response.status, body }
  } catch {
    return { fault: signal.aborted ? 'timeout' : 'connection', retryAfterMs: 0 }
  }
}

function faultOf(status: number): Fault | undefined {
  if (status === 429) return 'busy'
  return status >= 500 ? 'unavailable' : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds, as the service says it; a date is left to the back-off. */
function retryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? 0)
  return seconds > 0 ? Math.min(seconds * 1_000, limits.retryAfterMaxMs) : 0
}

/** At least half of the full pause, the rest by chance: many who failed together come apart. */
export function backOffMs(failures: number, { fraction }: Runtime): number {
  const fullMs = Math.min(limits.pauseMinMs * 2 ** (failures - 1), limits.pauseMaxMs)
  return fullMs * (0.5 + fraction() / 2)
}
