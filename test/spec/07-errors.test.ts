/**
 * Section 7 of the contract: status, code and fields of every refusal a client backend can meet,
 * all of them JSON, and nothing of the inside in any of them.
 */
import type { Test } from 'tap'
import { onEveryDeployment, testInside } from './support/deployment.js'
import { ask, routes, walletRoutes } from './support/routes.js'
import { essence, freshReference, isReplay, nobody } from './support/wallet-api.js'
import type { Answer } from './support/wallet-api.js'

onEveryDeployment(3, (t, on) => {
  t.test('7 bad client credentials: 401 INVALID_CLIENT', async (t) => {
    const account = await on.account()
    for (const route of routes) {
      const answer = await ask(route, account, { clientSecret: 'wrong' })
      t.match(answer, { status: 401, body: { code: 'INVALID_CLIENT' } }, route.name)
    }
  })

  t.test('7 unknown user: 401 on reads, 404 on debit and credit, requiresAuth', async (t) => {
    const account = (await on.account()).of(nobody)
    for (const route of walletRoutes) {
      const { status, body } = await ask(route, account)
      t.equal(status, route.unknownUserStatus, route.name)
      t.same(
        { ...body, error: '' },
        { error: '', code: 'USER_NOT_FOUND', requiresAuth: true },
        route.name,
      )
    }
  })

  t.test('7 insufficient balance: 400 INSUFFICIENT_BALANCE', async (t) => {
    const account = await on.account(7.25)
    const answer = await account.debit(10)
    t.equal(answer.status, 400)
    t.match(answer.body, { code: 'INSUFFICIENT_BALANCE' })
    t.notOk('requiresAuth' in answer.body)
    t.equal(await account.balance(), 7.25)
    const { transactions } = await account.read({ limit: 1 })
    t.not(transactions[0]?.amount, 10, 'a decline is no transaction')
  })

  testInside(
    t,
    on,
    '7 wallet inactive: 403 WALLET_INACTIVE on debit and credit, an outcome for ever',
    async (t, control) => {
      const account = await on.account(5)
      const before = freshReference()
      const applied = await account.debit(1, before)
      await control.setActive(account, false)
      const pairs = { debit: freshReference(), credit: freshReference() }
      const declined = {
        debit: await account.debit(1, pairs.debit),
        credit: await account.credit(1, pairs.credit),
      }
      for (const answer of Object.values(declined))
        t.match(answer, { status: 403, body: { code: 'WALLET_INACTIVE' } })
      t.same(essence(await account.debit(1, before)), essence(applied), 'replays come first')
      t.match((await account.debit(99)).body, { code: 'WALLET_INACTIVE' }, 'before the balance')
      await control.setActive(account, true)
      t.same(essence(await account.debit(1, pairs.debit)), essence(declined.debit))
      t.same(essence(await account.credit(1, pairs.credit)), essence(declined.credit))
      t.ok(isReplay(await account.credit(1, pairs.credit)))
      t.equal(await account.balance(), 4)
      t.equal((await account.debit(1)).status, 200)
    },
  )

  t.test('7 validation: a 400 INVALID_REQUEST that names the field', async (t) => {
    const account = await on.account(10)
    const wrongs: Record<string, readonly unknown[]> = {
      serviceUserId: [undefined, null, 7, true, [], {}],
      amount: [undefined, null, '5', '', true, [], [5], {}, 0, -1, -0.01, 0.001, 1.005],
      referenceType: [undefined, null, '', 7, true, [], {}],
      referenceId: [undefined, null, '', 7, true, [], {}],
      description: [null, 7, true, [], {}],
    }
    for (const verb of ['debit', 'credit'] as const)
      for (const [field, values] of Object.entries(wrongs))
        for (const value of values) {
          const right = { amount: 1, ...freshReference() }
          namesField(t, await account.command(verb, { ...right, [field]: value }), field)
        }
    for (const field of ['serviceUserId', 'referenceType', 'referenceId'])
      for (const value of wrongs[field] ?? [])
        namesField(
          t,
          await account.command('outcome/void', { ...freshReference(), [field]: value }),
          field,
        )
    for (const raw of ['1e400', '-1e400', '1e-400', 'NaN', '0x10', '1.', '.5', '01', '+1']) {
      const { clientId, clientSecret, serviceUserId } = account.identity
      const rest = JSON.stringify({ clientId, clientSecret, serviceUserId, ...freshReference() })
      const text = `{"amount":${raw},${rest.slice(1)}`
      const answer = await on.api.postRaw('/api/server/wallet/debit', text)
      t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST' } }, raw)
    }
    t.equal(await account.balance(), 10)
  })

  t.test('7 validation: a query is read strictly and its field is named', async (t) => {
    const account = await on.account(10)
    const wrongs = ['1e3', '+5', ' 5', '5 ', '0x10', '1,5', '1_000', '-1', 'NaN', 'Infinity', '']
    for (const value of [
      ...wrongs,
      'five',
      '5.001',
      '5.000000000000001',
      '.5',
      '5.',
      'true',
      'null',
      '٥',
    ])
      namesField(t, await account.checkBalance(value), 'requiredAmount')
    namesField(t, await account.checkBalance(undefined), 'requiredAmount')
    for (const path of ['wallet', 'wallet/check-balance', 'wallet/outcome']) {
      const query = { ...account.identity, requiredAmount: 1, ...freshReference() }
      const missing = { ...query, serviceUserId: undefined }
      namesField(t, await on.api.get(`/api/server/${path}`, missing), 'serviceUserId')
    }
    const twice = await on.api.send(
      'GET',
      `/api/server/wallet/check-balance?requiredAmount=1&requiredAmount=2&${queryOf(account)}`,
    )
    namesField(t, twice, 'requiredAmount')
  })

  t.test('7 an unknown address is a 404, a wrong method a 405', async (t) => {
    for (const path of ['/api/server', '/api/server/wallets', '/api/server/wallet/', '/api/x'])
      isRefusal(t, await on.api.get(path), { status: 404, code: 'NOT_FOUND' })
    isRefusal(t, await on.api.post('/api/server/nothing', {}), { status: 404, code: 'NOT_FOUND' })
    const wrongMethods = [
      ['POST', '/api/server/wallet', 'GET'],
      ['PUT', '/api/server/wallet/check-balance', 'GET'],
      ['GET', '/api/server/wallet/debit', 'POST'],
      ['DELETE', '/api/server/wallet/credit', 'POST'],
      ['GET', '/api/server/wallet/outcome/void', 'POST'],
    ] as const
    for (const [method, path, allowed] of wrongMethods) {
      const answer = await on.api.send(method, path)
      isRefusal(t, answer, { status: 405, code: 'METHOD_NOT_ALLOWED' })
      t.match(answer.headers.get('allow'), new RegExp(`\\b${allowed}\\b`))
    }
  })

  t.test('7 malformed, mistyped and oversized bodies get a proper answer', async (t) => {
    const account = await on.account(1)
    const path = '/api/server/wallet/debit'
    const right = JSON.stringify({ ...account.identity, amount: 1, ...freshReference() })
    for (const text of ['', '{', '{"amount":', right.slice(0, -1), `${right}x`, "{'a':1}"])
      isRefusal(t, await on.api.postRaw(path, text), { status: 400, code: 'INVALID_REQUEST' })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      isRefusal(t, await on.api.postRaw(path, right, { 'content-type': type }), {
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
      })
    const large = `${right.slice(0, -1)},"filler":"${'x'.repeat(64 * 1024)}"}`
    const tooLarge = { status: 413, code: 'PAYLOAD_TOO_LARGE' }
    isRefusal(t, await on.api.postRaw(path, large), tooLarge)
    t.equal(await account.balance(), 1, 'nothing of this was booked')
    t.equal((await on.api.postRaw(path, right)).body['balance'], 0)
  })

  t.test('7 nothing of the inside is in any refusal', async (t) => {
    const account = await on.account(1)
    const refusals = [
      await account.debit(9),
      await account.debit({}),
      await account.of(nobody).wallet(),
      await account.of("'; select 1 --").wallet(),
      await account.wallet({ cursor: 'x', limit: '9'.repeat(99) }),
      await account.as({ clientId: 'x', clientSecret: 'y' }).wallet(),
      await on.api.postRaw('/api/server/wallet/debit', '{"amount":'),
      await on.api.get('/api/server/nothing', { clientSecret: on.first.clientSecret }),
    ]
    for (const answer of refusals) {
      t.ok(answer.status >= 400 && answer.status < 500, `${answer.status}`)
      t.notMatch(answer.text, /\bat \/|\.ts\b|\.js:|node_modules|postgres|select |stack|FST_/i)
      t.notOk(answer.text.includes(on.first.clientSecret))
      t.notOk(answer.text.includes(account.serviceUserId))
    }
  })

  function namesField(t: Test, answer: Answer, field: string): void {
    isRefusal(t, answer, { status: 400, code: 'INVALID_REQUEST' })
    t.match(answer.body['error'], new RegExp(`'${field}'`), answer.text)
  }

  function isRefusal(t: Test, answer: Answer, expected: { status: number; code: string }): void {
    t.equal(answer.status, expected.status, answer.text)
    t.match(answer.headers.get('content-type'), /^application\/json/)
    t.equal(answer.body['code'], expected.code)
    t.type(answer.body['error'], 'string')
    t.notOk('requiresAuth' in answer.body)
  }

  function queryOf({ identity }: { identity: object }): string {
    return new URLSearchParams(identity as Record<string, string>).toString()
  }
})
