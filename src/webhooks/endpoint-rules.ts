/**
 * What an endpoint may be: its address, its types, and the balances at which an app is told.
 * Promises: each fault names the field. The address that is connected to is checked when it is, by
 * request.ts; what is said here is only said early. Never: repairs an input.
 */
import { isIP } from 'node:net'
import { balanceMaxMinor } from '../domain/money.js'
import { InvalidFieldError } from '../identity/invalid-field-error.js'
import { isPublicAddress } from './addresses.js'
import { thresholdsMax, urlCharactersMax } from './limits.js'
import { isWebhookType, webhookTypes } from './webhook-types.js'

export interface EndpointInput {
  readonly url: string
  readonly types: readonly string[]
}

/** Throws the first fault of those fields that are given. */
export function checkEndpoint(
  { url, types }: Partial<EndpointInput>,
  { allowPrivate }: { readonly allowPrivate: boolean },
): void {
  const fault = url === undefined ? undefined : urlFault(url, { allowPrivate })
  if (fault !== undefined) throw new InvalidFieldError('url', fault)
  if (types === undefined) return
  if (types.length === 0) throw new InvalidFieldError('types', 'must hold at least one type')
  for (const [index, type] of types.entries()) {
    if (!isWebhookType(type))
      throw new InvalidFieldError(`types[${index}]`, `must be one of ${webhookTypes.join(', ')}`)
    if (types.indexOf(type) < index)
      throw new InvalidFieldError(`types[${index}]`, 'is listed twice')
  }
}

/** In minor units; an empty list means that the app is never told. */
export function checkThresholds(thresholdsMinor: readonly number[]): void {
  const field = 'lowBalanceThresholds'
  if (thresholdsMinor.length > thresholdsMax)
    throw new InvalidFieldError(field, `must hold at most ${thresholdsMax} values`)
  for (const [index, minor] of thresholdsMinor.entries()) {
    if (!Number.isSafeInteger(minor) || minor < 0 || minor > balanceMaxMinor)
      throw new InvalidFieldError(`${field}[${index}]`, 'must be an amount of 0 or more')
    if (thresholdsMinor.indexOf(minor) < index)
      throw new InvalidFieldError(`${field}[${index}]`, 'is listed twice')
  }
}

/** What is wrong with an address, as the end of a sentence. */
export function urlFault(
  text: string,
  { allowPrivate }: { readonly allowPrivate: boolean },
): string | undefined {
  if (text.length > urlCharactersMax) return `must be at most ${urlCharactersMax} characters`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return 'must be an address such as https://shop.example/webhooks'
  if (url.username !== '' || url.password !== '') return 'must hold no user and no password'
  if (url.hash !== '') return 'must hold no fragment (#…)'
  if (allowPrivate) return undefined
  if (url.protocol !== 'https:') return `must begin with https:// (${howToAllow})`
  return isPrivateHost(url.hostname) ? `leads into a private network (${howToAllow})` : undefined
}

const howToAllow = 'the operator may allow it with WEBHOOKS_ALLOW_PRIVATE=true'

/** As far as the name itself tells. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return !isPublicAddress(host)
  return host === 'localhost' || host.endsWith('.localhost')
}
