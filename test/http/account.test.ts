// A person's own account: who may see and change it, mails, unlinking, closing and opening again.
import t from 'tap'
import { closedAccountMs, erasurePutOffMs, loginLifeMs } from '../../src/identity/limits.js'
import { findObstacles } from '../../src/http/wallet-obstacles.js'
import { widgetSessionMs } from '../../src/limits.js'
import { aPerson, openAccounts, password } from '../support/account-service.js'
import type { WidgetAnswer } from '../support/widget-service.js'

const service = await openAccounts(t)
const { mailbox, clock } = service
const shop = await service.makeApp({ name: 'Shop', brandName: 'Corner Shop' })
const newPassword = 'another horse entirely'

function ask(path: string, session: string, body?: object): Promise<WidgetAnswer> {
  const address = `/api/widget/${path}?session=${session}`
  return body === undefined ? service.get(address) : service.post(address, body)
}

async function unlock(session: string, given = password): Promise<string> {
  const { body } = await ask('auth/unlock', session, { password: given })
  return String(body['sessionToken'])
}

function login(email: string, given = password, headers = {}): Promise<WidgetAnswer> {
  const { clientId } = shop
  return service.post('/api/widget/auth/login', { clientId, email, password: given }, headers)
}

t.test("every part of the account is the person's alone", async (t) => {
  const { backend } = await aPerson(service, shop, 'alone')
  const routes: [path: string, body?: object][] = [
    ['account'],
    ['account/go-on', {}],
    ['account/name', { firstName: 'A', lastName: 'B' }],
    ['account/email', { email: 'x@example.com', password }],
    ['account/email/mail', {}],
    ['account/password', { password, newPassword }],
    ['account/sessions/end', {}],
    ['account/unlink', { clientId: shop.clientId }],
    ['account/close', { password }],
    ['account/return-to-cards', { password }],
  ]
  for (const [path, body] of routes) {
    t.match(await ask(path, backend, body), { status: 403, body: { code: 'LOGIN_REQUIRED' } }, path)
    t.match(await ask(path, 'ws_x', body), { status: 401, body: { code: 'SESSION_EXPIRED' } }, path)
    const foreign = { origin: 'https://shop.example', 'content-type': 'application/json' }
    const path_ = `/api/widget/${path}?session=${backend}`
    const answer = await service.send(body ? 'POST' : 'GET', path_, { headers: foreign })
    t.equal(answer.headers.get('access-control-allow-origin'), null, `${path} is no other page's`)
  }
})

t.test("the password opens the account within a backend's session, and goes on", async (t) => {
  const { backend, email } = await aPerson(service, shop, 'opens')
  const wrong = await ask('auth/unlock', backend, { password: newPassword })
  t.match(wrong, { status: 403, body: { code: 'WRONG_PASSWORD' } })
  const mine = await unlock(backend)
  t.match((await ask('account', mine)).body, {
    email,
    isEmailConfirmed: false,
    firstName: 'Ada',
    apps: [{ name: 'Corner Shop', isLinked: true, isThis: true }],
  })
  let session = mine
  for (let goneMs = 0; goneMs + 240_000 < loginLifeMs; goneMs += 240_000) {
    await clock.advance(240_000)
    const { body } = await ask('account/go-on', session, {})
    session = String(body['sessionToken'])
  }
  t.equal((await ask('account', session)).status, 200, 'half an hour after the password')
  await clock.advance(widgetSessionMs)
  t.match(await ask('account/go-on', session, {}), { status: 401 }, 'and not for ever')
})

t.test('where one is logged in is shown, and can be ended', async (t) => {
  const { email, backend, person } = await aPerson(service, shop, 'places')
  const agent = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/130.0' }
  const elsewhere = String((await login(email, password, agent)).body['sessionToken'])
  const { sessions } = (await ask('account', person)).body as { sessions: Listed[] }
  t.same(sessions.map(({ madeBy, isThis }) => [madeBy, isThis]).toSorted(), [
    ['backend', false],
    ['login', false],
    ['login', true],
  ])
  const other = sessions.find(({ device }) => device === 'Firefox · Windows')
  const stranger = await aPerson(service, shop, 'places-stranger')
  await ask('account/sessions/end', stranger.person, { loginId: other?.loginId })
  t.equal((await ask('account', elsewhere)).status, 200, 'nobody ends another’s')
  await ask('account/sessions/end', person, { loginId: other?.loginId })
  t.equal((await ask('account', elsewhere)).status, 401)
  await ask('account/sessions/end', person, {})
  t.equal((await service.wallet(backend)).status, 401, 'all the others')
  t.equal((await ask('account', person)).status, 200, 'this one goes on')
})

interface Listed {
  readonly loginId: string
  readonly madeBy: string
  readonly device: string | null
  readonly isThis: boolean
}

