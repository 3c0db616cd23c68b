/** Section 4 C of the contract: the wallet as the widget reads it; and the stream beside it. */
import { EventStream } from '../support/event-stream.js'
import { onEveryDeployment } from './support/deployment.js'
import { freshReference } from './support/wallet-api.js'
import type { Transaction } from './support/wallet-api.js'
import { newSession, widgetWallet } from './support/widget-api.js'

onEveryDeployment(10, (t, on) => {
  t.test('4C GET /api/widget/wallet: balance, transactions, isActive, user', async (t) => {
    const account = await on.account(12.5)
    const answer = await widgetWallet(on, await newSession(on, account))
    t.equal(answer.status, 200)
    t.equal(answer.body['balance'], 12.5)
    t.equal(answer.body['isActive'], true)
    const user = answer.body['user'] as Record<string, unknown>
    t.same(Object.keys(user).sort(), ['firstName', 'lastName'])
    for (const name of Object.values(user)) t.type(name, 'string')
    t.notOk(answer.text.includes(account.serviceUserId), '5 rule 6: the browser does not need it')
    t.match(answer.body, { expiresAt: /Z$/, currency: String, revision: Number })
  })

  t.test('4C transactions: the last ten, newest first, as the server API has them', async (t) => {
    const account = await on.account(1)
    for (let count = 0; count < 11; count += 1)
      await account.credit(1, freshReference('REFILL'), { description: `number ${count}` })
    const answer = await widgetWallet(on, await newSession(on, account))
    const shown = answer.body['transactions'] as (Transaction & { appName: string | null })[]
    t.equal(shown.length, 10)
    const { transactions } = await account.read({ limit: 10 })
    t.same(
      shown.map(({ appName: _appName, ...record }) => record),
      transactions,
    )
    for (const { appName } of shown) t.type(appName, 'string')
  })

  t.test('4C a session of a backend shows of other apps what the server API shows', async (t) => {
    const account = await on.account(1)
    const other = account.as(on.second)
    await other.credit(3, freshReference('SECRET_LABEL'), { description: 'a private thing' })
    const answer = await widgetWallet(on, await newSession(on, account))
    const [newest] = answer.body['transactions'] as Transaction[]
    t.match(newest, { amount: 3, type: 'credit', balanceAfter: 4, referenceType: null })
    t.match(newest, { referenceId: null, description: null, appName: null })
    t.notMatch(answer.text, /SECRET_LABEL|private/)
  })

  t.test('4C a read after an acknowledged write sees it, every time', async (t) => {
    const account = await on.account(0)
    const session = await newSession(on, account)
    let revision = Number((await widgetWallet(on, session)).body['revision'])
    for (let count = 1; count <= 10; count += 1) {
      await account.credit(1)
      const { body } = await widgetWallet(on, session)
      t.equal(body['balance'], count)
      t.ok(Number(body['revision']) > revision)
      revision = Number(body['revision'])
    }
  })

  t.test('4C extension: the stream tells of a change within seconds', async (t) => {
    const account = await on.account(1)
    const session = await newSession(on, account)
    const url = `${on.api.baseUrl}/api/widget/wallet/events?session=${session}`
    const stream = await EventStream.open(t, url)
    t.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    const first = (await stream.event())?.data as { revision: number }
    const { body } = await widgetWallet(on, session)
    t.equal(first.revision, body['revision'])
    await account.as(on.second).credit(1)
    const grown = (await stream.event())?.data as { revision: number }
    t.ok(grown.revision > first.revision, 'also of what another app booked')
    stream.leave()
  })

  t.test('4C a session reaches one wallet, whatever else the query says', async (t) => {
    const [account, other] = [await on.account(1), await on.account(2)]
    const session = await newSession(on, account)
    const { serviceUserId, identity } = other
    const query = { session, serviceUserId, ...identity }
    t.equal((await on.api.get('/api/widget/wallet', query)).body['balance'], 1)
  })
})
