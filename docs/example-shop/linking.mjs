/**
 * The link between a user of the shop and an account of the wallet service (steps d and e of the
 * linking flow), and widget sessions. Promises: a link is stored only for a proof that the service
 * confirms, so the shop never believes its own browser; unlinking removes `serviceUserId`; nobody
 * else's can be named, because it is only ever read from the logged-in user.
 */
import { WalletRefusedError } from 'wallet-service/client'
import { ShopError } from './shop-error.mjs'

export function createLinking({ store, wallet, origin }) {
  async function link(user, linkProof) {
    if (typeof linkProof !== 'string')
      throw new ShopError(400, 'INVALID_LINK_PROOF', 'The wallet did not say who logged in.')
    const { serviceUserId } = await wallet.verifyLink({ linkProof }).catch((error) => {
      if (error instanceof WalletRefusedError && error.code === 'INVALID_LINK_PROOF')
        throw new ShopError(400, error.code, 'This login was used or is too old. Log in again.')
      throw error
    })
    // No check that nobody else has it: a family may share one wallet.
    user.serviceUserId = serviceUserId
    await store.save()
  }

  async function unlink(user) {
    delete user.serviceUserId
    await store.save()
  }

  async function createSession(user) {
    const serviceUserId = linkedAccountOf(user)
    return wallet.createSession({ serviceUserId, parentOrigin: origin })
  }

  return { link, unlink, createSession }
}

export function linkedAccountOf(user) {
  if (user.serviceUserId !== undefined) return user.serviceUserId
  throw new ShopError(409, 'ACCOUNT_NOT_LINKED', 'Connect your wallet first. No money was taken.')
}
