// The wallet in an element of a page, with the loader of the wallet service: the linking flow and
// the switch of account. `WalletWidget` comes from /widget/loader.js.
import { attempt, call, clientId } from '/shop.js'

export function mountWallet(element, { onLink = () => {}, onUpdated = () => {} }) {
  const widget = WalletWidget.mount(element, {
    clientId,
    // (a), (e) and every renewal: undefined means that the frame shows its login.
    getSession: newSession,
    onUpdated,
    // (b) and (c) happened in the frame. Only the proof is sent on: our backend asks the service
    // whose it is and need not believe this page.
    onAuthSuccess: ({ linkProof }) =>
      attempt(async () => {
        const { isLinked } = await call('/api/wallet/link', { linkProof }) // (d)
        widget.setSession(await newSession()) // (e), (f)
        await onLink(isLinked)
      }),
    onLogoutRequest: () => disconnect(),
  })

  /** Removes the link; the frame starts again at its login. */
  function disconnect() {
    return attempt(async () => {
      const { isLinked } = await call('/api/wallet/unlink', {})
      widget.setSession()
      await onLink(isLinked)
    })
  }

  return { widget, disconnect }
}

async function newSession() {
  try {
    return (await call('/api/wallet/session', {})).sessionToken
  } catch (error) {
    if (error.code === 'ACCOUNT_NOT_LINKED' || error.body?.requiresAuth) return undefined
    throw error
  }
}
