/**
 * Top-ups over HTTP: what the browser may ask for and what it cannot change, the limits, and what
 * it is told when the wallet, the processor or the session is not as it was.
 */
import t from 'tap'
import { entryIdOf } from '../../src/domain/ids.js'
import { reference } from '../../src/domain/reference.js'
import { intentCheckMs, intentTriesPerWallet, intentWindowMs } from '../../src/top-ups/limits.js'
import { intentEvent, success, TestTopUps } from '../support/top-ups.js'

t.test('a top-up from the form to the balance', async (t) => {
  const made = await TestTopUps.open(t)
  const http = await made.serve(t)
  const user = await made.makeUser()
  const session = await http.session(user)
  const created = await http.createIntent(session, 25.5)
  t.equal(created.status, 200)
  t.match(created.body, {
    paymentIntentId: /^pi_/,
    paymentSecret: /^pi_\w+_secret_\w+$/,
    publishableKey: 'pk_test_sandbox',
    amount: 25.5,
    currency: 'usd',
  })
  const { paymentIntentId, paymentSecret } = created.body
  const waiting = await http.confirm(session, paymentIntentId)
  t.same(waiting, {
    status: 200,
    body: { paymentIntentId, status: 'requires_payment', amount: 25.5, balance: 0 },
  })
  const key = { paymentIntentId, paymentSecret }
  const refused = { ...success, cardNumber: '4000000000000002', ...key }
  t.same(await http.post('/api/sandbox/pay', refused), {
    status: 200,
    body: { status: 'declined', code: 'card_declined', message: 'Your card was declined.' },
  })
  t.match((await http.confirm(session, paymentIntentId)).body, {
    status: 'requires_payment',
    failure: 'Your card was declined.',
  })
  t.same((await http.post('/api/sandbox/pay', { ...success, ...key })).body, {
    status: 'succeeded',
  })
  for (let times = 0; times < 2; times += 1)
    t.same((await http.confirm(session, paymentIntentId)).body, {
      paymentIntentId,
      status: 'booked',
      amount: 25.5,
      balance: 25.5,
    })
})

t.test('confirm, webhook and sweeper race, a hundred times: one entry an intent', async (t) => {
  const made = await TestTopUps.open(t)
  const other = await made.another(t)
  const [http, httpThere] = [await made.serve(t), await other.serve(t)]
  const user = await made.makeUser()
  const session = await http.session(user)
  const expected: string[] = []
  const due =
    'update payments.top_up_intents set check_at = created_at where payment_intent_id = $1'
  for (let round = 0; round < 100; round += 1) {
    const paid = await made.paid(user)
    expected.push(`TOPUP ${paid}`)
    await made.ledger.pool.query(due, [paid])
    const [here, there] = round % 2 === 0 ? [http, httpThere] : [httpThere, http]
    const body = intentEvent(paid)
    const [confirmed, told] = await Promise.all([
      here.confirm(session, paid),
      there.send(body, made.signed(body)),
      other.sweeper.sweep(),
    ])
    if (confirmed.body['status'] !== 'booked' || told.status !== 200) t.fail(`round ${round}`)
  }
  const lines = await made.lines(user)
  t.same(
    lines.map(([, name]) => name),
    expected,
  )
  t.equal(await made.balance(user), 100 * 2_500)
})

t.test('another user’s intent is refused like an unknown one, and nothing is booked', async (t) => {
  const made = await TestTopUps.open(t)
  const http = await made.serve(t)
  const owner = await made.makeUser()
  const paid = await made.paid(owner)
  const session = await http.session(await made.makeUser())
  const foreign = await http.confirm(session, paid)
  t.equal(foreign.status, 404)
  t.equal(foreign.body['code'], 'TOPUP_NOT_FOUND')
  for (const unknown of ['pi_nobody', '', 'x'.repeat(5_000), 'pi_\u0000', 'pi_\ud800'])
    t.same(await http.confirm(session, unknown), foreign, JSON.stringify(unknown.slice(0, 20)))
  t.same(await made.lines(owner), [])
  for (const wrong of [undefined, 5, null, { id: paid }, [paid]])
    t.equal((await http.confirm(session, wrong)).body['code'], 'INVALID_REQUEST')
})

