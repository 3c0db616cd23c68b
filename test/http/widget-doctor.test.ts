/** What the doctor tells an integrator, and what it keeps to itself. */
import t from 'tap'
import { registerWidgetDoctor } from '../../src/http/routes/widget-doctor.js'
import { doctorCallsPerAddress, doctorWindowMs } from '../../src/http/limits.js'
import { serve } from '../support/served-app.js'
import { WidgetService } from '../support/widget-service.js'

const shop = 'https://shop.example'

function ask(service: WidgetService, fields: Record<string, string>) {
  return service.get(`/api/widget/doctor?${new URLSearchParams(fields).toString()}`)
}

t.test('an app, an origin and a session that fit', async (t) => {
  const service = await WidgetService.open(t)
  const { app, user, sessionToken: session } = await service.makeSession()
  const { clientId } = app
  const answer = await ask(service, { clientId, origin: shop, session })
  t.equal(answer.status, 200)
  t.same(answer.body, {
    app: 'active',
    originAllowed: true,
    originProblem: null,
    openerAllowed: true,
    session: 'live',
    sessionMatchesApp: true,
  })
  t.notMatch(answer.text, 'Example Shop')
  t.notOk(answer.text.includes(user.serviceUserId))
})

t.test('each part is told apart', async (t) => {
  const service = await WidgetService.open(t)
  const { app, user, sessionToken: session } = await service.makeSession()
  const other = await service.makeApp({
    allowedIframeParents: ['https://parent.example'],
    allowedOrigins: ['https://pages.example'],
  })
  const { clientId } = app
  for (const [fields, facts] of [
    [{}, { app: 'unknown', originAllowed: false, originProblem: null, session: 'none' }],
    [{ clientId: 'app_1' }, { app: 'unknown', sessionMatchesApp: null }],
    [{ clientId }, { app: 'active', originAllowed: false, session: 'none' }],
    [
      { clientId, origin: 'https://x.example' },
      { originAllowed: false, originProblem: null },
    ],
    [
      { clientId: other.clientId, origin: 'https://parent.example' },
      { originAllowed: true, openerAllowed: false },
    ],
    [
      { clientId: other.clientId, origin: 'https://pages.example' },
      { originAllowed: false, openerAllowed: true },
    ],
    [
      { clientId: other.clientId, session },
      { session: 'live', sessionMatchesApp: false },
    ],
    [{ session }, { session: 'live', sessionMatchesApp: null }],
    [
      { clientId, session: 'nonsense' },
      { session: 'unknown', sessionMatchesApp: null },
    ],
  ] as const)
    t.match((await ask(service, { ...fields })).body, facts, JSON.stringify(fields))

  const bound = (await service.createSession(app, user, { parentOrigin: shop })).body
  const token = String(bound['sessionToken'])
  await service.clientApps.update(clientId, { allowedIframeParents: [shop, 'https://b.example'] })
  t.match((await ask(service, { clientId, origin: shop, session: token })).body, {
    originAllowed: true,
    originProblem: null,
  })
  t.match((await ask(service, { clientId, origin: 'https://b.example', session: token })).body, {
    originAllowed: false,
    originProblem: /another parentOrigin/,
  })

  await service.widgetSessions.end(session)
  t.match((await ask(service, { clientId, session })).body, {
    session: 'ended',
    sessionMatchesApp: true,
  })
  await service.clientApps.setActive(clientId, false)
  t.match((await ask(service, { clientId })).body, { app: 'inactive' })
})

t.test('an origin that cannot be one is explained', async (t) => {
  const service = await WidgetService.open(t)
  const { clientId } = await service.makeApp()
  for (const [origin, problem] of [
    ['null', /sandbox/],
    ['*', /no origin/],
    ['https://shop.example/', /without a path or a slash.*https:\/\/shop\.example/],
    ['https://shop.example/checkout', /without a path/],
    ['https://SHOP.example', /write it as https:\/\/shop\.example/],
    ['shop.example', /exact origin/],
    ['http://shop.example', /https:\/\//],
  ] as const) {
    const { body } = await ask(service, { clientId, origin })
    t.match(body, { originAllowed: false, openerAllowed: false, originProblem: problem }, origin)
  }
  t.match((await ask(service, { clientId, origin: 'http://localhost:4000' })).body, {
    originProblem: null,
  })
  const production = await WidgetService.open(t, { production: true })
  t.match((await ask(production, { origin: 'http://localhost:4000' })).body, {
    originProblem: /https:\/\/ in production/,
  })
})

t.test('where the service is seen from outside is told, when it is known', async (t) => {
  const { clientApps, widgetSessions, throttle, production } = await WidgetService.open(t)
  const parts = { clientApps, widgetSessions, throttle, production }
  const { origin } = await serve(t, {}, (app) =>
    registerWidgetDoctor(app, { ...parts, publicOrigin: () => 'https://wallet.example' }),
  )
  const answer = await fetch(`${origin}/api/widget/doctor`)
  t.match(await answer.json(), { app: 'unknown', publicOrigin: 'https://wallet.example' })
})

t.test('the doctor is asked a bounded number of times a minute', async (t) => {
  const service = await WidgetService.open(t)
  for (let call = 0; call < doctorCallsPerAddress; call += 1) await ask(service, {})
  const refused = await ask(service, {})
  t.match(refused, { status: 429, body: { code: 'TOO_MANY_TRIES' } })
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  await service.clock.advance(doctorWindowMs)
  t.equal((await ask(service, {})).status, 200)
})
