/**
 * Strangers who guess at passwords, over real HTTP: what they can do to the person whose account it
 * is. Addresses are those that a proxy in front of the service names. The clock stands still unless
 * a test moves it: a login that is answered was not delayed.
 */
import t from 'tap'
import type { Test } from 'tap'
import { loginDelayMaxMs, loginTriesPerPair, loginWindowMs } from '../../src/identity/limits.js'
import { AdminArea, password, startMs } from '../support/admin-area.js'
import { FakeClock } from '../support/fake-clock.js'
import { WatchedLine } from '../support/watched-line.js'
import { WidgetService } from '../support/widget-service.js'

const email = 'ada@example.com'
const limit = { tries: 1_000, windowMs: loginWindowMs }

async function openArea(t: Test) {
  const clock = new FakeClock(startMs)
  const loginLine = new WatchedLine({ clock })
  const area = await AdminArea.open(t, { loginLine }, { proxies: 1 })
  await area.parts.admins.create({ email, password, role: 'admin' })
  return Object.assign(area, { lineClock: clock, loginLine })
}

/** So many tries of strangers in this window that the account has its longest delay. */
async function guessAt(area: AdminArea, value = email): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1)
    await area.parts.throttle.count({ kind: 'admin-login-account', value }, limit)
}

type Guess<Answer> = (index: number) => Promise<Answer>

/** A hundred tries at once, each of another address, twice the same in three hundred. */
function startAttack<Answer>({ from, guess }: { from: number; guess: Guess<Answer> }) {
  return Array.from({ length: 100 }, (_, index) => guess(from + index))
}

/** And what they are answered after the delay. */
async function attack<Answer>(parts: {
  readonly from: number
  readonly guess: Guess<Answer>
  readonly loginLine: WatchedLine
  readonly lineClock: FakeClock
}): Promise<Answer[]> {
  const answers = startAttack(parts)
  await parts.loginLine.reached(parts.from + 100)
  await parts.lineClock.advance(loginDelayMaxMs)
  return Promise.all(answers)
}

function strangersAddress(index: number): string {
  return `198.51.${100 + (index % 2)}.${(index % 150) >> 1}`
}

async function countChained({ ledger }: AdminArea): Promise<number | undefined> {
  const text = 'select count(*) from identity.admin_log'
  return (await ledger.pool.query<{ count: number }>(text)).rows[0]?.count
}

t.test('300 wrong tries from 150 addresses do not keep an admin out', async (t) => {
  const area = await openArea(t)
  const chained = await countChained(area)
  const guess = async (index: number) =>
    (await area.browser(strangersAddress(index)).login(email, `wrong ${index}`)).status
  const answers: number[] = []
  const { loginLine, lineClock } = area
  for (let wave = 0; wave < 2; wave += 1)
    answers.push(...(await attack({ loginLine, lineClock, from: 100 * wave, guess })))
  const answered: number[] = []
  const underWay = startAttack({ from: 200, guess }).map((answer) =>
    answer.then((status) => answered.push(status)),
  )
  await area.loginLine.reached(300)
  const login = area.browser('203.0.113.7').login(email)
  await area.loginLine.reached(301)
  const place = { address: '203.0.113.7', delayMs: loginDelayMaxMs, rank: 1 }
  t.same(area.loginLine.places.at(-1), place)
  await area.lineClock.advance(loginDelayMaxMs)
  t.equal((await login).status, 200, 'once the delay is over')
  t.ok(answered.length < 50, `before the line of the strangers: ${answered.length} had their turn`)
  await Promise.all(underWay)
  t.same(new Set([...answers, ...answered]), new Set([401]), 'they get what any wrong login gets')
  t.equal(await countChained(area), (chained ?? 0) + 1, 'the chained log has the one login')
  const { rows } = await area.ledger.pool.query<{ sum: number }>(
    'select sum(tries)::int as sum from identity.refused_logins',
  )
  t.equal(rows[0]?.sum, 300, 'all of them are counted beside it')
})