t.test('a login from a new place is told once, a sign-up is not', async (t) => {
  const { email } = await aPerson(service, shop, 'news')
  const agent = { 'user-agent': 'Mozilla/5.0 (iPhone) Version/17.0 Mobile Safari/604.1' }
  await login(email, password, agent)
  await login(email, password, agent)
  t.match((await mailbox.take(email, /new login/i)).text, /Safari · iPhone.*Corner Shop/)
  t.notOk(mailbox.messages.some(({ to, subject }) => to === email && /login/.test(subject)))
})

t.test('the name changes at once, and a bad one is named', async (t) => {
  const { person } = await aPerson(service, shop, 'name')
  await ask('account/name', person, { firstName: 'Grace', lastName: 'Hopper' })
  t.match((await service.wallet(person)).body['user'], { firstName: 'Grace', lastName: 'Hopper' })
  const bad = await ask('account/name', person, { firstName: ' ', lastName: 'Hopper' })
  t.match(bad, { status: 400, body: { error: /'firstName' must not be blank/ } })
})

t.test('a new password ends every other login and is told', async (t) => {
  const { email, person } = await aPerson(service, shop, 'password')
  const elsewhere = String((await login(email)).body['sessionToken'])
  const token = await service.users.createResetToken(
    (await service.users.findByEmail(email))?.serviceUserId ?? '',
  )
  const wrong = await ask('account/password', person, { password: newPassword, newPassword })
  t.match(wrong, { status: 403, body: { code: 'WRONG_PASSWORD' } })
  const short = await ask('account/password', person, { password, newPassword: 'short' })
  t.match(short, { status: 400, body: { error: /'newPassword' must be at least/ } })
  t.equal((await ask('account/password', person, { password, newPassword })).status, 200)
  t.ok(await mailbox.take(email, /new password/))
  t.equal((await ask('account', elsewhere)).status, 401)
  t.equal((await ask('account', person)).status, 200)
  t.equal((await login(email)).status, 401)
  t.equal((await login(email, newPassword)).status, 200)
  t.equal(await service.users.resetPassword(token, password), false, 'a link of before')
})

function tokenIn({ text }: { text: string }): string {
  return /\/widget\/confirm#(\S+)/.exec(text)?.[1] ?? ''
}

t.test('an email is confirmed by its link, at sign-up and when it changes', async (t) => {
  const { email, person } = await aPerson(service, shop, 'mail')
  const confirm = (token: string) => service.post('/api/widget/auth/confirm-email', { token })
  const first = tokenIn(await mailbox.take(email, /confirm/))
  t.match(await confirm(first), { status: 200, body: { state: 'confirmed' } })
  t.match(await confirm(first), { status: 400, body: { code: 'INVALID_EMAIL_TOKEN' } })
  t.match((await ask('account', person)).body, { isEmailConfirmed: true, newEmail: null })
  await aPerson(service, shop, 'mail-taken')
  const taken = await ask('account/email', person, { email: 'MAIL-taken@example.com', password })
  t.match(taken, { status: 409, body: { code: 'ACCOUNT_EXISTS' } })
  const bad = await ask('account/email', person, { email: 'nowhere', password })
  t.match(bad, { status: 400, body: { error: /'email'/ } })
  const newEmail = 'mail-new@example.com'
  const asked = await ask('account/email', person, { email: newEmail, password })
  t.match(asked, { status: 200, body: { state: 'mailed' } })
  t.match((await mailbox.take(email, /asked for/)).text, newEmail, 'the old address hears of it')
  t.match((await ask('account', person)).body, { email, newEmail })
  t.equal((await login(email)).status, 200, 'nothing has changed yet')
  t.match(await confirm(tokenIn(await mailbox.take(newEmail, /confirm/))), { status: 200 })
  t.match((await mailbox.take(email, /new email/)).text, newEmail)
  t.match((await ask('account', person)).body, { email: newEmail, isEmailConfirmed: true })
  t.equal((await login(email)).status, 401)
  t.equal((await login(newEmail)).status, 200)
})

t.test('an unlinked app reads and debits no more, and may give its debits back', async (t) => {
  const { user, person, backend } = await aPerson(service, shop, 'unlinks')
  const other = await service.makeApp({ name: 'Print House' })
  await service.links.add(other.clientId, user.serviceUserId)
  await service.book('credit', other, user, { amount: 10 })
  const debit = { amount: 4, referenceType: 'ORDER', referenceId: 'O-1' }
  await service.book('debit', other, user, debit)
  await ask('account/unlink', person, { clientId: other.clientId })
  t.match(await service.book('debit', other, user), { status: 404 }, 'no debit')
  t.match(await service.book('credit', other, user), { status: 404 }, 'no gift')
  t.match(await service.createSession(other, user), { status: 401 }, 'no session')
  const refundOf = { referenceType: 'ORDER', referenceId: 'O-1' }
  const refund = { amount: 4, refundOf }
  t.match(await service.book('credit', other, user, refund), { status: 200, body: { balance: 10 } })
  const more = await service.book('credit', other, user, { amount: 1, refundOf })
  t.match(more, { status: 400, body: { code: 'REFUND_EXCEEDS_DEBIT' } })
  const never = await service.makeApp({ name: 'Never linked' })
  t.match(await service.book('credit', never, user, refund), { status: 404 })
  t.match((await ask('account', person)).body['apps'], [
    { name: 'Corner Shop', isLinked: true },
    { name: 'Print House', isLinked: false },
  ])
  await ask('account/unlink', person, { clientId: shop.clientId })
  t.equal((await ask('account', person)).status, 401, 'the page of that app is left too')
  t.equal((await service.wallet(backend)).status, 401)
})

