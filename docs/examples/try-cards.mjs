/**
 * Tops a wallet up with every test card of the sandbox, or with those named as arguments, the way
 * the widget does it, and prints what became of each.
 *   node --env-file=shop.env docs/examples/try-cards.mjs [card number …]
 */
import { WalletClient } from 'wallet-service/client'

const { env } = process
const url = env.WALLET_URL
const credentials = { clientId: env.WALLET_CLIENT_ID, clientSecret: env.WALLET_CLIENT_SECRET }
const client = new WalletClient({ url, ...credentials })
const { sessionToken } = await client.createSession({ serviceUserId: env.WALLET_USER_ID })

const { cards } = await (await fetch(`${url}/api/sandbox/cards`)).json()
const wanted = process.argv.slice(2)
for (const { number, label } of cards)
  if (wanted.length === 0 || wanted.includes(number)) console.log(label, await topUp(number))

async function topUp(cardNumber) {
  const session = `?session=${sessionToken}`
  const intent = await post(`/api/widget/topup/create-intent${session}`, { amount: 5 })
  const { paymentIntentId, paymentSecret } = intent
  const key = { paymentIntentId, paymentSecret }
  const card = { cardNumber, expiry: '12/40', cvc: '123' }
  // The connection may be cut: then nobody knows, until `confirm` tells.
  let paid = await post('/api/sandbox/pay', { ...key, ...card }).catch(() => ({ status: 'cut' }))
  if (paid.status === 'requires_action')
    paid = await post('/api/sandbox/authenticate', { ...key, approved: true })
  const confirmed = await post(`/api/widget/topup/confirm${session}`, { paymentIntentId })
  return `(${paymentIntentId}): ${paid.status}, ${confirmed.status}`
}

async function post(path, body) {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const value = await answer.json()
  if (!answer.ok) throw new Error(`${value.code}: ${value.error}`)
  return value
}
