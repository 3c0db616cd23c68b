/**
 * Why a frame is silent, found out by asking the service from here: words for the person at the
 * page, and for its makers a code and the doctor's address. Never: sends a session.
 */
import { diagnosisMs } from './limits.js'
import type { WalletWidgetError } from './wallet-widget.js'
import { loaderWords, type LoaderWords } from './words.js'

export interface Failure extends WalletWidgetError {
  readonly title: string
}

type Code = WalletWidgetError['code']

export function failureOf(code: Code, locale: string | undefined): Failure {
  const [title, ...sentences] = sentencesOf(code, ownWords(locale))
  return { code, title, message: sentences.join(' ') }
}

/** As the pages inside choose; what the person chose there is not known out here. */
export function ownWords(locale: string | undefined): LoaderWords {
  return loaderWords([locale, ...navigator.languages])
}

type Sentences = readonly [title: string, ...sentences: string[]]

function sentencesOf(code: Code, words: LoaderWords): Sentences {
  switch (code) {
    case 'OFFLINE':
      return [words.offline, words.comesBack, words.noPayment]
    case 'SERVICE_UNREACHABLE':
      return [words.noAnswer, words.weKeepTrying, words.noPayment]
    case 'ORIGIN_NOT_ALLOWED':
    case 'APP_UNKNOWN':
      return [words.notHere, words.notSetUp]
    case 'FRAME_SILENT':
      return [words.notOpened, words.weKeepTrying, words.noPayment]
    case 'SESSION_FAILED':
      return [words.logIn, words.notByItself]
  }
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
