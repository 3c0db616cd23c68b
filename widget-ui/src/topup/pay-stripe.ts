/**
 * Pays with Stripe: its script, loaded from Stripe only where Stripe is used, and its Payment
 * Element in our colours, so that no card number ever reaches this page. Promises: loaded once, and
 * again after a failure, of which nothing stays in the page; a bank's check that needs another page
 * comes back to ours.
 * Never: takes Stripe's word in the browser as the outcome; the service asks Stripe itself.
 */
import { currentSpeech, say } from '../words/say.js'
import type { Attempt } from './settling.js'

/** The release of Stripe.js that belongs to the API version that the service pins. */
const scriptAddress = 'https://js.stripe.com/endive/stripe.js'
const scriptLimitMs = 20_000

export interface StripePayment {
  /** False when something is missing in the form; the Element says so beside its field. */
  check(): Promise<boolean>
  pay(): Promise<Attempt>
  /** The service has changed the intent: the Element reads it anew. */
  refresh(): Promise<void>
  close(): void
}

/** A saved card of which the bank wants to know that it is you. */
export async function checkWithStripe(of: {
  readonly publishableKey: string
  readonly paymentSecret: string
}): Promise<Attempt> {
  try {
    const library = await stripeLibrary()
    const stripe = library(of.publishableKey, { locale: currentSpeech().language })
    return attemptOf(await stripe.handleNextAction({ clientSecret: of.paymentSecret }))
  } catch {
    return attemptOf(undefined)
  }
}

export async function openStripePayment(of: {
  readonly publishableKey: string
  readonly paymentSecret: string
  readonly place: HTMLElement
  /** Where a bank's own page leads back to. */
  readonly returnAddress: string
}): Promise<StripePayment> {
  // Its fields and its refusals in the language of this page.
  const stripe = (await stripeLibrary())(of.publishableKey, { locale: currentSpeech().language })
  const elements = stripe.elements({ clientSecret: of.paymentSecret, appearance: appearance() })
  const element = elements.create('payment', { layout: 'tabs' })
  const ready = new Promise<void>((resolve, reject) => {
    element.on('ready', () => resolve())
    element.on('loaderror', () => reject(new Error('the Payment Element did not load')))
  })
  element.mount(of.place)
  const recolour = () => elements.update({ appearance: appearance() })
  const darkness = matchMedia('(prefers-color-scheme: dark)')
  darkness.addEventListener('change', recolour)
  const close = () => {
    darkness.removeEventListener('change', recolour)
    element.destroy()
  }
  // Else the next try would draw its form below the one that failed.
  await ready.catch((error: unknown) => {
    close()
    throw error
  })
  return {
    check: async () => (await elements.submit()).error === undefined,
    pay: async () => {
      const confirmParams = { return_url: of.returnAddress }
      const paying = stripe.confirmPayment({ elements, confirmParams, redirect: 'if_required' })
      return attemptOf(await paying.catch(() => undefined))
    },
    refresh: async () => {
      await elements.fetchUpdates()
    },
    close,
  }
}

interface StripeAnswer {
  readonly error?: { readonly type: string; readonly message?: string }
  readonly paymentIntent?: { readonly status: string }
}

function attemptOf(answer: StripeAnswer | undefined): Attempt {
  if (answer === undefined || answer.error?.type === 'api_connection_error')
    return { hint: 'cut', words: say('pay.cut') }
  if (answer.error !== undefined)
    return { hint: 'refused', words: answer.error.message ?? say('pay.refused') }
  const isProcessing = answer.paymentIntent?.status === 'processing'
  return { hint: isProcessing ? 'processing' : 'paid', words: say('pay.refused') }
}

/** Only what is used here; the whole of it is Stripe's to describe. */
interface Stripe {
  elements(options: Readonly<Record<string, unknown>>): StripeElements
  confirmPayment(options: Readonly<Record<string, unknown>>): Promise<StripeAnswer>
  handleNextAction(options: { readonly clientSecret: string }): Promise<StripeAnswer>
}

interface StripeElements {
  create(type: 'payment', options: Readonly<Record<string, unknown>>): StripeElement
  submit(): Promise<{ readonly error?: unknown }>
  fetchUpdates(): Promise<unknown>
  update(options: Readonly<Record<string, unknown>>): void
}

interface StripeElement {
  mount(place: HTMLElement): void
  on(event: 'ready' | 'loaderror', listener: () => void): void
  destroy(): void
}

type StripeLibrary = (publishableKey: string, options: { readonly locale: string }) => Stripe

let loading: Promise<StripeLibrary> | undefined

function stripeLibrary(): Promise<StripeLibrary> {
  loading ??= loadScript().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

function loadScript(): Promise<StripeLibrary> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    const fail = () => {
      script.remove()
      reject(new Error('Stripe.js did not load'))
    }
    const timer = setTimeout(fail, scriptLimitMs)
    script.src = scriptAddress
    script.async = true
    script.addEventListener('error', fail)
    script.addEventListener('load', () => {
      clearTimeout(timer)
      const library = (window as { Stripe?: StripeLibrary }).Stripe
      if (library === undefined) fail()
      else resolve(library)
    })
    document.head.append(script)
  })
}

/** Our tokens as Stripe's variables; it draws in frames of its own that cannot see ours. */
function appearance(): object {
  const probe = document.createElement('span')
  document.body.append(probe)
  const colour = (token: string): string => {
    probe.style.color = `var(${token})`
    return getComputedStyle(probe).color
  }
  const variables = {
    colorPrimary: colour('--accent'),
    colorBackground: colour('--surface'),
    colorText: colour('--text'),
    colorTextSecondary: colour('--text-quiet'),
    colorDanger: colour('--danger'),
    borderRadius: '8px',
    fontFamily: getComputedStyle(document.body).fontFamily,
    fontSizeBase: getComputedStyle(document.body).fontSize,
    spacingUnit: '4px',
  }
  const border = `1px solid ${colour('--line-strong')}`
  probe.remove()
  return {
    theme: 'stripe',
    variables,
    rules: { '.Input': { border, boxShadow: 'none' }, '.Label': { fontWeight: '600' } },
  }
}
