/**
 * Section 2 of the contract: the client app, the wallet, the ledger reference, as a client backend
 * meets them.
 */
import { randomUUID } from 'node:crypto'
import { entryIdOf } from '../../src/domain/ids.js'
import { reference } from '../../src/domain/reference.js'
import { onEveryDeployment, testInside } from './support/deployment.js'
import { body, changesReachAllMs, freshReference, isReplay, until } from './support/wallet-api.js'

onEveryDeployment(0, (t, on) => {
  t.test('2 client app: registered and active credentials are accepted', async (t) => {
    const account = await on.account()
    t.equal((await account.wallet()).status, 200)
    t.equal((await account.as(on.second).wallet()).status, 200)
  })

  testInside(
    t,
    on,
    '2 client app: an inactive one is refused until it is active again',
    async (t, control) => {
      const app = await control.createApp(['wallet:read', 'wallet:write'])
      const account = (await on.account()).as(app)
      await control.links.add(app.clientId, account.serviceUserId)
      t.equal((await account.credit(5)).status, 200)
      await control.clientApps.setActive(app.clientId, false)
      await until(changesReachAllMs, async () => (await account.wallet()).status === 401)
      for (const answer of [await account.wallet(), await account.debit(1)]) {
        t.equal(answer.status, 401)
        t.match(answer.body, { code: 'INVALID_CLIENT' })
      }
      await control.clientApps.setActive(app.clientId, true)
      await until(changesReachAllMs, async () => (await account.debit(1)).status === 200)
      t.equal(await account.balance(), 4)
    },
  )

  t.test('2 wallet: balance, transactions and isActive, and nothing else', async (t) => {
    const account = await on.account(12.5)
    const { body } = await account.wallet({ limit: 1 })
    delete body['nextCursor']
    t.same(Object.keys(body).sort(), ['balance', 'isActive', 'transactions'])
    t.equal(body['balance'], 12.5)
    t.equal(body['isActive'], true)
    t.ok(Array.isArray(body['transactions']))
  })

  testInside(t, on, '2 wallet: a new one is empty and active', async (t) => {
    const account = await on.account()
    t.same(await account.read(), { balance: 0, transactions: [], isActive: true })
    t.same((await account.checkBalance(0)).body, {
      balance: 0,
      requiredAmount: 0,
      hasSufficientBalance: true,
    })
  })

  testInside(
    t,
    on,
    '2 wallet: isActive tells a deactivated one, which can still be read',
    async (t, control) => {
      const account = await on.account(3)
      await control.setActive(account, false)
      t.match(await account.read(), { balance: 3, isActive: false })
      t.match((await account.checkBalance(3)).body, { hasSufficientBalance: true })
      await control.setActive(account, true)
      t.match(await account.read(), { balance: 3, isActive: true })
    },
  )

  t.test('2 wallet: transactions are what moved money, newest first', async (t) => {
    const account = await on.account()
    const paid = freshReference('SUBSCRIPTION_CHARGE')
    const filled = freshReference('CHARGEBACK_CREDIT')
    await account.credit(10, filled, { description: 'Ten to begin with\nand a second line' })
    await account.debit(99)
    await account.debit(2.5, paid)
    const { transactions, balance } = await account.read({ limit: 2 })
    t.equal(balance, 7.5)
    const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
    t.match(transactions, [
      { type: 'debit', amount: 2.5, balanceAfter: 7.5, ...paid, createdAt: instant },
      { type: 'credit', amount: 10, balanceAfter: 10, ...filled, createdAt: instant },
    ])
    t.equal(transactions[0]?.description, null)
    t.equal(transactions[1]?.description, 'Ten to begin with\nand a second line')
    t.same(Object.keys(transactions[0] ?? {}).sort(), [
      'amount',
      'balanceAfter',
      'createdAt',
      'description',
      'id',
      'referenceId',
      'referenceType',
      'type',
    ])
    t.not(transactions[0]?.id, transactions[1]?.id)
  })

  t.test('2 ledger reference: referenceType is a free label', async (t) => {
    const account = await on.account()
    const labels = [
      'ORDER_PAYMENT',
      'MARKETPLACE_ESCROW',
      'TOPUP',
      'BONUS',
      'x',
      'with spaces and (signs)',
      'Überweisung',
      '支払い',
      '🧾',
      "'; drop table users; --",
      'a/b?c=d&e=%00',
      'new\nline\ttab',
      '__proto__',
    ]
    for (const label of labels) {
      const reference = freshReference(label)
      t.equal((await account.credit(1, reference)).status, 200, label)
      t.match((await account.read({ limit: 1 })).transactions, [reference])
    }
    t.equal(await account.balance(), labels.length)
  })

  t.test('2 ledger reference: the pair is the key, not one half of it', async (t) => {
    const account = await on.account()
    const id = randomUUID()
    const pairs = [
      { referenceType: 'A', referenceId: id },
      { referenceType: 'B', referenceId: id },
      { referenceType: 'A', referenceId: `${id}-2` },
      // Joined without their lengths, these two would be one.
      { referenceType: 'ab', referenceId: `c${id}` },
      { referenceType: 'a', referenceId: `bc${id}` },
      { referenceType: 'a|b', referenceId: `c|${id}` },
      { referenceType: 'a', referenceId: `b|c|${id}` },
    ]
    for (const pair of pairs) t.notOk(isReplay(await account.credit(1, pair)))
    t.equal(await account.balance(), pairs.length)
    for (const pair of pairs) t.ok(isReplay(await account.credit(1, pair)))
    t.equal(await account.balance(), pairs.length)
  })

  t.test('2 ledger reference: it is compared byte for byte', async (t) => {
    const account = await on.account()
    const id = randomUUID()
    const ids = ['a', 'A', ' a', 'a ', 'a\n', 'caf\u00e9', 'cafe\u0301', '\ufb01', 'fi', '1', '01']
    for (const referenceId of ids.map((text) => `${id}${text}`))
      t.notOk(isReplay(await account.credit(1, { referenceType: 'BYTES', referenceId })))
    t.equal(await account.balance(), ids.length)
  })

  testInside(
    t,
    on,
    '2 ledger reference: labels of the service’s own flows collide with nothing',
    async (t, control) => {
      const account = await on.account()
      for (const label of ['BONUS', 'TOPUP']) {
        const pair = freshReference(label)
        await control.execute(account, (walletId) => {
          const own = reference(pair.referenceType, pair.referenceId)
          const entryId = entryIdOf({ issuer: 'service', walletId, reference: own })
          return {
            type: label === 'BONUS' ? 'GrantBonus' : 'TopUp',
            issuer: 'service',
            entryId,
            reference: own,
            amountMinor: 500,
          }
        })
        const answer = await account.credit(2, pair)
        t.equal(answer.status, 200)
        t.notOk(isReplay(answer), `${label} of the client app is its own`)
      }
      const { transactions, balance } = await account.read()
      t.equal(balance, 14)
      t.same(
        transactions.map(({ referenceType, amount }) => [referenceType, amount]),
        [
          ['TOPUP', 2],
          ['TOPUP', 5],
          ['BONUS', 2],
          ['BONUS', 5],
        ],
        'what the service did itself is shown to every app',
      )
    },
  )

  t.test('2 ledger reference: debit and credit share one space of keys', async (t) => {
    const account = await on.account(10)
    const pair = freshReference()
    const debited = await account.debit(4, pair)
    const credited = await account.credit(4, pair)
    t.same(body(credited), body(debited))
    t.ok(isReplay(credited))
    t.equal(await account.balance(), 6)
  })
})