t.test('an export holds the person and every event', async (t) => {
  const { user, person, email } = await aPerson(service, shop, 'export')
  await service.book('credit', shop, user, { amount: 3, description: 'A gift' })
  await service.book('debit', shop, user, { amount: 9 })
  const { body } = await ask('account/export', person)
  t.match(body, {
    format: 'wallet-account-export-v1',
    serviceUserId: user.serviceUserId,
    account: { email, firstName: 'Ada' },
    events: [
      { event: 'WalletOpened' },
      { event: 'WalletCredited', change: 3, balance: 3, description: 'A gift' },
      { event: 'DebitDeclined', change: 0, balance: 3 },
    ],
  })
})

t.test('only an empty wallet is closed, and a login opens it again', async (t) => {
  const { user, person, email } = await aPerson(service, shop, 'closes')
  await service.book('credit', shop, user, { amount: 3 })
  const full = await ask('account/close', person, { password })
  t.match(full, {
    status: 409,
    body: { code: 'WALLET_NOT_EMPTY', balance: 3, pendingTopUps: 0, openReturns: 0, refundable: 0 },
  })
  const debit = { amount: 3, referenceType: 'ORDER', referenceId: 'last' }
  await service.book('debit', shop, user, debit)
  const wrong = await ask('account/close', person, { password: newPassword })
  t.match(wrong, { status: 403, body: { code: 'WRONG_PASSWORD' } })
  t.equal((await ask('account', person)).status, 200, 'nothing has happened')
  const closed = await ask('account/close', person, { password })
  const erasedAt = new Date(clock.now() + closedAccountMs).toISOString()
  t.match(closed, { status: 200, body: { erasedAt } })
  t.match((await mailbox.take(email, /closed/)).text, erasedAt.slice(0, 4))
  t.equal((await ask('account', person)).status, 401)
  t.match(await service.book('credit', shop, user), { status: 404 }, 'apps know nobody')
  const again = await login(email)
  t.match(again, { status: 200, body: { isReopened: true, serviceUserId: user.serviceUserId } })
  t.ok(await mailbox.take(email, /open again/))
  t.notOk('isReopened' in (await login(email)).body, 'once')
})

t.test('after 30 days a closed account is erased, but never with money in it', async (t) => {
  const { user, person, email } = await aPerson(service, shop, 'erased')
  const { serviceUserId } = user
  await service.book('credit', shop, user, { amount: 3 })
  const debit = { amount: 3, referenceType: 'ORDER', referenceId: 'last' }
  await service.book('debit', shop, user, debit)
  await ask('account/close', person, { password })
  const told: string[] = []
  const sweeper = service.account.closedAccounts.erasing({
    isEmpty: async (walletId) =>
      (await findObstacles({ reader: service.ledger.reader }, walletId)) === undefined,
    erase: (id) => service.users.erase(id),
    onPutOff: async (id) => void told.push(id),
  })
  await clock.advance(closedAccountMs - 1)
  t.equal(await sweeper.sweep(), 0, 'not a moment before')
  const refund = { amount: 3, refundOf: { referenceType: 'ORDER', referenceId: 'last' } }
  t.match(await service.book('credit', shop, user, refund), { status: 200 }, 'money comes back')
  await clock.advance(1)
  t.equal(await sweeper.sweep(), 0)
  t.same(told, [serviceUserId], 'the person is told once')
  await clock.advance(erasurePutOffMs)
  await sweeper.sweep()
  t.same(told, [serviceUserId])
  t.match(await login(email), { status: 200, body: { isReopened: true } }, 'it is theirs')
  const session = String((await login(email)).body['sessionToken'])
  await service.book('debit', shop, user, { amount: 3 })
  await ask('account/close', session, { password })
  await clock.advance(closedAccountMs)
  t.equal((await login(email)).status, 401, 'its time is over, whoever comes first')
  t.equal(await sweeper.sweep(), 1)
  t.match(await service.users.find(serviceUserId), { isErased: true, email: undefined })
  t.equal((await login(email)).status, 401)
})
