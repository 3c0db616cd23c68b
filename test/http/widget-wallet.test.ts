/** The wallet as the widget reads it: what it holds, what it shows of other apps, and to whom. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { deactivate, reactivate, service as serviceCommand } from '../support/given.js'
import { WidgetService } from '../support/widget-service.js'
import type { WidgetAnswer } from '../support/widget-service.js'

interface Shown {
  readonly referenceType: string | null
  readonly referenceId: string | null
  readonly description: string | null
  readonly appName: string | null
  readonly amount: number
  readonly balanceAfter: number
}

function shown({ body }: WidgetAnswer): Shown[] {
  return body['transactions'] as Shown[]
}

t.test('a wallet that nothing has happened to is empty and active', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  const answer = await service.wallet(sessionToken)
  t.equal(answer.status, 200)
  t.same(answer.body, {
    balance: 0,
    transactions: [],
    otherAppEntries: [],
    pendingTopUps: [],
    isActive: true,
    inactiveReason: null,
    user: { firstName: 'Ada', lastName: 'Byron' },
    expiresAt: (await service.widgetSessions.find(sessionToken))?.expiresAt,
    currency: 'usd',
    revision: -1,
  })
  t.equal(answer.headers.get('cache-control'), 'no-store')
})

t.test('the last ten entries, newest first, a moment after they were booked', async (t) => {
  const service = await WidgetService.open(t)
  const { app, user, sessionToken } = await service.makeSession()
  for (let amount = 1; amount <= 12; amount += 1)
    await service.book('credit', app, user, { amount })
  await service.book('debit', app, user, { amount: 1_000 })
  const { body, ...answer } = await service.wallet(sessionToken)
  t.equal(body['balance'], 78)
  t.equal(body['revision'], 13, 'opened, twelve credits, and a debit that was declined')
  const transactions = shown({ ...answer, body })
  t.same(
    transactions.map(({ amount }) => amount),
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
    'what was declined is no entry of the wallet',
  )
  t.match(transactions[0], { id: String, type: 'credit', balanceAfter: 78, createdAt: /Z$/ })
})

t.test('what is held is said beside the balance, and a hold is no entry', async (t) => {
  const service = await WidgetService.open(t)
  const { app, user, sessionToken } = await service.makeSession()
  await service.book('credit', app, user, { amount: 10 })
  const pair = { referenceType: 'BOOKING', referenceId: 'b-1' }
  const fields = { ...app, serviceUserId: user.serviceUserId, ...pair, amount: 4 }
  t.equal((await service.post('/api/server/wallet/hold', fields)).status, 200)
  const answer = await service.wallet(sessionToken)
  t.match(answer.body, { balance: 10, available: 6, held: 4 })
  t.equal(shown(answer).length, 1, 'the credit')
})

t.test('a session of a backend hides what other apps did; one of a login shows it', async (t) => {
  const service = await WidgetService.open(t)
  const shop = await service.makeApp({ name: 'Shop Ltd', brandName: 'The Shop' })
  const market = await service.makeApp({ name: 'Market' })
  const account = { email: `${randomUUID()}@example.com`, password: 'a long enough password' }
  const user = await service.makePerson([shop, market], account)
  await service.book('credit', market, user, { amount: 5, description: 'a market thing' })
  await service.book('credit', shop, user, { amount: 7, description: 'a shop thing' })
  await service.ledger.send(user.walletId, serviceCommand('GrantBonus', 100, 'B-1', user.walletId))

  const { sessionToken } = (await service.createSession(shop, user)).body
  const ofBackend = await service.wallet(String(sessionToken))
  t.match(shown(ofBackend), [
    { amount: 1, referenceType: String, appName: null },
    { amount: 7, referenceType: 'TEST', description: 'a shop thing', appName: 'The Shop' },
    {
      amount: 5,
      balanceAfter: 5,
      referenceType: null,
      referenceId: null,
      description: null,
      appName: null,
    },
  ])
  t.notMatch(ofBackend.text, /market/i)

  const { clientId } = shop
  const login = await service.post('/api/widget/auth/login', { ...account, clientId })
  const ofPerson = await service.wallet(String(login.body['sessionToken']))
  t.match(shown(ofPerson), [
    { appName: null },
    { description: 'a shop thing', appName: 'The Shop' },
    { description: 'a market thing', referenceType: 'TEST', appName: 'Market' },
  ])
})

t.test('an inactive wallet says so and why, and can still be read', async (t) => {
  const service = await WidgetService.open(t)
  const { app, user, sessionToken } = await service.makeSession()
  await service.book('credit', app, user, { amount: 3 })
  await service.ledger.send(user.walletId, deactivate)
  const { body } = await service.wallet(sessionToken)
  t.match(body, { balance: 3, isActive: false, inactiveReason: 'fraud' })
  await service.ledger.send(user.walletId, reactivate)
  const again = await service.wallet(sessionToken)
  t.match(again.body, { isActive: true, inactiveReason: null })
})

t.test('somebody without a name has empty ones', async (t) => {
  const service = await WidgetService.open(t)
  const app = await service.makeApp()
  const [user] = await service.users.createMany(1, app.clientId)
  if (user === undefined) throw new Error('no user was made')
  const { sessionToken } = (await service.createSession(app, user)).body
  const { body } = await service.wallet(String(sessionToken))
  t.same(body['user'], { firstName: '', lastName: '' })
})

t.test('whatever is wrong with a token, the answer is the same', async (t) => {
  const service = await WidgetService.open(t)
  const { sessionToken } = await service.makeSession()
  const texts = new Set<string>()
  for (const query of [
    '',
    '?session=',
    '?session=ws_',
    '?session=ws_00000000-0000-4000-8000-000000000000',
    `?session=${sessionToken.toUpperCase()}`,
    `?session=${sessionToken}x`,
    `?session=%00${sessionToken}`,
    `?session=${sessionToken}&session=${sessionToken}`,
    `?session[]=${sessionToken}`,
    `?Session=${sessionToken}`,
    `?session=${'x'.repeat(4_000)}`,
  ])
    for (const path of ['/api/widget/wallet', '/api/widget/wallet/events']) {
      const answer = await service.get(path + query)
      t.match(answer, { status: 401, body: { code: 'SESSION_EXPIRED' } }, path + query)
      texts.add(answer.text)
    }
  t.equal(texts.size, 1)
  const headers = { authorization: `Bearer ${sessionToken}`, cookie: `session=${sessionToken}` }
  t.equal((await service.get('/api/widget/wallet', headers)).status, 401, 'no header is used')
})

t.test('the log knows the route, and neither token nor user', async (t) => {
  const service = await WidgetService.open(t)
  const { user, sessionToken } = await service.makeSession()
  await service.wallet(sessionToken)
  await service.get(`/widget/wallet?session=${sessionToken}`)
  await service.captured.line(({ route }) => route === '/widget/wallet')
  t.match(await service.captured.line(({ route }) => route === '/api/widget/wallet'), {
    status: 200,
  })
  t.notOk(service.captured.text.includes(sessionToken))
  t.notOk(service.captured.text.includes(user.serviceUserId))
})
