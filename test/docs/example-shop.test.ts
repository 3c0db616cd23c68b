/**
 * The example shop against our own service over HTTP: the linking flow, references, refunds, and
 * what it keeps to itself. Its behaviour without answers: example-shop-outages.test.ts.
 */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { ExampleShop } from '../support/example-shop.js'
import type { Shopper } from '../support/example-shop.js'
import { startOwnService } from '../spec/support/own-service.js'
import type { OwnService } from '../spec/support/own-service.js'
import { Account as WalletAccount, changesReachAllMs, until } from '../spec/support/wallet-api.js'

const service = await startOwnService(t, 'PostgreSQL')
const shop = await ExampleShop.prepare(t)
const app = service.first
await service.control.clientApps.update(app.clientId, {
  allowedOrigins: [shop.origin],
  allowedIframeParents: [shop.origin],
})
await shop.start({ url: service.api.baseUrl, ...app })

t.test('a link is stored for a proof that the service confirms, and works once', async (t) => {
  const shopper = await shop.shopper('link@example.com')
  const { linkProof, serviceUserId } = await signUp(service)
  const linked = await shopper.post('/api/wallet/link', { linkProof })
  t.same(linked.body, { email: 'link@example.com', isLinked: true }, 'and not which account')
  t.equal((await userOf('link@example.com'))['serviceUserId'], serviceUserId)
  const session = await shopper.post('/api/wallet/session')
  t.match(session.body, { sessionToken: /^ws_/, expiresAt: /Z$/ })

  const other = await shop.shopper('late@example.com')
  const again = await other.post('/api/wallet/link', { linkProof })
  t.equal(again.status, 400)
  t.equal(again.body['code'], 'INVALID_LINK_PROOF')
})

t.test('a forged proof, or a bare serviceUserId, links nothing', async (t) => {
  const shopper = await shop.shopper('forger@example.com')
  const { serviceUserId } = await signUp(service)
  for (const body of [{ linkProof: `lp_${'x'.repeat(43)}` }, { serviceUserId }, { linkProof: 7 }]) {
    const answer = await shopper.post('/api/wallet/link', body)
    t.equal(answer.status, 400)
    t.equal(answer.body['code'], 'INVALID_LINK_PROOF')
  }
  t.notOk('serviceUserId' in (await userOf('forger@example.com')))
})

t.test('a shopper without a wallet is told so by the shop itself', async (t) => {
  const shopper = await shop.shopper('unlinked@example.com')
  const orderId = await shopper.order('ink')
  const answers = [
    await shopper.pay(orderId),
    await shopper.get(`/api/orders/${orderId}/balance`),
    await shopper.post('/api/wallet/session'),
  ]
  for (const { status, body } of answers) {
    t.equal(status, 409)
    t.match(body, { error: /^Connect your wallet/, code: 'ACCOUNT_NOT_LINKED' })
  }
  t.same((await orderData(orderId)).payments, [], 'no reference was made')
})

t.test('an order is paid once, also by two clicks at the same time', async (t) => {
  const { shopper, serviceUserId } = await linkedShopper('once@example.com', 50)
  const orderId = await shopper.order('notebook')
  const [first, second] = await Promise.all([shopper.pay(orderId), shopper.pay(orderId)])
  const third = await shopper.pay(orderId)
  for (const { status, body } of [first, second, third]) {
    t.equal(status, 200)
    t.equal(body['status'], 'paid')
  }
  const { balance, transactions } = await walletOf(serviceUserId)
  t.equal(balance, 37.1)
  t.match(transactions[0], {
    type: 'debit',
    amount: 12.9,
    referenceType: 'ORDER_PAYMENT',
    referenceId: `${orderId}-1`,
    description: 'Dotted notebook',
  })
  t.equal(transactions.length, 2, 'the welcome gift and one debit')
})

t.test('a decline names the shortfall, and the next attempt has a new reference', async (t) => {
  const { shopper, serviceUserId } = await linkedShopper('short@example.com', 4.9)
  const orderId = await shopper.order('notebook')
  const declined = await shopper.pay(orderId)
  t.equal(declined.status, 402)
  t.match(declined.body, { code: 'INSUFFICIENT_BALANCE', shortfall: 8 })
  const balance = await shopper.get(`/api/orders/${orderId}/balance`)
  t.same(balance.body, { balance: 4.9, requiredAmount: 12.9, hasSufficientBalance: false })

  await give(serviceUserId, 8)
  t.equal((await shopper.pay(orderId)).body['status'], 'paid')
  const { payments } = await orderData(orderId)
  t.match(payments, [
    { referenceId: `${orderId}-1`, state: 'declined' },
    { referenceId: `${orderId}-2`, state: 'applied' },
  ])
  t.equal((await walletOf(serviceUserId)).balance, 0)
})

