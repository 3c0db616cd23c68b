/** Section 3 of the contract: a session is valid for five minutes, then expired, for every call. */
import { randomUUID } from 'node:crypto'
import { onEveryDeployment, testInside } from './support/deployment.js'
import { changesReachAllMs, until } from './support/wallet-api.js'
import { askSession, newSession, tokenShape, widgetWallet } from './support/widget-api.js'

/** Every call of the widget that the contract names, and our own ones. */
const calls = [
  ['GET', '/api/widget/wallet'],
  ['GET', '/api/widget/wallet/events'],
  ['POST', '/api/widget/topup/create-intent'],
  ['POST', '/api/widget/topup/confirm'],
] as const

onEveryDeployment(8, (t, on) => {
  t.test('3 (none) → session valid: by credentials and a known user', async (t) => {
    const account = await on.account(5)
    const answer = await askSession(on, account)
    t.equal(answer.status, 200)
    t.match(answer.body['sessionToken'], tokenShape)
    const expiresAt = String(answer.body['expiresAt'])
    t.match(expiresAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const lifetimeMs = Date.parse(expiresAt) - Date.now()
    t.ok(lifetimeMs > 280_000 && lifetimeMs <= 300_500, '8 limits: five minutes')
    t.equal((await widgetWallet(on, answer.body['sessionToken'])).status, 200)
  })

  t.test('3 a token is validated on every call: what is none is SESSION_EXPIRED', async (t) => {
    const token = await newSession(on, await on.account())
    const wrong = ['', 'x', 'ws_', `ws_${randomUUID()}`, token.slice(3), `${token}0`, ` ${token}`]
    for (const [method, path] of calls)
      for (const session of wrong) {
        const query = `?session=${encodeURIComponent(session)}`
        const init = method === 'POST' ? { headers: json, body: '{}' } : {}
        const answer = await on.api.send(method, path + query, init)
        t.match(answer, { status: 401, body: { code: 'SESSION_EXPIRED' } }, `${path} ${session}`)
        t.notOk('requiresAuth' in answer.body)
      }
    t.equal((await widgetWallet(on, undefined)).status, 401, 'and none at all')
  })

  testInside(t, on, '3 session valid → expired: every call then fails', async (t, control) => {
    const account = await on.account(5)
    const session = await newSession(on, account)
    await control.expire(session)
    for (const [method, path] of calls) {
      const init = method === 'POST' ? { headers: json, body: '{"amount":5}' } : {}
      const answer = await on.api.send(method, `${path}?session=${session}`, init)
      t.match(answer, { status: 401, body: { code: 'SESSION_EXPIRED' } }, path)
    }
    const next = await newSession(on, account)
    t.equal((await widgetWallet(on, next)).status, 200, 'the backend makes a new one')
  })

  testInside(t, on, '3 a session ends with its app and with its link', async (t, control) => {
    const app = await control.createApp(['wallet:read', 'wallet:write'])
    const account = (await on.account()).as(app)
    await control.links.add(app.clientId, account.serviceUserId)
    const session = await newSession(on, account)
    const isEnded = async () => (await widgetWallet(on, session)).status === 401
    t.notOk(await isEnded())
    await control.clientApps.setActive(app.clientId, false)
    t.ok(await isEnded(), 'at once')
    await control.clientApps.setActive(app.clientId, true)
    await control.links.remove(app.clientId, account.serviceUserId)
    t.ok(await isEnded())
    await until(changesReachAllMs, async () => (await askSession(on, account)).status === 401)
  })

  testInside(t, on, '3 wallet isActive: the widget is told of both states', async (t, control) => {
    const account = await on.account(5)
    const session = await newSession(on, account)
    await control.setActive(account, false)
    t.match(await widgetWallet(on, session), { status: 200, body: { isActive: false, balance: 5 } })
    await control.setActive(account, true)
    t.match(await widgetWallet(on, session), { status: 200, body: { isActive: true } })
  })

  const json = { 'content-type': 'application/json' }
})
