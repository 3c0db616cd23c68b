// The wallet page of the shop.
import { attempt, byId, call, goToLogin, show } from '/shop.js'
import { mountWallet } from '/wallet-panel.js'

await attempt(async () => {
  const { user } = await call('/api/me')
  if (user === null) return goToLogin()
  const unlink = byId('unlink')
  show(unlink, user.isLinked)
  const wallet = mountWallet(byId('wallet'), { onLink: (isLinked) => show(unlink, isLinked) })
  unlink.addEventListener('click', () => wallet.disconnect())
})
