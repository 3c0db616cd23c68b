// The wallet in a plain iframe: what the loader does, written out. Nothing of the wallet service
// runs in this page; the frame speaks with window messages only.
import { attempt, byId, call, clientId, goToLogin, make, walletUrl } from '/shop.js'

const frame = byId('wallet')
let topUpWindow = null

window.addEventListener('message', (event) => {
  // Anybody may post to a page: only the service's own origin is believed, and only our windows.
  if (event.origin !== walletUrl) return
  if (event.source !== frame.contentWindow && event.source !== topUpWindow) return
  const { type, linkProof } = event.data
  byId('log').append(make('li', { text: type }))
  switch (type) {
    case 'SERVICE_AUTH_SUCCESS':
      return void attempt(() => link(linkProof))
    case 'SERVICE_LOGOUT_REQUEST':
      return void attempt(switchAccount)
    case 'SERVICE_OPEN_TOPUP':
      return void attempt(openTopUp)
    // Not of the six: a new session in time, and nobody notices that the old one ends.
    case 'SERVICE_SESSION_EXPIRING':
    case 'SERVICE_SESSION_EXPIRED':
      return void attempt(() => renew(event.source))
    // The frame shows login, wallet and changes by itself: nothing to do for the other three.
    case 'SERVICE_AUTH_REQUIRED':
    case 'SERVICE_WALLET_LOADED':
    case 'SERVICE_WALLET_UPDATED':
  }
})

await attempt(showWallet)

async function showWallet() {
  const { user } = await call('/api/me')
  if (user === null) return goToLogin()
  const sessionToken = user.isLinked ? await newSession() : undefined
  // (a) without a session the frame asks for a login; (f) with one it shows the wallet.
  frame.src = addressOf('/widget/wallet', sessionToken && { session: sessionToken })
}

/** Undefined: the person must log in to the wallet (again). */
async function newSession() {
  try {
    return (await call('/api/wallet/session', {})).sessionToken
  } catch (error) {
    if (error.code === 'ACCOUNT_NOT_LINKED' || error.body?.requiresAuth) return undefined
    throw error
  }
}

async function renew(target) {
  const sessionToken = await newSession()
  if (sessionToken !== undefined)
    target.postMessage({ type: 'SERVICE_SESSION', sessionToken }, walletUrl)
}

/** (d) Our backend checks the proof and stores the link; (e) and (f) follow. */
async function link(linkProof) {
  await call('/api/wallet/link', { linkProof })
  await showWallet()
}

async function switchAccount() {
  await call('/api/wallet/unlink', {})
  await showWallet()
}

async function openTopUp() {
  // Opened at once, while the browser still counts it as the person's click; filled afterwards.
  topUpWindow = window.open('', 'wallet-top-up', 'width=460,height=760')
  const session = await newSession()
  if (topUpWindow !== null && session !== undefined)
    topUpWindow.location = addressOf('/widget/topup', { session })
}

function addressOf(path, query = {}) {
  return `${walletUrl}${path}?${new URLSearchParams({ clientId, ...query })}`
}