t.test('a tampered confirm changes nothing', async (t) => {
  const made = await TestTopUps.open(t)
  const http = await made.serve(t)
  const user = await made.makeUser()
  const session = await http.session(user)
  const lies = { amount: 9_999, status: 'succeeded', balance: 1, walletId: 'x', receivedMinor: 1 }
  const { paymentIntentId } = await made.order(user)
  t.match((await http.confirm(session, paymentIntentId, lies)).body, {
    status: 'requires_payment',
    amount: 25,
    balance: 0,
  })
  const paid = await made.paid(user)
  t.match((await http.confirm(session, paid, lies)).body, { status: 'booked', amount: 25 })
  t.equal(await made.balance(user), 2_500)
})

t.test('a session that is missing, wrong or over can neither begin nor confirm', async (t) => {
  const made = await TestTopUps.open(t)
  const http = await made.serve(t)
  const user = await made.makeUser()
  const paid = await made.paid(user)
  const live = await http.session(user)
  await made.clock.advance(5 * 60_000)
  for (const session of ['', '?session=', '?session=ws_x', live]) {
    for (const answer of [await http.createIntent(session, 5), await http.confirm(session, paid)])
      t.match(answer, { status: 401, body: { code: 'SESSION_EXPIRED' } })
  }
  t.same(await made.lines(user), [])
})

t.test('amounts outside the limits are refused with the limits', async (t) => {
  const made = await TestTopUps.open(t, { dayMaximumMinor: 150_000 })
  const http = await made.serve(t)
  const session = await http.session(await made.makeUser())
  for (const amount of [0.99, 1_000.01, 9_999_999_999])
    t.match(await http.createIntent(session, amount), {
      status: 400,
      body: { code: 'TOPUP_LIMIT', minimum: 1, maximum: 1_000 },
    })
  for (const amount of ['5', null, true, -5, 0, 1.001, undefined, [5]])
    t.match(await http.createIntent(session, amount), {
      status: 400,
      body: { code: 'INVALID_REQUEST', error: /amount/ },
    })
  t.equal((await http.createIntent(session, 1)).status, 200)
  t.equal((await http.createIntent(session, 1_000)).status, 200)
})

t.test('what was paid within 24 hours counts; a form that was left alone does not', async (t) => {
  const made = await TestTopUps.open(t, { dayMaximumMinor: 150_000 })
  const http = await made.serve(t)
  const user = await made.makeUser()
  const paid = await made.paid(user, 100_000)
  const left = await made.order(user, 50_000)
  const session = await http.session(user)
  const answer = await http.createIntent(session, 500)
  t.equal(answer.status, 200, 'the open form made room')
  t.equal(await made.status(left.paymentIntentId), 'cancelled')
  t.equal(await made.status(paid), 'paid', 'and what was paid is booked, not cancelled')
  await made.sandbox.pay(
    {
      paymentIntentId: String(answer.body['paymentIntentId']),
      paymentSecret: String(answer.body['paymentSecret']),
    },
    success,
  )
  t.match(await http.createIntent(session, 1), {
    status: 400,
    body: { code: 'TOPUP_LIMIT', minimum: 1, maximum: 1_000, dayLeft: 0 },
  })
  t.equal(await made.balance(user), 150_000)
  await made.clock.advance(24 * 60 * 60_000)
  t.equal((await http.createIntent(await http.session(user), 1_000)).status, 200)
})

t.test('however many ask at once, a day’s limit holds', async (t) => {
  const made = await TestTopUps.open(t, { dayMaximumMinor: 100_000 })
  const other = await made.another(t)
  const { walletId, serviceUserId } = await made.makeUser()
  const intent = { walletId, serviceUserId, clientId: made.clientId, currencyCode: 'usd' }
  const begun = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? made : other).intents.begin(
        { ...intent, amountMinor: 30_000 },
        made.config,
      ),
    ),
  )
  t.equal(begun.filter(({ kind }) => kind === 'begun').length, 3)
})

t.test('forms by the dozen are slowed down', async (t) => {
  const made = await TestTopUps.open(t, { dayMaximumMinor: 99_999_999 })
  const http = await made.serve(t)
  const user = await made.makeUser()
  let session = await http.session(user)
  for (let count = 0; count < intentTriesPerWallet; count += 1)
    t.equal((await http.createIntent(session, 1)).status, 200)
  t.match(await http.createIntent(session, 1), { status: 429, body: { code: 'TOO_MANY_TRIES' } })
  await made.clock.advance(intentWindowMs)
  session = await http.session(user)
  t.equal((await http.createIntent(session, 1)).status, 200)
})

