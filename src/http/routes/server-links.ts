/**
 * The link proof: a client backend hands in the one-time proof that its browser got from the widget
 * and learns for which user it was made, so that it need not trust the browser.
 */
import type { ClientApps } from '../../identity/client-apps.js'
import type { Links } from '../../identity/links.js'
import type { App } from '../app.js'
import { authenticateClient } from '../client-auth.js'
import { ApiError } from '../errors.js'
import { inputOf, stringField } from '../fields.js'

export function registerServerLinks(
  app: App,
  parts: { readonly clientApps: ClientApps; readonly links: Links },
): void {
  app.post('/api/server/links/verify', async (request) => {
    const input = inputOf(request.body)
    const { clientId } = await authenticateClient(parts.clientApps, input, 'wallet:read')
    const linkProof = stringField(input, 'linkProof')
    const serviceUserId = await parts.links.redeemProof(clientId, linkProof)
    if (serviceUserId === undefined) throw new ApiError('INVALID_LINK_PROOF')
    return { serviceUserId }
  })
}
