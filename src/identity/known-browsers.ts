/**
 * The token of a browser in which an admin has logged in before: strangers' wrong passwords neither
 * delay nor refuse whoever presents it. Promises: it speaks for one admin, for 180 days since the
 * last login, and ends with the password, because the stored hash is the key that signs it (whoever
 * can read that hash can try out passwords at home, and needs no token). Never: logs anybody in,
 * or allows more tries than a browser's own budget.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from '../platform/random.js'
import { knownBrowserMs } from './limits.js'

export interface BrowserOwner {
  readonly adminId: string
  readonly passwordHash: string
}

export function newBrowserId(random: Random): string {
  return random.bytes(browserIdBytes).toString('base64url')
}

/** `<browserId>.<seconds since 1970 of its end>.<HMAC-SHA256>` */
export function browserToken(owner: BrowserOwner, browserId: string, nowMs: number): string {
  const end = String(Math.floor((nowMs + knownBrowserMs) / 1_000))
  return [browserId, end, signatureOf(owner, browserId, end).toString('base64url')].join('.')
}

/** The id in a token of this admin's that has not ended. */
export function browserIdOf(owner: BrowserOwner, token: string, nowMs: number): string | undefined {
  const [, browserId = '', end = '', signature = ''] = tokenPattern.exec(token) ?? []
  const expected = signatureOf(owner, browserId, end)
  const presented = Buffer.from(signature, 'base64url')
  if (presented.length !== expected.length || !timingSafeEqual(presented, expected))
    return undefined
  return Number(end) * 1_000 > nowMs ? browserId : undefined
}

const browserIdBytes = 16
const tokenPattern = /^([\w-]{22})\.(\d{1,12})\.([\w-]{43})$/

function signatureOf({ adminId, passwordHash }: BrowserOwner, ...signed: string[]): Buffer {
  const text = ['known browser', adminId, ...signed].join('\n')
  return createHmac('sha256', passwordHash).update(text).digest()
}