t.test('an inactive wallet begins no top-up; one that was paid before is booked', async (t) => {
  const made = await TestTopUps.open(t)
  const http = await made.serve(t)
  const user = await made.makeUser()
  const session = await http.session(user)
  await made.paid(user)
  const reason = { type: 'Deactivate', issuer: 'service', reason: 'asked for' } as const
  await made.ledger.send(user.walletId, reason)
  t.match(await http.createIntent(session, 5), { status: 403, body: { code: 'WALLET_INACTIVE' } })
  t.equal(await http.deliver(), 1, 'the webhook is taken')
  t.equal(await made.balance(user), 2_500)
})

t.test('a wallet that could not hold it is told so before anybody pays', async (t) => {
  const made = await TestTopUps.open(t)
  const http = await made.serve(t)
  const user = await made.makeUser()
  const { walletId } = user
  const grant = { issuer: 'service', reference: reference('BONUS', '1') } as const
  const entryId = entryIdOf({ ...grant, walletId })
  const amountMinor = 999_999_999_999_900
  await made.ledger.send(walletId, { type: 'GrantBonus', entryId, ...grant, amountMinor })
  t.match(await http.createIntent(await http.session(user), 1), {
    status: 400,
    body: { code: 'BALANCE_LIMIT_EXCEEDED' },
  })
})

t.test('with the processor away: 503, and nothing is half done', async (t) => {
  const made = await TestTopUps.open(t, { dayMaximumMinor: 100_000 })
  const http = await made.serve(t)
  const user = await made.makeUser()
  const session = await http.session(user)
  const paid = await made.paid(user)
  await made.server.close()
  const unavailable = { status: 503, body: { code: 'TOPUP_UNAVAILABLE' } }
  t.match(await http.createIntent(session, 500), unavailable)
  t.match(await http.confirm(session, paid), unavailable)
  const body = intentEvent(paid)
  t.match(await http.send(body, made.signed(body)), unavailable, 'the webhook comes again')
  t.same(await made.lines(user), [])
  const { rows } = await made.ledger.pool.query(
    "select status from payments.top_up_intents where status <> 'open'",
  )
  t.same(rows, [{ status: 'cancelled' }], 'the row of the failed one counts no longer')
})

t.test('with payments off: 503, and no address for cards or webhooks', async (t) => {
  const made = await TestTopUps.open(t, { kind: 'off', publishableKey: null })
  const http = await made.serve(t, { isOff: true })
  const session = await http.session(await made.makeUser())
  for (const answer of [await http.createIntent(session, 5), await http.confirm(session, 'pi_1')])
    t.match(answer, { status: 503, body: { code: 'TOPUP_UNAVAILABLE', error: /switched off/ } })
  for (const path of ['/api/sandbox/pay', '/api/webhooks/stripe'])
    t.equal((await http.post(path, {})).status, 404)
})

t.test('the test card form: cards are listed, a cut connection takes nothing', async (t) => {
  const made = await TestTopUps.open(t)
  const http = await made.serve(t)
  const { cards } = (await (await fetch(`${http.origin}/api/sandbox/cards`)).json()) as {
    cards: { number: string }[]
  }
  t.equal(cards.length, 9)
  t.same(Object.keys(cards[0] ?? {}), ['number', 'label', 'description'])
  const user = await made.makeUser()
  const key = await made.order(user)
  const cut = http.post('/api/sandbox/pay', { ...success, cardNumber: '4000000000000119', ...key })
  await t.rejects(cut, { name: 'TypeError' })
  t.match(await made.topUps.settle(key.paymentIntentId), { status: 'requires_payment' })
  const secure = { ...success, cardNumber: '4000002500003155', ...key }
  t.same((await http.post('/api/sandbox/pay', secure)).body, { status: 'requires_action' })
  const approve = (approved: unknown) =>
    http.post('/api/sandbox/authenticate', { ...key, approved })
  t.match(await approve('yes'), { status: 400 })
  t.same((await approve(true)).body, { status: 'succeeded' })
  for (const paymentIntentId of ['pi_nobody', 'pi_\u0000'])
    t.match(await http.post('/api/sandbox/pay', { ...success, ...key, paymentIntentId }), {
      status: 404,
      body: { code: 'TOPUP_NOT_FOUND' },
    })
})

t.test('a payment that takes its time is booked by its webhook', async (t) => {
  const made = await TestTopUps.open(t)
  const http = await made.serve(t)
  const user = await made.makeUser()
  const session = await http.session(user)
  const key = await made.order(user)
  await http.post('/api/sandbox/pay', { ...success, cardNumber: '4000000000000077', ...key })
  t.match((await http.confirm(session, key.paymentIntentId)).body, { status: 'processing' })
  await made.clock.advance(intentCheckMs / 2)
  await http.deliver()
  t.equal(await made.balance(user), 2_500)
})
