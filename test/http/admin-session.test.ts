/** Login, logout, the cookie and the throttle of the admin area, over real HTTP. */
import t from 'tap'
import { adminLoginTriesPerAddress, loginTriesPerAccount, loginWindowMs } from '../../src/limits.js'
import { AdminArea, password } from '../support/admin-area.js'

t.test('a login opens a session that lives in a cookie no script can read', async (t) => {
  const area = await AdminArea.open(t)
  const { adminId } = await area.parts.admins.create({
    email: 'ada@example.com',
    password,
    role: 'admin',
  })
  const browser = area.browser()
  const answer = await browser.login('Ada@example.com')
  t.equal(answer.status, 200)
  const admin = { adminId, email: 'ada@example.com', role: 'admin' }
  t.same(answer.body, { admin, csrfToken: browser.csrfToken })
  t.match(
    answer.headers.get('set-cookie'),
    /^wallet_admin=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  t.same((await browser.get('/me')).body, {
    admin,
    csrfToken: browser.csrfToken,
    currency: { code: 'usd', decimals: 2 },
    environment: 'test',
  })

  const { cookie } = browser
  await browser.login('ada@example.com')
  t.not(browser.cookie, cookie)
  const old = area.browser()
  old.cookie = cookie
  t.equal((await old.get('/me')).status, 401, 'a new login ends the session it replaces')

  const left = await browser.post('/logout')
  t.equal(left.status, 200)
  t.match(left.headers.get('set-cookie'), /^wallet_admin=; Max-Age=0; Path=\/; HttpOnly/)
  t.match(await browser.get('/me'), { status: 401, body: { code: 'ADMIN_SESSION_REQUIRED' } })

  await browser.login('ada@example.com')
  await area.captured.line(({ route }) => route === '/api/admin/logout')
  for (const secret of [password, browser.cookie.slice('wallet_admin='.length), browser.csrfToken])
    t.notOk(area.captured.text.includes(secret), 'nothing secret in the log lines')
  t.notMatch(area.captured.text, /example\.com/, 'and no email')
})

t.test('behind https the cookie is sent over https only', async (t) => {
  const area = await AdminArea.open(t, { publicOrigin: () => 'https://wallet.example' })
  await area.parts.admins.create({ email: 'ada@example.com', password, role: 'admin' })
  const login = { email: 'ada@example.com', password }
  const answer = await area.browser().send('POST', '/login', login, {
    origin: 'https://wallet.example',
  })
  t.match(answer.headers.get('set-cookie'), /; HttpOnly; Secure; SameSite=Strict$/)
})

t.test('in production only the public origin is our own', async (t) => {
  const area = await AdminArea.open(t, {
    environment: 'production',
    publicOrigin: () => 'https://wallet.example',
  })
  const answer = await area.browser().login('ada@example.com')
  t.match(answer, { status: 403, body: { code: 'ORIGIN_NOT_ALLOWED' } })
})

t.test('a wrong login tells nothing about who exists', async (t) => {
  const area = await AdminArea.open(t)
  await area.parts.admins.create({ email: 'ada@example.com', password, role: 'admin' })
  const browser = area.browser()
  const wrong = await browser.login('ada@example.com', 'not the right password')
  const unknown = await browser.login('bob@example.com', password)
  const strange = await browser.login('\0', password)
  t.equal(wrong.status, 401)
  t.match(wrong.body, { code: 'INVALID_LOGIN' })
  for (const answer of [unknown, strange])
    t.same([answer.status, answer.body], [wrong.status, wrong.body])
  t.equal(wrong.headers.get('set-cookie'), null)
  const [latest] = await area.parts.adminLog.list({ limit: 3 })
  const act = { action: 'session.begin', outcome: 'refused', adminId: null, subject: null }
  t.match(latest, { ...act, details: {} }, 'the log counts it, without what was typed')

  for (const [body, field] of [
    [{ password }, 'email'],
    [{ email: 'ada@example.com' }, 'password'],
    [{ email: 1, password }, 'email'],
    [{ email: 'ada@example.com', password: true }, 'password'],
    [[], 'email'],
  ] as const) {
    const answer = await browser.post('/login', body)
    t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST' } })
    t.match(answer.body['error'], new RegExp(`^The field '${field}' `))
  }
})

/** Tries that were made before: each real one costs a memory-hard hash. */
async function countTries(area: AdminArea, key: { kind: string; value: string }, count: number) {
  const limit = { tries: 1_000, windowMs: loginWindowMs }
  for (let tries = 0; tries < count; tries += 1) await area.parts.throttle.count(key, limit)
}

t.test('the eleventh try for one account waits, right or wrong', async (t) => {
  const area = await AdminArea.open(t)
  await area.parts.admins.create({ email: 'ada@example.com', password, role: 'admin' })
  const browser = area.browser()
  const account = { kind: 'admin-login-account', value: 'ada@example.com' }
  await countTries(area, account, loginTriesPerAccount - 2)
  t.equal((await browser.login('ada@example.com', 'wrong')).status, 401)
  t.equal((await browser.login('ADA@example.com')).status, 200, 'a success clears the count')
  await countTries(area, account, loginTriesPerAccount - 1)
  t.equal((await browser.login('aDa@example.com', 'wrong')).status, 401)
  const refused = await area.browser().login('ada@example.com')
  t.match(refused, { status: 429, body: { code: 'TOO_MANY_TRIES' } })
  t.equal(refused.headers.get('retry-after'), String(loginWindowMs / 1_000))
  t.equal((await browser.get('/me')).status, 200, 'who is inside stays inside')
  area.clock.set(area.clock.now() + loginWindowMs)
  t.equal((await area.browser().login('ada@example.com')).status, 200)
})

t.test('one address has so many tries, whichever accounts it names', async (t) => {
  const area = await AdminArea.open(t)
  const address = { kind: 'admin-login-address', value: '127.0.0.1' }
  await countTries(area, address, adminLoginTriesPerAddress - 1)
  t.equal((await area.browser().login('somebody@example.com')).status, 401)
  const refused = await area.browser().login('another@example.com')
  t.match(refused, { status: 429, body: { code: 'TOO_MANY_TRIES' } })
  t.equal(refused.headers.get('retry-after'), String(loginWindowMs / 1_000))
})
