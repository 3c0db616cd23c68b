/** Which other origins may call the widget's API from a browser, as the browser finds out. */
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { EventStream } from '../support/event-stream.js'
import { WidgetService } from '../support/widget-service.js'
import type { WidgetAnswer } from '../support/widget-service.js'

const shop = 'https://shop.example'

function isSilent(t: Test, { headers }: WidgetAnswer, what: string): void {
  for (const [name] of headers) t.notMatch(name, /^access-control-/, what)
}

t.test('an origin of the session’s app reads the answer, and no other does', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  const path = `/api/widget/wallet?session=${sessionToken}`
  const allowed = await service.get(path, { origin: shop })
  t.equal(allowed.status, 200)
  t.equal(allowed.headers.get('access-control-allow-origin'), shop)
  t.equal(allowed.headers.get('access-control-allow-credentials'), null)
  t.equal(allowed.headers.get('vary'), 'Origin')
  for (const origin of [
    'https://evil.example',
    'http://shop.example',
    'https://shop.example:8443',
    'null',
    '*',
    'https://shop.example.evil.example',
  ]) {
    const answer = await service.get(path, { origin })
    isSilent(t, answer, origin)
    t.equal(answer.headers.get('vary'), 'Origin')
  }
  isSilent(t, await service.get(path), 'no origin')
})

t.test('allowedIframeParents and other apps’ origins count for nothing here', async (t) => {
  const service = await WidgetService.open(t)
  const app = await service.makeApp({
    allowedOrigins: ['https://pages.example'],
    allowedIframeParents: ['https://parent.example'],
  })
  await service.makeApp({ allowedOrigins: ['https://other.example'] })
  const user = await service.makePerson([app])
  const { sessionToken } = (await service.createSession(app, user)).body
  const path = `/api/widget/wallet?session=${String(sessionToken)}`
  for (const origin of ['https://parent.example', 'https://other.example'])
    isSilent(t, await service.get(path, { origin }), origin)
  const answer = await service.get(path, { origin: 'https://pages.example' })
  t.equal(answer.headers.get('access-control-allow-origin'), 'https://pages.example')
})

t.test('a preflight is answered on every call of a session', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  const preflight = (path: string, origin: string, method: string) =>
    service.send('OPTIONS', `${path}?session=${sessionToken}`, {
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type',
      },
    })
  for (const [path, method] of [
    ['/api/widget/wallet', 'GET'],
    ['/api/widget/wallet/events', 'GET'],
    ['/api/widget/session/end', 'POST'],
    ['/api/widget/session/renew', 'POST'],
  ] as const) {
    const answer = await preflight(path, shop, method)
    t.equal(answer.status, 204)
    t.equal(answer.headers.get('access-control-allow-origin'), shop)
    t.match(answer.headers.get('access-control-allow-methods'), method)
    t.equal(answer.headers.get('access-control-allow-headers'), 'content-type')
    t.equal(answer.headers.get('access-control-allow-credentials'), null)
    isSilent(t, await preflight(path, 'https://evil.example', method), path)
  }
})

t.test('sign-up, login and session creation answer no other origin', async (t) => {
  const service = await WidgetService.open(t)
  const { app, sessionToken } = await service.makeSession()
  for (const path of ['auth/signup', 'auth/login', 'session']) {
    for (const query of ['', `?session=${sessionToken}`]) {
      const answer = await service.send('OPTIONS', `/api/widget/${path}${query}`, {
        headers: { origin: shop, 'access-control-request-method': 'POST' },
      })
      isSilent(t, answer, path)
      t.equal(answer.status, 405)
    }
    const account = { email: `${randomUUID()}@example.com`, password: 'a long enough password' }
    const body = { clientId: app.clientId, ...account, firstName: 'A', lastName: 'B' }
    for (const query of ['', `?session=${sessionToken}`])
      isSilent(t, await service.post(`/api/widget/${path}${query}`, body, { origin: shop }), path)
  }
})

t.test('the page may read that its session has ended, or that a field is wrong', async (t) => {
  const service = await WidgetService.open(t)
  const { app, sessionToken } = await service.makeSession()
  const renew = `/api/widget/session/renew?session=${sessionToken}`
  const wrong = await service.post(renew, {}, { origin: shop })
  t.equal(wrong.status, 400)
  t.equal(wrong.headers.get('access-control-allow-origin'), shop)
  await service.widgetSessions.end(sessionToken)
  const path = `/api/widget/wallet?session=${sessionToken}`
  const ended = await service.get(path, { origin: shop })
  t.equal(ended.status, 401)
  t.equal(ended.headers.get('access-control-allow-origin'), shop)
  await service.clientApps.setActive(app.clientId, false)
  isSilent(t, await service.get(path, { origin: shop }), 'an inactive app')
})

t.test('a stream names the origin too', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  const url = `${service.origin}/api/widget/wallet/events?session=${sessionToken}`
  const stream = await EventStream.open(t, url, { origin: shop })
  t.equal(stream.headers.get('access-control-allow-origin'), shop)
  t.ok(stream.headers.get('x-request-id'))
})

t.test('in production an http origin of earlier days is not named', async (t) => {
  const service = await WidgetService.open(t, { production: true })
  const { sessionToken } = await service.makeSession()
  const origin = 'http://localhost:5173'
  await service.ledger.pool.query('update identity.client_apps set allowed_origins = $1', [
    [origin],
  ])
  isSilent(t, await service.get(`/api/widget/wallet?session=${sessionToken}`, { origin }), origin)
})

t.test('an address that does not exist stays unknown, whatever the method', async (t) => {
  const service = await WidgetService.open(t)
  for (const method of ['OPTIONS', 'GET', 'POST'])
    t.equal((await service.send(method, '/api/widget/nothing', {})).status, 404, method)
})
