/**
 * The iframe tag of an integrator, mended: what they chose stays, what the wallet needs is added,
 * what it must not have goes. Values only. Never: a token, a secret or an id of a person, and
 * nothing that runs; a session is a placeholder, because each page view has one of its own.
 */
import {
  addressOn,
  neededPermissions,
  ownPages,
  serviceOriginFor,
  type ServiceNames,
  type TagAttributes,
} from './tag-diagnosis.js'

export interface Mending {
  readonly service: ServiceNames
  /** Typed in the form, or found in the tag; empty when nobody knows it. */
  readonly clientId: string
}

/** What stands for a token that only a backend can make. */
export const sessionPlaceholder = '{sessionToken}'
export const clientIdPlaceholder = '{clientId}'

/** What an integrator may say about looks; everything else in an address is dropped. */
const keptParameters = ['theme', 'dir', 'locale', 'radius', 'background', 'amount']
const keptAttributes = ['id', 'class', 'name', 'style', 'loading']

export function mendedTag(attributes: TagAttributes, mending: Mending): string {
  const { title = '', sandbox, width = '', height = '' } = attributes
  const isTooNarrow = /^\d+$/.test(width) && Number(width) < 320
  const mended: [string, string | undefined][] = [
    ['src', mendedSource(attributes, mending)],
    ['title', title.trim() === '' ? 'Wallet' : title],
    ['allow', mendedAllow(attributes['allow'])],
    ['sandbox', sandbox === undefined ? undefined : mendedSandbox(sandbox)],
    ['width', width === '' || isTooNarrow ? '100%' : width],
    ['height', height === '' ? '720' : height],
    ...keptAttributes.map((name): [string, string | undefined] => [name, attributes[name]]),
  ]
  const lines = mended.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name}="${escaped(value)}"`],
  )
  return ['<iframe', ...lines, '></iframe>'].join('\n')
}

function mendedSource(attributes: TagAttributes, { service, clientId }: Mending): string {
  const origin = serviceOriginFor(attributes, service)
  const address = addressOn(attributes, origin)
  const query = address?.searchParams ?? new URLSearchParams()
  const asked = address?.pathname ?? ''
  const path = ownPages.find((page) => page === asked) ?? '/widget/wallet'
  const needsSession = query.has('session') || path === '/widget/topup'
  const kept = keptParameters.flatMap((name) => {
    const value = query.get(name)
    return value === null ? [] : [`${name}=${encodeURIComponent(value)}`]
  })
  const parameters = [
    `clientId=${clientId === '' ? clientIdPlaceholder : encodeURIComponent(clientId)}`,
    ...(needsSession ? [`session=${sessionPlaceholder}`] : []),
    ...kept,
  ]
  return `${origin}${path}?${parameters.join('&')}`
}

function mendedAllow(allow = ''): string {
  const others = allow
    .split(';')
    .map((feature) => feature.trim())
    .filter((feature) => feature !== '' && !/^payment(\s|$)/.test(feature))
  return ['payment *', ...others].join('; ')
}

function mendedSandbox(sandbox: string): string {
  const own = sandbox.toLowerCase().split(/\s+/)
  const kept = own.filter((token) => token !== '' && !token.startsWith('allow-top-navigation'))
  return [...new Set([...neededPermissions, ...kept])].join(' ')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