t.test('an admin’s known browser passes at once, whatever strangers do', async (t) => {
  const area = await openArea(t)
  const desk = area.browser('203.0.113.7')
  await desk.login(email)
  await guessAt(area)
  // A stranger in the same office uses up the address for this account too.
  const pair = { kind: 'admin-login-pair', value: `203.0.113.7 ${email}` }
  for (let tries = 0; tries < 20; tries += 1) await area.parts.throttle.count(pair, limit)
  t.equal((await area.browser('203.0.113.7').login(email)).status, 429)
  t.equal((await desk.login(email)).status, 200)
  t.match(area.loginLine.places.at(-1), { delayMs: 0, rank: 0 })
  desk.headers['x-forwarded-for'] = '203.0.113.99'
  t.equal((await desk.login(email)).status, 200, 'from another address too')
  t.equal((await area.browser('203.0.113.7').login(email)).status, 429, 'strangers stay refused')
})

t.test('a stolen cookie allows no more guesses than a browser has', async (t) => {
  const area = await openArea(t)
  const desk = area.browser('203.0.113.7')
  await desk.login(email)
  const { browserCookie } = desk
  await guessAt(area)
  const thief = area.browser('198.51.100.1')
  thief.browserCookie = browserCookie
  for (let tries = 0; tries < loginTriesPerPair; tries += 1)
    t.equal((await thief.login(email, 'a guess')).status, 401)
  const eleventh = thief.login(email, 'a guess')
  await area.loginLine.reached(loginTriesPerPair + 2)
  t.match(area.loginLine.places.at(-1), { delayMs: loginDelayMaxMs, address: '198.51.100.1' })
  await area.lineClock.advance(loginDelayMaxMs)
  t.equal((await eleventh).status, 401, 'from then on it is a stranger, and delayed')
  const admin = desk.login(email)
  await area.loginLine.reached(loginTriesPerPair + 3)
  await area.lineClock.advance(loginDelayMaxMs)
  t.equal((await admin).status, 200, 'and so is the admin whose cookie it was, but not refused')
})

t.test('a cookie that is forged, another admin’s or of an old password is ignored', async (t) => {
  const area = await openArea(t)
  const desk = area.browser('203.0.113.7')
  await desk.login(email)
  await area.parts.admins.create({ email: 'bob@example.com', password, role: 'admin' })
  const other = area.browser('203.0.113.8')
  await other.login('bob@example.com')
  const pair = { kind: 'admin-login-pair', value: `203.0.113.7 ${email}` }
  for (let tries = 0; tries < 20; tries += 1) await area.parts.throttle.count(pair, limit)
  const known = desk.browserCookie
  for (const cookie of [other.browserCookie, 'wallet_admin_browser=x', known.replace(/.$/, '')]) {
    const stranger = area.browser('203.0.113.7')
    stranger.browserCookie = cookie
    t.equal((await stranger.login(email)).status, 429, 'the pair’s refusal holds')
  }
  t.equal((await desk.login(email)).status, 200)
  await area.parts.admins.setPassword(email, 'another long password')
  t.equal((await desk.login(email, 'another long password')).status, 429)
})

t.test('an address is refused for an account after ten tries, and for no other', async (t) => {
  const area = await openArea(t)
  const stranger = area.browser('198.51.100.1')
  const pair = { kind: 'admin-login-pair', value: `198.51.100.1 ${email}` }
  for (let tries = 0; tries < loginTriesPerPair - 1; tries += 1)
    await area.parts.throttle.count(pair, limit)
  t.equal((await stranger.login(email, 'wrong')).status, 401)
  const refused = await stranger.login(email)
  t.match(refused, { status: 429, body: { code: 'TOO_MANY_TRIES' } }, 'right or wrong')
  t.equal(refused.headers.get('retry-after'), String(loginWindowMs / 1_000))
  t.equal((await area.browser('198.51.100.2').login(email)).status, 200, 'another address')
  t.equal((await stranger.login('bob@example.com')).status, 401, 'another account')
  t.equal((await stranger.login(email)).status, 429, 'a login elsewhere does not help it')
  area.clock.set(area.clock.now() + loginWindowMs)
  t.equal((await stranger.login(email)).status, 200, 'until the window is over')
})

