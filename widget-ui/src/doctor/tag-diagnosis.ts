/**
 * What is wrong with an iframe tag that an integrator pasted. Values only: the tag arrives as its
 * attributes (tag-reader.ts reads them without ever putting the tag into a page). Never: repeats
 * what stands in the address; it may hold a token or a secret.
 */
import type { Finding } from './findings.js'

/** Names in lower case. */
export type TagAttributes = Readonly<Record<string, string>>

export interface TagAddress {
  readonly clientId: string
  readonly session: string
}

/** What the tag's address carries, for the questions to the service. */
export function tagAddress(attributes: TagAttributes): TagAddress {
  const query = addressOf(attributes)?.searchParams
  return { clientId: query?.get('clientId') ?? '', session: query?.get('session') ?? '' }
}

/** The names by which the wallet service may be called in a tag. */
export interface ServiceNames {
  /** Where the doctor was opened. */
  readonly origin: string
  /** As people see the service from outside, where that is known. */
  readonly publicOrigin?: string | undefined
}

/** What may stand in a src. */
export const ownPages = ['/widget/wallet', '/widget/topup', '/widget/doctor'] as const

/** The tag's address, read as if it had been written on this origin. */
export function addressOn({ src = '' }: TagAttributes, origin: string): URL | undefined {
  return URL.canParse(src, origin) ? new URL(src, origin) : undefined
}

/** The name of the service that the tag uses, if it is one; else the one to use. */
export function serviceOriginFor(attributes: TagAttributes, service: ServiceNames): string {
  const address = addressOf(attributes)
  const isRight = address !== undefined && hostFindings(address, service).length === 0
  return isRight ? address.origin : (service.publicOrigin ?? service.origin)
}

export function tagFindings(attributes: TagAttributes, service: ServiceNames): Finding[] {
  const found = [
    ...sourceFindings(attributes, service),
    ...allowFindings(attributes['allow']),
    ...sandboxFindings(attributes['sandbox']),
    ...frameFindings(attributes),
  ]
  if (found.some(({ state }) => state === 'bad')) return found
  return [{ state: 'good', title: 'The tag has everything that the wallet needs.' }, ...found]
}

