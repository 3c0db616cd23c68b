/**
 * The link proof: a client backend hands in the one-time proof that its browser got from the widget
 * and learns for which user it was made, so that it need not trust the browser.
 */
import type { ClientApps } from '../../identity/client-apps.js'
import type { Links } from '../../identity/links.js'
import type { App } from '../app.js'
import { authenticateClient } from '../client-auth.js'
import { checked } from '../contract.js'
import { ApiError } from '../errors.js'
import type { FairShares } from '../fair-shares.js'
import { linkProofSchema } from '../schemas/server-wallet.js'

export function registerServerLinks(
  app: App,
  parts: {
    readonly clientApps: ClientApps
    readonly links: Links
    readonly shares: FairShares
  },
): void {
  app.post('/api/server/links/verify', { schema: linkProofSchema }, async (request, reply) => {
    const clientApp = await authenticateClient(parts.clientApps, request, 'wallet:read')
    const { linkProof } = checked(request).body
    await parts.shares.of(clientApp).beginRead(reply, 0)
    const serviceUserId = await parts.links.redeemProof(clientApp.clientId, linkProof)
    if (serviceUserId === undefined) throw new ApiError('INVALID_LINK_PROOF')
    return { serviceUserId }
  })
}