t.test('all addresses of an IPv6 network are one', async (t) => {
  const area = await openArea(t)
  for (let tries = 1; tries <= loginTriesPerPair; tries += 1) {
    const login = area.browser(`2001:db8:0:7::${tries}`).login(email, 'wrong')
    await area.loginLine.reached(tries)
    await area.lineClock.advance(loginDelayMaxMs)
    t.equal((await login).status, 401)
  }
  t.equal((await area.browser('2001:db8:0:7:1:2:3:4').login(email)).status, 429)
  const [row] = await area.parts.refusedLogins.list({ limit: 5 })
  t.match(row, { address: '2001:db8:0:7::/64', tries: loginTriesPerPair, adminEmail: email })
})

t.test('the delay is the same whether or not the account exists', async (t) => {
  const area = await openArea(t)
  const names = [email, 'nobody@example.com', '', 'no address at all']
  const delays = new Map<string, number[]>()
  for (const name of names) {
    const seen: number[] = []
    for (let tries = 0; tries < 12; tries += 1) {
      const from = area.loginLine.places.length
      const login = area.browser(`198.51.100.${names.indexOf(name) * 20 + tries}`).login(name, 'no')
      await area.loginLine.reached(from + 1)
      seen.push(area.loginLine.places.at(-1)?.delayMs ?? -1)
      await area.lineClock.advance(loginDelayMaxMs)
      t.equal((await login).status, 401)
    }
    delays.set(name, seen)
  }
  const expected = [0, 0, 0, 250, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 4_000]
  for (const [name, seen] of delays) t.same(seen, expected, `for '${name}'`)
})

t.test('an address that tries many accounts is slow for all of them', async (t) => {
  const area = await openArea(t)
  const address = { kind: 'admin-login-address', value: '198.51.100.1' }
  for (let tries = 0; tries < 30; tries += 1) await area.parts.throttle.count(address, limit)
  const login = area.browser('198.51.100.1').login(email)
  await area.loginLine.reached(1)
  t.match(area.loginLine.places, [{ delayMs: loginDelayMaxMs, rank: 31 }])
  await area.lineClock.advance(loginDelayMaxMs)
  t.equal((await login).status, 200, 'and nobody who shares it is refused')
})

t.test('a try that nobody had time for is not counted against the pair', async (t) => {
  const area = await openArea(t)
  await guessAt(area)
  const logins = Array.from({ length: 3 }, () => area.browser('203.0.113.7').login(email))
  await area.loginLine.reached(3)
  const full = Array.from({ length: 1_000 }, (_, index) =>
    area.loginLine
      .run({ address: `address ${index}`, delayMs: 3_000, rank: 0 }, async () => undefined)
      .catch(() => undefined),
  )
  for (const answer of await Promise.all(logins))
    t.match(answer, { status: 503, body: { code: 'UNAVAILABLE' } })
  await area.lineClock.advance(3_000)
  await Promise.all(full)
  const pair = { kind: 'admin-login-pair', value: `203.0.113.7 ${email}` }
  t.equal(await area.parts.throttle.tally(pair, limit), 1)
})

t.test('a person of the widget gets through 200 wrong tries as well', async (t) => {
  const service = await WidgetService.open(t, { proxies: 1 })
  const { clientId } = await service.makeApp()
  await service.makePerson([], { email, password })
  const login = (given: string, address: string) =>
    service.post(
      '/api/widget/auth/login',
      { clientId, email, password: given },
      { 'x-forwarded-for': address },
    )
  const guess = (index: number) => login(`wrong ${index}`, strangersAddress(index))
  const { loginLine, clock: lineClock } = service
  await attack({ loginLine, lineClock, from: 0, guess })
  const underWay = startAttack({ from: 100, guess })
  await loginLine.reached(200)
  const person = login(password, '203.0.113.7')
  await loginLine.reached(201)
  await service.clock.advance(loginDelayMaxMs)
  t.equal((await person).status, 200)
  const answers = await Promise.all(underWay)
  t.same(new Set(answers.map(({ status }) => status)), new Set([401]))
  for (let tries = 0; tries < 20; tries += 1)
    await service.throttle.count(
      { kind: 'widget-login-pair', value: `198.51.100.1 ${email}` },
      limit,
    )
  t.match(await login(password, '198.51.100.1'), {
    status: 429,
    body: { code: 'TOO_MANY_TRIES' },
  })
  t.match(await service.refusedLogins.list({ limit: 1 }), [{ area: 'widget', account: /^usr_/ }])
})
