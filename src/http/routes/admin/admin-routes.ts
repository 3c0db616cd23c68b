/**
 * The JSON API of the admin area, as docs/reference/admin-api.md: one file a subject beside this
 * one. Promises: every route but the login has a guard, which runs before anything else; cookies
 * are read and set here and nowhere else.
 */
import { fastifyCookie } from '@fastify/cookie'
import type { App } from '../../app.js'
import { AdminGuard } from '../../admin-session.js'
import { AdminActs } from './admin-acts.js'
import type { AdminParts } from './admin-parts.js'
import { registerClientApps } from './client-apps.js'
import { registerExplanations } from './explanations.js'
import { registerLog } from './log.js'
import { registerLostEvents } from './lost-events.js'
import { registerOverview } from './overview.js'
import { registerSession } from './session.js'
import { registerWallets } from './wallets.js'
import { registerWebhooks } from './webhooks.js'

export type { AdminParts } from './admin-parts.js'

export function registerAdminRoutes(app: App, parts: AdminParts): void {
  const { admins, adminLog, publicOrigin, environment } = parts
  const isProduction = environment === 'production'
  const guard = new AdminGuard({ admins, publicOrigin, isProduction })
  const guarded = { ...parts, guard, acts: new AdminActs({ adminLog, guard }) }
  void app.register((area, _options, done) => {
    void area.register(fastifyCookie)
    registerSession(area, guarded)
    registerOverview(area, guarded)
    registerClientApps(area, guarded)
    registerWebhooks(area, guarded)
    registerWallets(area, guarded)
    registerExplanations(area, guarded)
    registerLog(area, guarded)
    registerLostEvents(area, guarded)
    done()
  })
}
