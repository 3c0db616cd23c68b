/**
 * Why a frame is silent, found out by asking the service from here: words for the person at the
 * page, and for its makers a code and the doctor's address. Never: sends a session.
 */
import { diagnosisMs } from './limits.js'
import type { WalletWidgetError } from './wallet-widget.js'

export interface Failure extends WalletWidgetError {
  readonly title: string
}

type Code = WalletWidgetError['code']

const noPayment = 'Your money is safe. A payment that was under way goes on; do not pay again.'
const notHere = `This page is not set up for the wallet. Your money is safe. Please tell its owner.`

const words: Readonly<Record<Code, readonly [title: string, message: string]>> = {
  OFFLINE: ['You are offline', `The wallet comes back with your connection. ${noPayment}`],
  SERVICE_UNREACHABLE: ['The wallet does not answer', `We keep trying. ${noPayment}`],
  ORIGIN_NOT_ALLOWED: ['The wallet cannot be shown here', notHere],
  APP_UNKNOWN: ['The wallet cannot be shown here', notHere],
  FRAME_SILENT: ['The wallet did not open', `We keep trying. ${noPayment}`],
  SESSION_FAILED: ['Log in to your wallet', 'This page could not open your wallet by itself.'],
}

export function failureOf(code: Code): Failure {
  const [title, message] = words[code]
  return { code, title, message }
}

export interface Asked {
  /** Of the service. */
  readonly origin: string
  readonly clientId: string
}

export async function diagnose({ origin, clientId }: Asked): Promise<Code> {
  const query = new URLSearchParams({ clientId, origin: location.origin })
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), diagnosisMs)
  const options = { credentials: 'omit', cache: 'no-store', signal: patience.signal } as const
  const facts = await fetch(`${origin}/api/widget/doctor?${query.toString()}`, options)
    .then((answer) => answer.json() as Promise<{ app?: string; originAllowed?: boolean }>)
    .catch(() => undefined)
  clearTimeout(timer)
  if (facts === undefined) return navigator.onLine ? 'SERVICE_UNREACHABLE' : 'OFFLINE'
  if (facts.app === 'unknown') return 'APP_UNKNOWN'
  return facts.originAllowed === false ? 'ORIGIN_NOT_ALLOWED' : 'FRAME_SILENT'
}

const hints: Readonly<Partial<Record<Code, string>>> = {
  ORIGIN_NOT_ALLOWED: 'it is not among the "Allowed iframe parents" of this client app.',
  APP_UNKNOWN: 'no client app has this clientId.',
  SERVICE_UNREACHABLE:
    'the service does not answer. Is it up, and does the Content-Security-Policy of this page ' +
    'name it in frame-src and connect-src?',
}

/** For whoever builds the page and looks into its console. */
export function tellMakers(code: Code, { origin, clientId }: Asked): void {
  const doctor = `${origin}/widget/doctor?clientId=${encodeURIComponent(clientId)}`
  const hint = hints[code] ?? 'the frame stayed silent.'
  console.error(
    `WalletWidget: ${code}. The origin of this page is ${location.origin}; ${hint} ` +
      `The doctor examines it: ${doctor}`,
  )
}
