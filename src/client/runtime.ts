/**
 * What the runtime gives, in one place: time, pauses, randomness and fetch. Nothing of Node's own,
 * so that it runs in edge runtimes too. Tests bring their own.
 */
export interface Runtime {
  readonly fetch: (address: string, request: RequestInit) => Promise<Response>
  /** Milliseconds that only go forward. */
  readonly now: () => number
  readonly pause: (ms: number) => Promise<void>
  /** From 0 up to 1. */
  readonly fraction: () => number
}

export const systemRuntime: Runtime = {
  // Looked up at each call: whoever instruments fetch does so after this was loaded.
  fetch: (address, request) => fetch(address, request),
  now: () => performance.now(),
  pause: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
  fraction: () => Math.random(),
}

/** Milliseconds since 1970: what others have signed is of this time. */
export function timeOfDayMs(): number {
  return Date.now()
}
