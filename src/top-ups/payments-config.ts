/**
 * What an operator decides about payments: who takes them, with which keys, how much at once and in
 * a day. Pure over the variables that config.ts has read. Promises: every fault is reported by
 * name, and what is returned fits together. Never: shows a key.
 */
import { parseAmount, toMajor, type Currency } from '../domain/money.js'
import { topUpMaxMinor } from './limits.js'

/** Who takes card payments, what pages may know of it, and how much may be topped up. */
export interface PaymentsConfig {
  readonly kind: 'stripe' | 'sandbox' | 'off'
  /** For the processor's library in the browser; null when nothing can be topped up. */
  readonly publishableKey: string | null
  /** No real money moves: the sandbox, or keys of Stripe's test mode. */
  readonly testMode: boolean
  readonly minimumMinor: number
  readonly maximumMinor: number
  /** Of one wallet within 24 hours. */
  readonly dayMaximumMinor: number
  /** Only with `stripe`. */
  readonly stripe: StripeKeys | undefined
}

export interface StripeKeys {
  readonly secretKey: string
  readonly webhookSecret: string
  /** The origin of a compatible server; undefined is Stripe itself. */
  readonly apiBase: string | undefined
}

export interface PaymentVariables {
  readonly NODE_ENV?: string
  readonly PAYMENTS?: PaymentsConfig['kind']
  readonly STRIPE_SECRET_KEY?: string
  readonly STRIPE_PUBLISHABLE_KEY?: string
  readonly STRIPE_WEBHOOK_SECRET?: string
  readonly TOPUP_MIN?: string
  readonly TOPUP_MAX?: string
  readonly TOPUP_DAY_MAX?: string
}

interface Given {
  readonly values: PaymentVariables
  readonly currency: Currency
  readonly apiBase: string | undefined
}

/** Undefined when a fault has been added. */
export function paymentsConfig(given: Given, faults: string[]): PaymentsConfig | undefined {
  const { values } = given
  const limits = checkLimits(given, faults)
  const stripe = checkStripe(given, faults)
  const standard = values.NODE_ENV === 'production' ? 'off' : 'sandbox'
  const kind = values.PAYMENTS ?? (stripe === undefined ? standard : 'stripe')
  if (kind === 'stripe' && stripe === undefined)
    faults.push('PAYMENTS is stripe, which needs the three keys of Stripe')
  if (limits === undefined) return undefined
  if (kind !== 'stripe' || stripe === undefined) {
    const publishableKey = kind === 'sandbox' ? sandboxPublishableKey : null
    return { kind, publishableKey, testMode: kind === 'sandbox', ...limits, stripe: undefined }
  }
  const { publishableKey, ...keys } = stripe
  return { kind, publishableKey, testMode: !isLive(publishableKey), ...limits, stripe: keys }
}

/** The sandbox's pages need none; what carries one with Stripe carries one there too. */
const sandboxPublishableKey = 'pk_test_sandbox'

type TopUpLimits = Pick<PaymentsConfig, 'minimumMinor' | 'maximumMinor' | 'dayMaximumMinor'>

function checkLimits({ values, currency }: Given, faults: string[]): TopUpLimits | undefined {
  const names = ['TOPUP_MIN', 'TOPUP_MAX', 'TOPUP_DAY_MAX'] as const
  const minor = names.map((name) => {
    const parsed = parseAmount(Number(values[name]), { currency, maxMinor: topUpMaxMinor })
    if ('minor' in parsed) return parsed.minor
    const most = toMajor(topUpMaxMinor, currency)
    const decimals = `${currency.decimals} decimals in ${currency.code}`
    // One that could not be read at all has left its fault already.
    if (values[name] !== undefined)
      faults.push(
        `${name} must be above 0 and at most ${most}, with at most ${decimals}, ` +
          `but is '${values[name]}'`,
      )
    return NaN
  })
  const [minimumMinor = NaN, maximumMinor = NaN, dayMaximumMinor = NaN] = minor
  if (minor.some(Number.isNaN)) return undefined
  if (minimumMinor > maximumMinor || maximumMinor > dayMaximumMinor)
    faults.push('TOPUP_MIN, TOPUP_MAX and TOPUP_DAY_MAX must not become smaller in this order')
  return { minimumMinor, maximumMinor, dayMaximumMinor }
}

function checkStripe(
  { values, apiBase }: Given,
  faults: string[],
): (StripeKeys & { readonly publishableKey: string }) | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_PUBLISHABLE_KEY: publishableKey } = values
  const webhookSecret = values.STRIPE_WEBHOOK_SECRET
  const given = [secretKey, publishableKey, webhookSecret].filter((key) => key !== undefined)
  if (given.length === 0) return undefined
  if (secretKey === undefined || publishableKey === undefined || webhookSecret === undefined) {
    faults.push(
      'STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET must be set all or none',
    )
    return undefined
  }
  if (isLive(secretKey) !== isLive(publishableKey))
    faults.push('STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must be of the same mode')
  return { secretKey, publishableKey, webhookSecret, apiBase }
}

function isLive(key: string): boolean {
  return key.includes('_live_')
}