t.test('a refund goes once, to the wallet that paid, also after switching account', async (t) => {
  const { shopper, serviceUserId } = await linkedShopper('refund@example.com', 20)
  const orderId = await shopper.order('cards')
  t.equal((await shopper.refund(orderId)).body['code'], 'NOT_PAID')
  await shopper.pay(orderId)
  await shopper.post('/api/wallet/unlink')
  const next = await signUp(service)
  await shopper.post('/api/wallet/link', { linkProof: next.linkProof })

  const refunds = await Promise.all([shopper.refund(orderId), shopper.refund(orderId)])
  for (const { body } of [...refunds, await shopper.refund(orderId)])
    t.equal(body['status'], 'refunded')
  const { balance, transactions } = await walletOf(serviceUserId)
  t.equal(balance, 20)
  t.match(transactions[0], {
    type: 'credit',
    amount: 18,
    referenceType: 'ORDER_REFUND',
    referenceId: `${orderId}-refund-1`,
  })
  t.equal((await walletOf(next.serviceUserId)).balance, 0)
  const more = { amount: 0.01, referenceType: 'ORDER_REFUND', referenceId: randomUUID() }
  const refundOf = { referenceType: 'ORDER_PAYMENT', referenceId: `${orderId}-1` }
  const fields = { ...app, serviceUserId, ...more, refundOf }
  const tooMuch = await service.api.post('/api/server/wallet/credit', fields)
  t.equal(tooMuch.body['code'], 'REFUND_EXCEEDS_DEBIT', 'the refund named its debit')
})

t.test('unlinking removes the field; the wallet can then be linked again', async (t) => {
  const { shopper, account } = await linkedShopper('leaver@example.com', 5)
  t.same((await shopper.post('/api/wallet/unlink')).body['isLinked'], false)
  t.notOk('serviceUserId' in (await userOf('leaver@example.com')), 'removed, not null')
  t.equal((await shopper.post('/api/wallet/session')).body['code'], 'ACCOUNT_NOT_LINKED')
  await shopper.post('/api/wallet/link', { linkProof: (await logIn(service, account)).linkProof })
  t.equal((await userOf('leaver@example.com'))['serviceUserId'], account.serviceUserId)
})

t.test('two shoppers may share one wallet, and each sees only their own orders', async (t) => {
  const account = await signUp(service)
  const one = await shop.shopper('one@example.com')
  await one.post('/api/wallet/link', { linkProof: account.linkProof })
  const two = await shop.shopper('two@example.com')
  const { linkProof } = await logIn(service, account)
  await two.post('/api/wallet/link', { linkProof })
  await give(account.serviceUserId, 30)
  const orders = [await one.order('ink'), await two.order('ink')] as const
  t.equal((await one.pay(orders[0])).status, 200)
  t.equal((await two.pay(orders[1])).status, 200)
  t.equal((await walletOf(account.serviceUserId)).balance, 10.2)
  t.equal((await two.pay(orders[0])).status, 404)
  t.equal((await two.refund(orders[0])).status, 404)
})

t.test('a wallet account that has left the shop asks for its login again', async (t) => {
  const { shopper, serviceUserId } = await linkedShopper('gone@example.com', 50)
  const orderId = await shopper.order('ink')
  await service.control.links.remove(app.clientId, serviceUserId)
  const gone = { code: 'USER_NOT_FOUND', requiresAuth: true }
  const account = new WalletAccount(service.api, app, serviceUserId)
  await until(changesReachAllMs, async () => (await account.wallet()).status === 401)
  t.match((await shopper.pay(orderId)).body, gone)
  t.match((await shopper.post('/api/wallet/session')).body, gone)
  t.match((await orderData(orderId)).payments, [{ state: 'refused' }], 'nothing to repeat')
})

t.test('only pages of the shop may change something, and only for who is logged in', async (t) => {
  const { shopper } = await linkedShopper('victim@example.com', 50)
  const orderId = await shopper.order('ink')
  const path = `/api/orders/${orderId}/pay`
  for (const origin of ['http://localhost:1', 'https://evil.example', 'null']) {
    const forged = await shopper.post(path, {}, { origin })
    t.equal(forged.body['code'], 'WRONG_ORIGIN')
  }
  const form = { 'content-type': 'text/plain' }
  t.equal((await shopper.post(path, {}, form)).status, 415)
  t.match((await orderData(orderId)).payments, [])
  const login = await shopper.post('/api/login', {
    email: 'victim@example.com',
    password: 'a long password',
  })
  t.match(login.headers.get('set-cookie'), /^shop_session=[\w-]{43}; HttpOnly; SameSite=Lax;/)
  await shopper.post('/api/logout')
  t.equal((await shopper.pay(orderId)).body['code'], 'LOGIN_REQUIRED')
})

