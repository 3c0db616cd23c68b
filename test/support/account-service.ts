/**
 * A widget service with the routes of people's accounts: the projections run, mails go to a
 * box, and a key for checkpoints lies in a folder of the test's own.
 */
import { join } from 'node:path'
import type { Test } from 'tap'
import { checkpointParts } from '../../src/audit/proofs/checkpoint-parts.js'
import { registerAccountRoutes } from '../../src/http/routes/account/account-routes.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { quietLog } from './ledger.js'
import { WidgetService } from './widget-service.js'
import type { MadeApp, WidgetOptions } from './widget-service.js'

export const password = 'correct horse battery'

export async function openAccounts(t: Test, options: WidgetOptions = {}) {
  const folder = t.testdir()
  const service = await WidgetService.open(t, {
    hasMail: true,
    ...options,
    addRoutes: (app, parts) => {
      const place = { signingKeyFile: join(folder, 'key.pem'), witnesses: [], everyMinutes: 60 }
      const system = { clock: systemClock, random: systemRandom, log: quietLog }
      const signing = checkpointParts(place, { ...parts, ...system })
      const publicOrigin = (): string => 'https://wallet.example'
      const rest = {
        signing,
        publicOrigin,
        topUps: undefined,
        savedCards: undefined,
        automaticTopUps: undefined,
        cardReturns: undefined,
        payments: { minimumMinor: 100, maximumMinor: 10_000 },
      }
      registerAccountRoutes(app, { ...parts, ...rest })
    },
  })
  service.ledger.runner(t).start()
  return service
}

export type AccountService = Awaited<ReturnType<typeof openAccounts>>

/** Somebody with an account at an app, logged in there; and a session that its backend made. */
export async function aPerson(service: AccountService, app: MadeApp, name = 'ada') {
  const email = `${name}@example.com`
  const { clientId } = app
  const names = { firstName: 'Ada', lastName: 'Byron' }
  const signUp = { clientId, email, password, ...names }
  const { body } = await service.post('/api/widget/auth/signup', signUp)
  const serviceUserId = String(body['serviceUserId'])
  const user = await service.users.find(serviceUserId)
  if (user === undefined) throw new Error(`no sign-up: ${JSON.stringify(body)}`)
  const made = await service.createSession(app, user)
  const backend = String(made.body['sessionToken'])
  return { email, user, person: String(body['sessionToken']), backend }
}
