/**
 * A complete client app in one file: a page with the wallet in it, and the backend that the page
 * needs. Start it with the three variables that `client-apps create --env` prints, and, to hear of
 * what happens, with those of `webhooks create --env`:
 *   node --env-file=shop.env docs/examples/backend.mjs
 * Promises: the secrets and serviceUserId stay in this process; a click pays an order once.
 * What a real app has instead: its own login (here every browser is a visitor of its own) and a
 * database (here a Map, which a restart forgets).
 */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { verifyWebhook, WalletClient, WalletError } from 'wallet-service/client'

const { env } = process
const url = env.WALLET_URL
const clientId = env.WALLET_CLIENT_ID
const port = Number(env.PORT ?? 4000)
const origin = `http://localhost:${port}`
const bodyBytesMax = 4 * 1024

const wallet = new WalletClient({ url, clientId, clientSecret: env.WALLET_CLIENT_SECRET })
const template = await readFile(new URL('page.html', import.meta.url), 'utf8')
const page = template.replaceAll('https://wallet.example', url).replaceAll('app_…', clientId)

/** What your user table has: `serviceUserId` once the person has linked a wallet, else absent. */
const visitors = new Map()

const routes = {
  // For the loader: a token, or nothing while there is no link.
  'POST /wallet/session': async ({ visitor }) => {
    const { serviceUserId } = visitor
    if (serviceUserId === undefined) return {}
    return wallet.createSession({ serviceUserId, parentOrigin: origin })
  },
  // A browser can send anything: the service says for whom the proof was made.
  'POST /wallet/link': async ({ visitor, body }) => {
    const { serviceUserId } = await wallet.verifyLink({ linkProof: String(body.linkProof) })
    visitor.serviceUserId = serviceUserId
    return {}
  },
  'POST /wallet/unlink': ({ visitor }) => {
    delete visitor.serviceUserId
    return {}
  },
  'POST /orders/pay': ({ visitor }) => pay(visitor),
}

/** The price is the backend's, and the reference is kept before it is sent. */
async function pay(visitor) {
  const { serviceUserId } = visitor
  if (serviceUserId === undefined) return { paid: false, say: 'Log in to your wallet first.' }
  // With its wallet: who switches the account meanwhile must not pay it a second time.
  visitor.attempt ??= { serviceUserId, referenceId: randomUUID() }
  const booking = await wallet.debit({
    ...visitor.attempt,
    amount: '4.50',
    referenceType: 'ORDER_PAYMENT',
    description: 'One coffee',
  })
  // It has its outcome; a time-out would have kept the attempt, and the next click repeats it.
  delete visitor.attempt
  if (booking.outcome === 'applied') return { paid: true, say: 'Paid. Enjoy your coffee.' }
  const { shortfall } = booking
  if (shortfall === undefined) return { paid: false, say: 'Not paid. No money was taken.' }
  return { paid: false, say: 'Not enough in your wallet. Top up what is missing.', shortfall }
}

const server = createServer((request, reply) => {
  answer(request, reply).catch((error) => {
    console.error(error instanceof WalletError ? `The wallet: ${error.message}` : error)
    send(reply, 502, { error: 'The wallet does not answer. Try again in a moment.' })
  })
})
server.listen(port, () => console.log(`Open ${origin}`))

async function answer(request, reply) {
  if (request.method === 'GET' && request.url === '/') return sendPage(request, reply)
  if (request.method === 'POST' && request.url === '/webhooks') return hear(request, reply)
  const route = routes[`${request.method} ${request.url}`]
  if (route === undefined) return send(reply, 404, { error: 'There is nothing here.' })
  // Another site's page could make a browser post with its cookie.
  if (request.headers.origin !== origin) return send(reply, 403, { error: 'Not from this page.' })
  const visitor = visitors.get(visitorIdOf(request))
  if (visitor === undefined) return send(reply, 401, { error: 'Load the page again.' })
  return send(reply, 200, await route({ visitor, body: await bodyOf(request) }))
}

function sendPage(request, reply) {
  let id = visitorIdOf(request)
  if (!visitors.has(id)) visitors.set((id = randomUUID()), {})
  reply.setHeader('set-cookie', `visitor=${id}; HttpOnly; SameSite=Lax; Path=/`)
  reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
}

/** The same webhook may come twice: in your app this is a unique column. */
const heard = new Set()

/** Signed by the service, or refused; the body is looked at only then. */
async function hear(request, reply) {
  const signed = { body: await textOf(request), headers: request.headers }
  const verifying = verifyWebhook({ ...signed, secret: env.WEBHOOK_SECRET ?? '' })
  const event = await verifying.catch(() => undefined)
  if (event === undefined) return send(reply, 400, { error: 'Not signed by the wallet.' })
  const { webhookId, type, data } = event
  if (!heard.has(webhookId)) console.log(`${type}: the balance is ${data.balance}`)
  heard.add(webhookId)
  return send(reply, 200, {})
}

function visitorIdOf(request) {
  return /(?:^|; )visitor=([^;]+)/.exec(request.headers.cookie ?? '')?.[1]
}

async function bodyOf(request) {
  return JSON.parse((await textOf(request)) || '{}')
}

async function textOf(request) {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > bodyBytesMax) throw new Error('The body is too large.')
  }
  return text
}

function send(reply, status, body) {
  reply.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  reply.end(JSON.stringify(body))
}
