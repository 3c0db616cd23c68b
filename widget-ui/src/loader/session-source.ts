/**
 * Sessions from the host page's own backend. Promises: a try that fails or hangs is made again,
 * with a pause, a bounded number of times; `isFailed` tells "could not be asked" apart from "not
 * linked". Never: keeps a token.
 */
import { getSessionMs, getSessionPausesMs } from './limits.js'
import type { WalletWidgetOptions } from './wallet-widget.js'

export interface FetchedSession {
  readonly token: string | undefined
  readonly isFailed: boolean
}

export async function fetchSession(
  getSession: WalletWidgetOptions['getSession'],
): Promise<FetchedSession> {
  if (getSession === undefined) return { token: undefined, isFailed: false }
  for (const pauseMs of [...getSessionPausesMs, undefined]) {
    try {
      const answer = await inTime(getSession())
      return { token: typeof answer === 'object' ? answer.sessionToken : answer, isFailed: false }
    } catch (error) {
      console.error('WalletWidget: getSession failed', error)
      if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  return { token: undefined, isFailed: true }
}

function inTime<Value>(work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('no answer in time')), getSessionMs)
    work.then(resolve, reject)
  })
}
