/** Who may do what in the admin area: session, origin, CSRF token, role and idleness. */
import t from 'tap'
import { adminSessionIdleMs } from '../../src/limits.js'
import { AdminArea } from '../support/admin-area.js'
import type { AdminRoute } from '../support/admin-area.js'

const nobody = '00000000-0000-4000-8000-000000000000'

/** A route's address with ids that nobody has. */
function addressOf({ url }: AdminRoute): string {
  return url
    .replace('/api/admin', '')
    .replace(':clientId', `app_${nobody}`)
    .replace(':serviceUserId', `usr_${nobody}`)
    .replaceAll(/:\w+/g, nobody)
}

t.test('nothing but the login works without a session', async (t) => {
  const area = await AdminArea.open(t)
  const routes = area.routes.filter(({ url }) => url !== '/api/admin/login')
  t.ok(routes.length >= 20, 'all routes are looked at')
  const strangers = ['', 'wallet_admin=', 'wallet_admin=short', `wallet_admin=${'x'.repeat(43)}`]
  for (const route of routes)
    for (const cookie of strangers) {
      const browser = Object.assign(area.browser(), { cookie, csrfToken: 'x' })
      const { status, body } = await browser.send(route.method, addressOf(route))
      if (status !== 401) t.fail(`${route.method} ${route.url} answered ${status}`)
      else if (route.method !== 'HEAD') t.match(body, { code: 'ADMIN_SESSION_REQUIRED' })
    }
})

t.test('a change needs the CSRF token, our own origin and the role', async (t) => {
  const area = await AdminArea.open(t)
  const admin = await area.enter('admin')
  const auditor = await area.enter('auditor')
  const changes = area.routes.filter(
    ({ method, url }) => !['GET', 'HEAD'].includes(method) && url !== '/api/admin/login',
  )
  for (const route of changes) {
    const path = addressOf(route)
    const name = `${route.method} ${route.url}`
    for (const csrfToken of [undefined, 'x', auditor.csrfToken, `${admin.csrfToken}x`]) {
      const headers = { 'x-csrf-token': csrfToken }
      const answer = await admin.send(route.method, path, {}, headers)
      t.match(answer, { status: 403, body: { code: 'CSRF_TOKEN_INVALID' } }, name)
    }
    for (const origin of ['https://evil.example', 'null', `${area.origin}0`]) {
      const answer = await admin.send(route.method, path, {}, { origin })
      t.match(answer, { status: 403, body: { code: 'ORIGIN_NOT_ALLOWED' } }, name)
    }
    if (route.url === '/api/admin/logout') continue
    const answer = await auditor.send(route.method, path, {})
    t.match(answer, { status: 403, body: { code: 'ADMIN_ROLE_REQUIRED' } }, name)
  }
  t.equal((await auditor.get('/overview')).status, 200, 'an auditor may look')
  t.equal((await auditor.get('/client-apps')).status, 200)
  const page = await admin.send('POST', '/logout', undefined, { origin: undefined })
  t.equal(page.status, 200, 'not every client names an origin')
  t.equal((await auditor.post('/logout')).status, 200)
  const acts = await area.parts.adminLog.list({ limit: 50 })
  t.same(
    new Set(acts.map(({ action }) => action)),
    new Set(['session.begin', 'session.end']),
    'what is refused at the door is no act',
  )
})

t.test('a session that was idle for half an hour is over', async (t) => {
  const area = await AdminArea.open(t)
  const browser = await area.enter()
  area.clock.set(area.clock.now() + adminSessionIdleMs - 1)
  t.equal((await browser.get('/me')).status, 200)
  area.clock.set(area.clock.now() + adminSessionIdleMs)
  t.match(await browser.get('/me'), { status: 401, body: { code: 'ADMIN_SESSION_REQUIRED' } })
  t.match(await browser.post('/logout'), { status: 401 })
})
