/**
 * What a client app may be called, which origins it may name and which scopes there are.
 * Promises: what passes is an exact origin as browsers write it, and safe inside a header such as
 * Content-Security-Policy. Never: repairs an input; each fault names the field and the index.
 */
import {
  brandCharactersMax,
  nameCharactersMax,
  originCharactersMax,
  originsMax,
} from '../limits.js'
import { InvalidFieldError } from './invalid-field-error.js'
import { nameFault } from './user-rules.js'

export const scopes = ['wallet:read', 'wallet:write'] as const
export type Scope = (typeof scopes)[number]

export interface ClientAppInput {
  readonly name: string
  readonly allowedOrigins: readonly string[]
  readonly allowedIframeParents: readonly string[]
  readonly scopes: readonly Scope[]
  /** What the widget calls the app; null or left out: its name. */
  readonly brandName?: string | null
  /** `#rrggbb`; null or left out: the widget's own colour. */
  readonly accentColor?: string | null
}

/** Throws the first fault of those fields that are given. */
export function checkClientApp(
  input: Partial<ClientAppInput>,
  { production }: { production: boolean },
): void {
  if (input.name !== undefined) {
    const fault = nameFault(input.name, nameCharactersMax)
    if (fault !== undefined) throw new InvalidFieldError('name', fault)
  }
  checkBrand(input)
  for (const field of ['allowedOrigins', 'allowedIframeParents'] as const)
    checkList(field, input[field], {
      max: originsMax,
      faultOf: (origin) => originFault(origin, { production }),
    })
  checkList('scopes', input.scopes, {
    max: scopes.length,
    faultOf: (scope) =>
      scopes.some((known) => known === scope) ? undefined : `must be one of ${scopes.join(', ')}`,
  })
  if (input.scopes?.length === 0)
    throw new InvalidFieldError('scopes', 'must hold at least one scope')
}

function checkBrand({ brandName, accentColor }: Partial<ClientAppInput>): void {
  const fault = typeof brandName === 'string' ? nameFault(brandName, brandCharactersMax) : undefined
  if (fault !== undefined) throw new InvalidFieldError('brandName', fault)
  // One form only: it goes into a page as it stands.
  if (typeof accentColor === 'string' && !/^#[0-9a-f]{6}$/i.test(accentColor))
    throw new InvalidFieldError('accentColor', 'must be a colour such as #1a7f5a')
}

function checkList(
  field: string,
  values: readonly string[] | undefined,
  rules: { max: number; faultOf: (value: string) => string | undefined },
): void {
  if (values === undefined) return
  if (values.length > rules.max)
    throw new InvalidFieldError(field, `must hold at most ${rules.max} values`)
  for (const [index, value] of values.entries()) {
    const fault = rules.faultOf(value) ?? repeatFault(values, index)
    if (fault !== undefined) throw new InvalidFieldError(`${field}[${index}]`, fault)
  }
}

function repeatFault(values: readonly string[], index: number): string | undefined {
  const first = values.indexOf(values[index] ?? '')
  return first < index ? `is listed twice (also at ${first})` : undefined
}

/** Those that may be used here: what was listed for development is nothing in production. */
export function usableOrigins(
  origins: readonly string[],
  environment: { production: boolean },
): string[] {
  return origins.filter((origin) => originFault(origin, environment) === undefined)
}

/** What is wrong with an origin, as the end of a sentence. */
export function originFault(
  text: string,
  { production }: { production: boolean },
): string | undefined {
  const shape = 'must be an exact origin such as https://shop.example, without a path or a slash'
  if (text.length > originCharactersMax) return `must be at most ${originCharactersMax} characters`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) return shape
  // `*` and `;` pass as parts of a host in the URL standard, and mean something in a header.
  if (!plainHost.test(url.hostname)) return `${shape}, of letters, digits, hyphens and dots`
  if (url.origin !== text) return `${shape}: write it as ${url.origin}`
  if (url.protocol === 'https:') return undefined
  if (production) return 'must begin with https:// in production'
  if (url.hostname === 'localhost' || url.hostname === '127.0.0.1') return undefined
  return 'must begin with https:// (http:// is only for localhost and 127.0.0.1 in development)'
}

const plainHost = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/
