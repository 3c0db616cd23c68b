/**
 * The headers of the widget's pages: who may frame them, what they may load and ask for.
 * Promises: framed by nobody unless origins are given, exactly those; own scripts and styles, and
 * Stripe's only where Stripe takes the card. The origins were checked when they were registered:
 * letters, digits, hyphens, dots and a port, so nothing can leave its place in the header.
 */

export interface PageHeadersOf {
  /** Exact origins, or `*`; empty is nobody. */
  readonly frameAncestors: readonly string[]
  readonly usesStripe: boolean
}

export function pageHeaders(of: PageHeadersOf): Readonly<Record<string, string>> {
  const isFramable = of.frameAncestors.length > 0
  return {
    'cache-control': 'no-store',
    'content-security-policy': policyOf(of),
    'permissions-policy': permissionsOf(of),
    'referrer-policy': 'no-referrer',
    // Older than frame-ancestors and without a word for "these origins": only where nobody may.
    ...(!isFramable && { 'x-frame-options': 'DENY' }),
  }
}

const stripe = {
  // As Stripe's own guide to Content-Security-Policy lists them.
  scripts: ' https://js.stripe.com https://*.js.stripe.com',
  frames: ' https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
  calls: ' https://api.stripe.com',
}

function policyOf({ frameAncestors, usesStripe }: PageHeadersOf): string {
  return [
    "default-src 'none'",
    `script-src 'self'${usesStripe ? stripe.scripts : ''}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${usesStripe ? stripe.calls : ''}`,
    ...(usesStripe ? [`frame-src${stripe.frames}`] : []),
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'"}`,
  ].join('; ')
}

const refused = ['camera', 'display-capture', 'geolocation', 'microphone', 'midi', 'usb']

/** What a wallet never needs is off; payment is handed on to where the card is typed. */
function permissionsOf({ usesStripe }: PageHeadersOf): string {
  const payment = usesStripe ? 'payment=(self "https://js.stripe.com")' : 'payment=(self)'
  return [...refused.map((name) => `${name}=()`), payment].join(', ')
}
