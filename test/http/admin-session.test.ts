/** Login, logout and the cookies of the admin area, over real HTTP; see login-attacks.test.ts. */
import t from 'tap'
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
  const [sessionCookie, browserCookie] = answer.headers.getSetCookie()
  t.match(sessionCookie, /^wallet_admin=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
  t.match(browserCookie, /^wallet_admin_browser=[\w-]{22}\.\d{10}\.[\w-]{43}; Max-Age=15552000; /)
  t.match(browserCookie, /; Path=\/api\/admin\/login; HttpOnly; SameSite=Strict$/)
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
  const tokens = [browser.cookie, browser.browserCookie].map((text) => text.split('=')[1] ?? text)
  for (const secret of [password, ...tokens, browser.csrfToken])
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
  const cookies = answer.headers.getSetCookie()
  t.equal(cookies.length, 2)
  for (const cookie of cookies) t.match(cookie, /; HttpOnly; Secure; SameSite=Strict$/)
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
  const ada = { email: 'ada@example.com', password, role: 'admin' } as const
  const { adminId } = await area.parts.admins.create(ada)
  const browser = area.browser()
  const wrong = await browser.login('ada@example.com', 'not the right password')
  const unknown = await browser.login('bob@example.com', password)
  const strange = await browser.login('\0', password)
  t.equal(wrong.status, 401)
  t.match(wrong.body, { code: 'INVALID_LOGIN' })
  for (const answer of [unknown, strange])
    t.same([answer.status, answer.body], [wrong.status, wrong.body])
  t.equal(wrong.headers.get('set-cookie'), null)
  t.same(await area.parts.adminLog.list({ limit: 3 }), [], 'the chained log takes none of them')
  const counted = await area.parts.refusedLogins.list({ limit: 3 })
  const common = { area: 'admin', address: '127.0.0.1' }
  t.match(
    counted,
    [
      { ...common, account: null, adminEmail: null, tries: 2 },
      { ...common, account: adminId, adminEmail: 'ada@example.com', tries: 1 },
    ],
    'they are counted beside it, without what was typed',
  )

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
