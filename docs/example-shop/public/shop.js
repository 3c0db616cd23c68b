// What every page of the shop shares: calls of the shop's own backend, money, and the header.

const { dataset } = document.documentElement
export const walletUrl = dataset.walletUrl
export const clientId = dataset.clientId
const { currency } = dataset

const formatter = new Intl.NumberFormat(undefined, { style: 'currency', currency })
const decimals = formatter.resolvedOptions().maximumFractionDigits

/** Prices are in minor units (cents), what the wallet says is in major units. */
export const money = (major) => formatter.format(major)
export const moneyMinor = (minor) => formatter.format(minor / 10 ** decimals)

export class ShopFailure extends Error {
  constructor(body) {
    super(body.error)
    this.code = body.code
    this.body = body
  }
}

/**
 * Calls the shop's backend: a body makes it a POST. Throws ShopFailure with words for people; who
 * must log in first is taken there, and then on to `wish` (see goToLogin).
 */
export async function call(path, body, wish) {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } }
  const answer = await fetch(path, body && { ...post, body: JSON.stringify(body) }).catch(() => {
    throw new ShopFailure({ error: 'The shop does not answer. Try again in a moment.' })
  })
  const content = await answer.json()
  if (answer.ok) return content
  if (content.code === 'LOGIN_REQUIRED') goToLogin(wish)
  throw new ShopFailure(content)
}

/** The wish is what comes after the login: `next`, a page of this shop, or `buy`, a product. */
export function goToLogin(wish = { next: location.pathname + location.search }) {
  location.assign(`/login?${new URLSearchParams(wish)}`)
}

/** Orders one piece and leads to its checkout, by way of the login where that is needed. */
export async function buy(productId) {
  const order = await call('/api/orders', { productId }, { buy: productId })
  location.assign(`/checkout?order=${order.id}`)
}

export const byId = (id) => document.getElementById(id)

export function show(element, isVisible) {
  element.hidden = !isVisible
}

/** `good`: something has gone well; everything else is a question or a problem. */
export function say(text, kind = '') {
  byId('notice').className = `notice ${kind}`.trim()
  byId('notice').textContent = text
}

/** An element with text and attributes; text is never taken as HTML. */
export function make(name, { text, ...attributes } = {}, ...children) {
  const element = document.createElement(name)
  if (text !== undefined) element.textContent = text
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

/** Runs `work`; what the shop's backend refuses is said on the page. */
export async function attempt(work) {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ShopFailure)) throw error
    say(error.message)
  }
}

/** The same for a click: the button waits meanwhile, so that nobody clicks twice. */
export async function during(button, work) {
  button.disabled = true
  say('')
  await attempt(work).finally(() => (button.disabled = false))
}

async function drawHeader() {
  for (const link of document.querySelectorAll('.top nav a'))
    if (link.pathname === location.pathname) link.setAttribute('aria-current', 'page')
  const { user } = await call('/api/me')
  const account = byId('account')
  if (user === null) {
    if (location.pathname !== '/login')
      account.append(make('a', { text: 'Log in', href: '/login?as=known' }))
    return
  }
  const logOut = make('button', { text: 'Log out', class: 'quiet' })
  logOut.addEventListener('click', async () => {
    await call('/api/logout', {})
    location.assign('/')
  })
  account.append(make('span', { text: user.email, title: user.email }), logOut)
}

drawHeader().catch(() => undefined)