/** Whether it looks like one; only the service knows whether it is one. */
export function isSessionToken(text: string): boolean {
  return /^ws_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

function addressOf({ src }: TagAttributes): URL | undefined {
  return src !== undefined && URL.canParse(src) ? new URL(src) : undefined
}

function sourceFindings(attributes: TagAttributes, service: ServiceNames): Finding[] {
  const { src, srcdoc } = attributes
  const serviceOrigin = service.publicOrigin ?? service.origin
  if (srcdoc !== undefined)
    return [bad('The tag has a srcdoc, which takes the place of its src.', 'Remove srcdoc.')]
  if (src === undefined || src.trim() === '')
    return [bad('The tag has no src.', `Write src="${serviceOrigin}/widget/wallet?clientId=…".`)]
  const address = addressOf(attributes)
  if (address === undefined)
    return [
      bad(
        'The src is no whole address, so it is looked for on your own host.',
        `Begin it with ${serviceOrigin}/widget/wallet.`,
      ),
    ]
  return [...hostFindings(address, service), ...pathFindings(address), ...queryFindings(address)]
}

function hostFindings(address: URL, { origin, publicOrigin }: ServiceNames): Finding[] {
  const names = [origin, ...(publicOrigin === undefined ? [] : [publicOrigin])]
  const same = names.map((name) => new URL(name)).filter((name) => isSameHost(name, address))
  if (same.some(({ protocol }) => protocol === address.protocol)) return []
  const [first] = same
  if (first !== undefined)
    return [
      bad(`The src uses ${address.protocol}//.`, `Use ${first.protocol}// as the service does.`),
    ]
  const found = [
    bad(
      `The src leads to ${address.host}, not to this wallet service.`,
      `Use ${publicOrigin ?? origin}, or open the doctor of that service.`,
    ),
  ]
  if (address.protocol === 'http:' && !isLocal(address.hostname))
    found.push(
      bad('The src uses http://: a page on https cannot embed it.', 'Use https:// in the src.'),
    )
  return found
}

/** A machine calls itself by several names. */
const ownNames = ['localhost', '127.0.0.1', '[::1]']

function isSameHost(one: URL, other: URL): boolean {
  if (one.host === other.host) return true
  const isOwn = [one, other].every(({ hostname }) => ownNames.includes(hostname))
  return isOwn && one.port === other.port
}

function isLocal(hostname: string): boolean {
  return ownNames.includes(hostname) || hostname.endsWith('.localhost')
}

function pathFindings({ pathname }: URL): Finding[] {
  if (ownPages.some((page) => page === pathname)) return []
  const fix = 'Use /widget/wallet, or /widget/topup for the top-up page.'
  return [bad('The path of the src is no page of the widget.', fix)]
}

function queryFindings({ searchParams, pathname }: URL): Finding[] {
  const found: Finding[] = []
  const session = searchParams.get('session')
  if (searchParams.has('clientSecret'))
    found.push(
      bad(
        'The src holds a clientSecret: everybody who opens the page can read it.',
        'Remove it, rotate the secret in the admin area, and use it in your backend only.',
      ),
    )
  if (searchParams.has('serviceUserId'))
    found.push(
      bad(
        'The src holds a serviceUserId, which stays out of addresses.',
        'Remove it: the session says whose wallet it is.',
      ),
    )
  if (session !== null && !isSessionToken(session))
    found.push(
      bad(
        'The session in the src is no session token.',
        'Put the sessionToken of POST /api/widget/session there: ws_ and a UUID.',
      ),
    )
  if (session === null && pathname === '/widget/topup')
    found.push(bad('The top-up page needs a session.', 'Add session=… to the src.'))
  if (session === null && !searchParams.has('clientId') && pathname !== '/widget/topup')
    found.push(
      bad(
        'The src has no clientId, and no session either, so nobody can log in.',
        'Add ?clientId=… with the id of your client app.',
      ),
    )
  if (session !== null && !searchParams.has('clientId'))
    found.push({
      state: 'unsure',
      title: 'The src has no clientId: without a session that is known, nobody can log in.',
      fix: 'Add clientId=… with the id of your client app.',
    })
  return found
}

/** The policy is a list of features, each with the origins that get it. */
function allowFindings(allow: string | undefined): Finding[] {
  const write = 'Write allow="payment *".'
  const features = (allow ?? '').split(';').map((part) => part.trim().split(/\s+/))
  const payment = features.find(([name]) => name === 'payment')
  if (payment === undefined)
    return [bad('The tag does not allow payments, so cards cannot be charged.', write)]
  if (payment.includes('*')) return []
  const isRefused = payment.includes("'none'")
  const title = isRefused
    ? 'The tag refuses payments.'
    : 'The tag allows payments to some origins only; the card form may be on another.'
  return [isRefused ? bad(title, write) : { state: 'unsure', title, fix: write }]
}

const needed: readonly (readonly [token: string, why: string])[] = [
  ['allow-same-origin', 'the wallet cannot reach its service'],
  ['allow-scripts', 'nothing is shown'],
  ['allow-forms', 'people cannot log in or pay'],
  ['allow-popups', 'the bank’s check and the top-up window cannot open'],
  ['allow-popups-to-escape-sandbox', 'what opens in a window is crippled'],
]

export const neededPermissions = needed.map(([token]) => token)

function sandboxFindings(sandbox: string | undefined): Finding[] {
  if (sandbox === undefined) return []
  const tokens = new Set(sandbox.toLowerCase().split(/\s+/))
  const found = needed
    .filter(([token]) => !tokens.has(token))
    .map(([token, why]) =>
      bad(`The sandbox lacks ${token}: ${why}.`, `Add ${token} to the sandbox attribute.`),
    )
  const isTop = [...tokens].some((token) => token.startsWith('allow-top-navigation'))
  if (isTop)
    found.push({
      state: 'unsure',
      title: 'The sandbox lets the frame lead your page away; the wallet never does that.',
      fix: 'Remove allow-top-navigation.',
    })
  return found
}

function frameFindings({ title, width }: TagAttributes): Finding[] {
  const found: Finding[] = []
  if (title === undefined || title.trim() === '')
    found.push({
      state: 'unsure',
      title: 'The tag has no title: a screen reader cannot say what the frame is.',
      fix: 'Add title="Wallet".',
    })
  if (/^\d+$/.test(width ?? '') && Number(width) < 320)
    found.push(bad('The frame is narrower than 320 px.', 'Use width="100%".'))
  return found
}

function bad(title: string, fix: string): Finding {
  return { state: 'bad', title, fix }
}
