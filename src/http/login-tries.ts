/**
 * A try to log in, of a person or an admin, from its count to its end. Promises: strangers' wrong
 * passwords delay an account by some seconds and never refuse it; refused (429) is an address for
 * an account after so many tries. Known browsers of an account pass both with a budget of their
 * own, and are strangers beyond it. All is counted before the password is looked at, so that
 * nothing of it tells who exists. Never: refuses an address or an account alone.
 */
import {
  adminLoginTriesPerAddress,
  loginDelayMaxMs,
  loginTriesCountedMax,
  loginTriesPerAddress,
  loginTriesPerPair,
  loginWindowMs,
} from '../identity/limits.js'
import { loginDelayMs, type LoginLine, type PlaceInLine } from '../identity/login-line.js'
import type { LoginArea, RefusedLogins } from '../identity/refused-logins.js'
import type { Throttle, ThrottleKey } from '../identity/throttle.js'
import { emailKeyOf } from '../identity/user-rules.js'
import { OverloadedError } from '../platform/turns.js'
import { placeOf } from './address-budget.js'
import { countTry } from './counted-try.js'
import { ApiError } from './errors.js'

export interface LoginParts {
  readonly throttle: Throttle
  readonly loginLine: LoginLine
  readonly refusedLogins: RefusedLogins
}

export interface LoginTry {
  readonly area: LoginArea
  readonly email: string
  readonly ip: string
  /** Of a browser that has proven to be the account's own. */
  readonly browserId?: string | undefined
}

/** `login` answers undefined for a wrong email or password, which is INVALID_LOGIN then. */
export async function tryLogin<Result>(
  parts: LoginParts,
  tried: LoginTry,
  login: () => Promise<Result | undefined>,
): Promise<Result> {
  const { throttle, loginLine, refusedLogins } = parts
  const admitted = (await admitBrowser(parts, tried)) ?? (await admitStranger(parts, tried))
  const { bound, place } = admitted
  const result = await loginLine.run(place, login).catch(async (error: unknown) => {
    // Nobody looked at the password. Who tries again until there is room is not refused for it.
    if (error instanceof OverloadedError) await throttle.giveBack(bound)
    throw error
  })
  if (result === undefined) {
    await refusedLogins.record({ ...tried, address: addressOf(tried.ip) })
    throw new ApiError('INVALID_LOGIN')
  }
  for (const key of admitted.cleared) await throttle.clear(key)
  return result
}

/** For a sign-up, which costs a hash too: in the line like a login, without an account's delay. */
export async function placeOfAddress(
  { throttle }: LoginParts,
  { area, ip }: Pick<LoginTry, 'area' | 'ip'>,
): Promise<PlaceInLine> {
  const address = placeOf(ip)
  const rank = await throttle.tally({ kind: `${area}-login-address`, value: address }, counted)
  return { address, rank, delayMs: rank > slowFrom[area] ? loginDelayMaxMs : 0 }
}

interface Admitted {
  readonly place: PlaceInLine
  /** The count that would refuse. */
  readonly bound: ThrottleKey
  /** What a login that is right forgets. */
  readonly cleared: readonly ThrottleKey[]
}

/** Before all strangers, who can neither delay it nor use up its tries. */
async function admitBrowser(
  { throttle }: LoginParts,
  { browserId }: LoginTry,
): Promise<Admitted | undefined> {
  if (browserId === undefined) return undefined
  const bound = { kind: 'admin-login-browser', value: browserId }
  const limit = { tries: loginTriesPerPair, windowMs: loginWindowMs }
  if ((await throttle.count(bound, limit)) !== undefined) return undefined
  const place = { address: `browser ${browserId}`, delayMs: 0, rank: 0 }
  return { bound, place, cleared: [bound] }
}

async function admitStranger(parts: LoginParts, tried: LoginTry): Promise<Admitted> {
  const { throttle } = parts
  const { area } = tried
  const emailKey = emailKeyOf(tried.email)
  const bound = { kind: `${area}-login-pair`, value: `${placeOf(tried.ip)} ${emailKey}` }
  await countTry(throttle, { ...bound, tries: loginTriesPerPair, windowMs: loginWindowMs })
  const account = { kind: `${area}-login-account`, value: emailKey }
  const earlierTries = (await throttle.tally(account, counted)) - 1
  const place = await placeOfAddress(parts, tried)
  const delayMs = Math.max(place.delayMs, loginDelayMs(earlierTries))
  return { bound, place: { ...place, delayMs }, cleared: [bound, account] }
}

const counted = { tries: loginTriesCountedMax, windowMs: loginWindowMs }

/** An address with more tries than its people need takes the longest delay, whatever it names. */
const slowFrom: Readonly<Record<LoginArea, number>> = {
  admin: adminLoginTriesPerAddress,
  widget: loginTriesPerAddress,
}

/** As it is shown to admins: an IPv6 network by its prefix. */
function addressOf(ip: string): string {
  const place = placeOf(ip)
  return place.includes(':') ? `${place}::/64` : place
}
