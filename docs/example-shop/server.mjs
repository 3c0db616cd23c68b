/**
 * The example shop: pages and a JSON API on one port, in plain Node. Start it with `npm run demo`,
 * or by hand with the variables of config.mjs. Talks to the wallet service over HTTP only.
 * Promises: a change is taken only from the shop's own pages (exact Origin), and only for whoever
 * the session cookie names. Never: logs an address, a token or a serviceUserId.
 */
import { createServer } from 'node:http'
import { WalletClient, WalletError, WalletRefusedError } from 'wallet-service/client'
import { createAccounts } from './accounts.mjs'
import { createCheckout, orderView } from './checkout.mjs'
import { readConfig } from './config.mjs'
import { createLinking } from './linking.mjs'
import { loadPages } from './pages.mjs'
import { products } from './products.mjs'
import { ShopError } from './shop-error.mjs'
import { openStore } from './store.mjs'

const bodyBytesMax = 16 * 1024

const config = readConfig(process.env)
const store = await openStore(config.dataFile)
// Three tries while a person waits; afterwards they ask again by a click.
const wallet = new WalletClient({ ...config.wallet, triesMax: 3 })
const accounts = createAccounts({ store, isSecure: config.origin.startsWith('https:') })
const linking = createLinking({ store, wallet, origin: config.origin })
const checkout = createCheckout({ store, wallet, decimals: config.decimals })
const pages = await loadPages(config)

/** `user` is who is logged in; the routes that need nobody are those of `openRoutes`. */
const openRoutes = {
  'GET /api/products': () => ({ products }),
  'GET /api/me': ({ user }) => ({ user: user === undefined ? null : userView(user) }),
  'POST /api/register': ({ body, reply }) => enter(accounts.register(body), reply),
  'POST /api/login': ({ body, reply }) => enter(accounts.logIn(body), reply),
  'POST /api/logout': ({ request, reply }) => {
    reply.setHeader('set-cookie', accounts.logOut(request))
    return {}
  },
}

const routes = {
  'GET /api/orders': ({ user }) => ({ orders: checkout.ordersOf(user).map(orderView) }),
  'POST /api/orders': async ({ user, body }) =>
    orderView(await checkout.placeOrder(user, body.productId)),
  'GET /api/orders/:id': ({ order }) => orderView(order),
  'GET /api/orders/:id/balance': ({ order, user }) => checkout.balanceFor(order, user),
  'POST /api/orders/:id/pay': async ({ order, user }) => {
    await checkout.pay(order, user)
    return orderView(order)
  },
  'POST /api/orders/:id/refund': async ({ order }) => {
    await checkout.refund(order)
    return orderView(order)
  },
  'POST /api/wallet/link': async ({ user, body }) => {
    await linking.link(user, body.linkProof)
    return userView(user)
  },
  'POST /api/wallet/unlink': async ({ user }) => {
    await linking.unlink(user)
    return userView(user)
  },
  'POST /api/wallet/session': ({ user }) => linking.createSession(user),
}

const server = createServer({ requestTimeout: 10_000 }, (request, reply) => {
  answer(request, reply).catch((error) => sendError(request, reply, error))
})
server.on('error', (error) => {
  console.error(`The shop cannot listen on ${config.host}:${config.port}: ${error.code}`)
  process.exit(1)
})
server.listen(config.port, config.host, () => {
  console.log(`The shop is at ${config.origin}`)
  // Only when another program has started us and wants to know.
  process.send?.({ listening: config.origin })
})
void checkout.resume()

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
process.once('disconnect', stop)

async function answer(request, reply) {
  // Cookies, Origin and the widget's list of parents know exactly one name of this shop.
  if (request.headers.host !== new URL(config.origin).host) return redirectHome(request, reply)
  const [pathname] = request.url.split('?')
  if (!pathname.startsWith('/api/')) return pages.send(reply, pathname)
  const { name, id } = routeOf(request.method, pathname)
  // SameSite=Lax is not enough: another port of the same host is the same site.
  if (request.method === 'POST' && request.headers.origin !== config.origin)
    throw new ShopError(403, 'WRONG_ORIGIN', 'This request did not come from a page of the shop.')
  const body = request.method === 'POST' ? await readBody(request) : {}
  const user = accounts.currentUser(request)
  if (openRoutes[name] !== undefined)
    return sendJson(reply, 200, await openRoutes[name]({ request, reply, body, user }))
  if (routes[name] === undefined) throw new ShopError(404, 'NOT_FOUND', 'There is nothing here.')
  if (user === undefined) throw new ShopError(401, 'LOGIN_REQUIRED', 'Log in to the shop first.')
  const order = id === undefined ? undefined : checkout.orderOf(user, id)
  return sendJson(reply, 200, await routes[name]({ body, user, order }))
}

function routeOf(method, pathname) {
  const [, id] = /^\/api\/orders\/([^/]+)/.exec(pathname) ?? []
  const path = id === undefined ? pathname : pathname.replace(`/orders/${id}`, '/orders/:id')
  return { name: `${method} ${path}`, id }
}

async function enter(entering, reply) {
  const { user, cookie } = await entering
  reply.setHeader('set-cookie', cookie)
  return userView(user)
}

/** That there is a link, never which account it leads to. */
function userView({ email, serviceUserId }) {
  return { email, isLinked: serviceUserId !== undefined }
}

async function readBody(request) {
  if (!(request.headers['content-type'] ?? '').startsWith('application/json'))
    throw new ShopError(415, 'INVALID_BODY', 'The body must be JSON.')
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new ShopError(413, 'INVALID_BODY', 'The body is too large.')
    chunks.push(chunk)
  }
  try {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    if (typeof body === 'object' && body !== null) return body
  } catch {
    // Said below.
  }
  throw new ShopError(400, 'INVALID_BODY', 'The body is not a JSON object.')
}

function redirectHome(request, reply) {
  const isPage = request.method === 'GET' && !request.url.startsWith('/api/')
  if (!isPage) throw new ShopError(421, 'WRONG_HOST', `This shop is at ${config.origin}.`)
  reply.writeHead(307, { location: config.origin }).end()
}

function sendJson(reply, status, body) {
  reply.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  reply.end(JSON.stringify(body))
}

function sendError(request, reply, error) {
  const known = error instanceof ShopError ? error : translate(error)
  if (known.code === 'INTERNAL') console.error('The shop failed:', error)
  // A body that was not read to its end would be taken for the next request.
  if (!request.complete) reply.setHeader('connection', 'close')
  const { status, code, message, fields } = known
  sendJson(reply, status, { error: message, code, ...fields })
}

/** What the wallet service said, in the shop's words. */
function translate(error) {
  if (error instanceof WalletRefusedError) {
    const { code, requiresAuth } = error
    if (requiresAuth)
      return new ShopError(409, code, 'Log in to your wallet again.', { requiresAuth })
    console.error(`The wallet service refused: ${code}`)
    return new ShopError(502, 'WALLET_REFUSED', 'The wallet cannot be used here now.')
  }
  if (error instanceof WalletError)
    return new ShopError(503, 'WALLET_AWAY', 'The wallet does not answer. Try again in a moment.')
  return new ShopError(500, 'INTERNAL', 'The shop has a problem. Try again in a moment.')
}

function stop() {
  server.close(() => process.exit(0))
  server.closeIdleConnections()
  // A payment may wait 10 s for its answer; what is cut off here is repeated at the next start.
  setTimeout(() => process.exit(0), 3_000).unref()
}
