/**
 * Who runs this service, as people are told on every page and in every mail: its variables, and
 * what they say together. Promises: an address is one that a browser may open, or an email.
 * Never: required; where nothing is set, pages and mails say "wallet" and name nobody.
 */
import { Type } from '@sinclair/typebox'

export interface ServiceIdentity {
  readonly name: string | undefined
  /** A file of this machine; served as /widget/logo. */
  readonly logoFile: string | undefined
  /** An email or an https address. */
  readonly support: string | undefined
  readonly termsUrl: string | undefined
  readonly privacyUrl: string | undefined
}

/** Where the operator has said nothing. */
export const unnamedService: ServiceIdentity = {
  name: undefined,
  logoFile: undefined,
  support: undefined,
  termsUrl: undefined,
  privacyUrl: undefined,
}

const link = { pattern: '^https?://[^\\s"<>]+$', maxLength: 500, allowed: 'an https address' }

export const identityVariables = {
  SERVICE_NAME: Type.Optional(
    Type.String({
      pattern: '^\\S(.*\\S)?$',
      maxLength: 60,
      allowed: 'a name of 1 to 60 characters',
    }),
  ),
  SERVICE_LOGO: Type.Optional(
    Type.String({
      pattern: '\\.(svg|png|webp)$',
      allowed: 'a file that ends in .svg, .png or .webp',
    }),
  ),
  SUPPORT_ADDRESS: Type.Optional(
    Type.String({
      pattern: '^([^@\\s"<>]+@[^@\\s"<>]+|https?://[^\\s"<>]+)$',
      maxLength: 500,
      allowed: 'an email or an https address',
    }),
  ),
  TERMS_URL: Type.Optional(Type.String(link)),
  PRIVACY_URL: Type.Optional(Type.String(link)),
}

type IdentityValues = { readonly [Name in keyof typeof identityVariables]?: string | undefined }

export function identityOf(values: IdentityValues): ServiceIdentity {
  return {
    name: values.SERVICE_NAME,
    logoFile: values.SERVICE_LOGO,
    support: values.SUPPORT_ADDRESS,
    termsUrl: values.TERMS_URL,
    privacyUrl: values.PRIVACY_URL,
  }
}
