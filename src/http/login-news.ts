/**
 * What follows a login that was right: its place is remembered, and a place that is new is told to
 * the person by mail. Promises: a login never fails for it, and never waits for a mail.
 */
import type { KnownLogins } from '../identity/known-logins.js'
import type { Log } from '../platform/log.js'
import { placeOf } from './address-budget.js'
import type { AccountMails } from './account-mails.js'

export interface LoginNewsParts {
  readonly knownLogins: KnownLogins
  readonly accountMails: AccountMails
  readonly log: Log
}

export interface LoginNews {
  readonly serviceUserId: string
  readonly email: string | undefined
  readonly device: string
  readonly ip: string
  /** The brand of the page on which it was. */
  readonly app: string
  /** With a sign-up: known from now on, and no news. */
  readonly isFirst?: true
}

export async function noteLogin(
  { knownLogins, accountMails, log }: LoginNewsParts,
  { serviceUserId, email, device, ip, app, isFirst }: LoginNews,
): Promise<void> {
  try {
    const isNew = await knownLogins.note(serviceUserId, { device, network: networkOf(ip) })
    if (isNew && isFirst !== true)
      accountMails.tell({ serviceUserId, to: email }, { kind: 'new-login', device, app })
  } catch (err) {
    log.warn({ err }, 'the place of a login was not remembered')
  }
}

/** The half of an address that a provider's customers share: a phone's changes by the hour. */
function networkOf(ip: string): string {
  const place = placeOf(ip)
  const separator = place.includes(':') ? ':' : '.'
  return place.split(separator).slice(0, 2).join(separator)
}
