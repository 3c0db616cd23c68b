/**
 * A stand-in for what Stripe serves to browsers: a small Stripe.js with the calls that our page
 * makes, the place where it pays, and the way over a bank's own page. It pays at the sandbox, which
 * speaks Stripe's API to the service, so that the service learns of it as it would from Stripe.
 */
import type { BrowserContext } from 'playwright-core'
import type { Sandbox } from '../../../src/top-ups/sandbox/sandbox.js'

/** What the page asked the library for, in this order. */
export interface StripeCalls {
  readonly keys: string[]
  readonly secrets: string[]
  readonly appearances: { readonly variables: Readonly<Record<string, string>> }[]
  readonly returnAddresses: string[]
  /** Whatever the bank's own page could know of ours: its address and the one it came from. */
  readonly bankVisits: string[]
  scripts: number
}

export interface StripeOptions {
  readonly isAway?: () => boolean
  /** The script comes, and the form that it draws does not load. */
  readonly isFormAway?: () => boolean
  readonly bank?: Bank
}

/** Where the card number 'redirect' leads. */
export interface Bank {
  /** A page with `bankPageBody`, of another site than ours. */
  readonly page: string
  /** While the person is there. */
  visit(payment: { paymentIntentId: string; paymentSecret: string }): Promise<void>
}

/** Really served: a page that is only intercepted counts as public, and may not lead back to us. */
export const bankPageBody =
  '<script>location.replace(decodeURIComponent(location.hash.slice(1)))</script>'

export async function interceptStripe(
  context: BrowserContext,
  sandbox: Sandbox,
  options: StripeOptions = {},
): Promise<StripeCalls> {
  const calls: StripeCalls = {
    keys: [],
    secrets: [],
    appearances: [],
    returnAddresses: [],
    bankVisits: [],
    scripts: 0,
  }
  await context.route('https://hooks.stripe.com/**', async (route) => {
    const request = route.request()
    const { referer = '' } = await request.allHeaders()
    calls.bankVisits.push(`${request.url()} ${referer}`)
    const asked = new URL(request.url()).searchParams
    const paymentSecret = asked.get('secret') ?? ''
    const [paymentIntentId = ''] = paymentSecret.split('_secret_')
    calls.returnAddresses.push(asked.get('return_url') ?? '')
    await options.bank?.visit({ paymentIntentId, paymentSecret })
    const back = new URL(asked.get('return_url') ?? '')
    back.searchParams.set('payment_intent', paymentIntentId)
    back.searchParams.set('payment_intent_client_secret', paymentSecret)
    back.searchParams.set('redirect_status', 'succeeded')
    const location = `${options.bank?.page ?? ''}#${encodeURIComponent(back.href)}`
    await route.fulfill({ status: 302, headers: { location } })
  })
  await context.route('https://js.stripe.com/**', async (route) => {
    calls.scripts += 1
    if (options.isAway?.() === true) await route.abort()
    else await route.fulfill({ contentType: 'text/javascript', body: library })
  })
  await context.route('https://api.stripe.com/**', async (route) => {
    const asked = JSON.parse(route.request().postData() ?? '{}') as Asked
    calls.keys.push(asked.key)
    calls.secrets.push(asked.secret)
    calls.appearances.push(asked.appearance)
    calls.returnAddresses.push(asked.returnAddress)
    const [paymentIntentId = ''] = asked.secret.split('_secret_')
    const answer = await sandbox.pay(
      { paymentIntentId, paymentSecret: asked.secret },
      { cardNumber: asked.number, expiry: '12/34', cvc: '123' },
    )
    await route.fulfill({
      headers: { 'access-control-allow-origin': '*' },
      json: answer ?? { status: 'declined', message: 'There is no such payment.' },
    })
  })
  // Of two routes that fit, the later one answers.
  await context.route('https://api.stripe.com/form', async (route) => {
    if (options.isFormAway?.() === true) await route.abort()
    else await route.fulfill({ headers: { 'access-control-allow-origin': '*' }, body: '' })
  })
  return calls
}

interface Asked {
  readonly key: string
  readonly secret: string
  readonly number: string
  readonly appearance: { readonly variables: Readonly<Record<string, string>> }
  readonly returnAddress: string
}

const library = `
  window.Stripe = (key) => ({
    elements(options) {
      const [secretName] = Object.keys(options).filter((name) => name !== 'appearance')
      const input = document.createElement('input')
      input.setAttribute('aria-label', 'Stripe card number')
      const listeners = {}
      return {
        options, secret: options[secretName], input,
        update(changed) { Object.assign(options, changed) },
        submit: async () => input.value === '' ? { error: { type: 'validation_error' } } : {},
        create: () => ({
          on(name, listener) { listeners[name] = listener },
          mount(place) {
            place.append(input)
            fetch('https://api.stripe.com/form').then(listeners.ready, listeners.loaderror)
          },
          destroy() { input.remove() },
        }),
      }
    },
    async confirmPayment({ elements, confirmParams, redirect }) {
      if (redirect !== 'if_required') throw new Error('the page would leave for every card')
      const number = elements.input.value
      if (number === 'redirect') {
        location.href = 'https://hooks.stripe.com/3d_secure?' +
          new URLSearchParams({ secret: elements.secret, return_url: confirmParams.return_url })
        return new Promise(() => undefined)
      }
      const answer = await fetch('https://api.stripe.com/pay', {
        method: 'POST',
        body: JSON.stringify({ key, secret: elements.secret, number,
          appearance: elements.options.appearance, returnAddress: confirmParams.return_url }),
      })
      const { status, message } = await answer.json()
      return status === 'declined'
        ? { error: { type: 'card_error', message } }
        : { paymentIntent: { status } }
    },
  })
`