t.test('the shop has one name: by another one a page leads there, a call is refused', async (t) => {
  const other = shop.origin.replace('localhost', '127.0.0.1')
  const page = await fetch(`${other}/wallet?x=1`, { redirect: 'manual' })
  t.equal(page.status, 307)
  t.equal(page.headers.get('location'), shop.origin)
  t.equal((await fetch(`${other}/api/me`)).status, 421)
})

t.test('a restart keeps people, links and orders', async (t) => {
  const { shopper } = await linkedShopper('stayer@example.com', 50)
  const orderId = await shopper.order('ink')
  await shop.stop()
  await shop.start({ url: service.api.baseUrl, ...app })
  const login = { email: 'stayer@example.com', password: 'a long password' }
  t.equal((await shopper.post('/api/login', { ...login, password: 'wrong' })).status, 401)
  t.same((await shopper.post('/api/login', login)).body['isLinked'], true)
  t.equal((await shopper.pay(orderId)).body['status'], 'paid')
})

t.test('no page, no answer and no line of its log holds a secret or a user id', async (t) => {
  const { shopper, serviceUserId } = await linkedShopper('secret@example.com', 50)
  const orderId = await shopper.order('ink')
  const answers = [
    await shopper.pay(orderId),
    await shopper.get('/api/orders'),
    await shopper.get('/api/me'),
    await shopper.post('/api/wallet/session'),
  ]
  const pages = ['/', '/login', '/checkout', '/orders', '/wallet', '/wallet-by-hand', '/shop.js']
  const texts = await Promise.all(
    pages.map(async (path) => {
      const page = await fetch(shop.origin + path)
      t.equal(page.status, 200, path)
      return page.text()
    }),
  )
  const everything = [...texts, ...answers.map(({ body }) => JSON.stringify(body)), shop.output]
  for (const text of everything) {
    t.notMatch(text, serviceUserId)
    t.notMatch(text, app.clientSecret)
    t.notMatch(text, /usr_|sk_/)
  }
})

t.test('every page has the same header once, and no mark is left in it', async (t) => {
  const header = /<header class="top">.*Products.*Orders.*Wallet.*id="account".*<\/header>/s
  for (const path of ['/', '/login', '/checkout', '/orders', '/wallet', '/wallet-by-hand']) {
    const text = await (await fetch(shop.origin + path)).text()
    t.match(text, header, path)
    t.equal(text.split('<header').length, 2, path)
    t.match(text, `data-wallet-url="${service.api.baseUrl}"`, path)
    t.notMatch(text, /{{|}}/, path)
  }
  t.equal((await fetch(`${shop.origin}/header`)).status, 404, 'it is a part, not a page')
})

t.test('the log of the service holds no secret either', async (t) => {
  await service.control.requireCleanLog(t)
})

interface Account {
  readonly email: string
  readonly serviceUserId: string
  readonly linkProof: string
}

/** What the widget does when a person signs up in its frame. */
async function signUp({ api, control }: OwnService): Promise<Account> {
  const email = `${randomUUID()}@example.com`
  const person = { firstName: 'Ada', lastName: 'Byron', email, password: walletPassword }
  const { clientId } = app
  const { body, status } = await api.post('/api/widget/auth/signup', { clientId, ...person })
  if (status !== 200) throw new Error(JSON.stringify(body))
  const account = body as unknown as Account
  control.mustStaySecret(account.serviceUserId, account.linkProof)
  return { ...account, email }
}

const walletPassword = 'correct horse battery staple'

async function logIn({ api }: OwnService, { email }: Account): Promise<{ linkProof: string }> {
  const { clientId } = app
  const login = { clientId, email, password: walletPassword }
  const { body } = await api.post('/api/widget/auth/login', login)
  return body as { linkProof: string }
}

async function linkedShopper(
  email: string,
  balance: number,
): Promise<{ shopper: Shopper; account: Account; serviceUserId: string }> {
  const shopper = await shop.shopper(email)
  const account = await signUp(service)
  const { linkProof, serviceUserId } = account
  await shopper.post('/api/wallet/link', { linkProof })
  await give(serviceUserId, balance)
  return { shopper, account, serviceUserId }
}

async function give(serviceUserId: string, amount: number): Promise<void> {
  const reference = { referenceType: 'WELCOME', referenceId: randomUUID() }
  await service.api.post('/api/server/wallet/credit', {
    ...app,
    serviceUserId,
    amount,
    ...reference,
  })
}

interface WalletView {
  readonly balance: number
  readonly transactions: readonly Record<string, unknown>[]
}

async function walletOf(serviceUserId: string): Promise<WalletView> {
  const { body } = await service.api.get('/api/server/wallet', { ...app, serviceUserId })
  return body as unknown as WalletView
}

async function userOf(email: string): Promise<Record<string, unknown>> {
  return (await shop.data()).users.find((user) => user['email'] === email) ?? {}
}

async function orderData(orderId: string) {
  const order = (await shop.data()).orders.find(({ id }) => id === orderId)
  if (order === undefined) throw new Error('no such order')
  return order
}
