/**
 * Webhooks as the processor sends them, as a stranger would forge them, and as somebody would
 * replay them.
 */
import t from 'tap'
import { intentEvent, sign, TestTopUps } from '../support/top-ups.js'

t.test('the sandbox’s webhooks pass the real route and are gone when they are taken', async (t) => {
  const made = await TestTopUps.open(t)
  const http = await made.serve(t)
  const user = await made.makeUser()
  const paid = await made.paid(user)
  await made.sandbox.refund(paid, 500)
  t.equal(await made.webhooks.tick(`${http.origin}/nowhere`), 0, 'nobody takes them there')
  await made.clock.advance(10_000)
  t.equal(await http.deliver(), 3)
  t.equal(await http.deliver(), 0)
  t.equal(await made.balance(user), 2_000)
  t.notMatch(http.captured.text, /whsec_|_secret_|usr_[0-9a-f]|ws_[0-9a-f]/)
})

t.test('a forged, stale or early webhook is refused', async (t) => {
  const made = await TestTopUps.open(t)
  const http = await made.serve(t)
  const user = await made.makeUser()
  const paid = await made.paid(user)
  const body = intentEvent(paid)
  const good = made.signed(body)
  const now = Math.floor(made.clock.now() / 1_000)
  const secret = made.keys.webhookSecret
  const mac = good.split('v1=')[1] ?? ''
  const wrong: [string, string | undefined][] = [
    ['no signature', undefined],
    ['nonsense', 'nonsense'],
    ['another secret', sign({ body, secret: 'whsec_other', seconds: now })],
    ['a new time on an old signature', `t=${now + 1},v1=${mac}`],
    ['the old scheme', good.replace('v1=', 'v0=')],
    ['six minutes ago', sign({ body, secret, seconds: now - 301 })],
    ['in six minutes', sign({ body, secret, seconds: now + 301 })],
    ['no time', `v1=${mac}`],
  ]
  for (const [name, signature] of wrong)
    t.match(
      await http.send(body, signature),
      { status: 400, body: { code: 'INVALID_SIGNATURE' } },
      name,
    )
  t.match(await http.send(body.replace(paid, 'pi_x'), good), { status: 400 }, 'another body')
  t.match(await http.send(`${body} `, good), { status: 400 }, 'one byte more')
  t.match(await http.send('', made.signed('')), { status: 400 }, 'nothing')
  t.match(await http.send('no json', made.signed('no json')), { status: 400 })
  const large = 'x'.repeat(300 * 1024)
  t.match(await http.send(large, made.signed(large)), { status: 413 })
  t.same(await made.lines(user), [])
})

t.test('a replayed webhook is harmless, and its content is no more than a hint', async (t) => {
  const made = await TestTopUps.open(t)
  const http = await made.serve(t)
  const user = await made.makeUser()
  const { paymentIntentId } = await made.order(user)
  const body = intentEvent(paymentIntentId, { status: 'succeeded', amount_received: 99_999 })
  t.match(await http.send(body, made.signed(body)), { status: 200 })
  t.same(await made.lines(user), [], 'the processor says that nothing was paid')
  const paid = await made.paid(user)
  const real = JSON.stringify({
    type: 'x',
    data: { object: { object: 'charge', payment_intent: paid } },
  })
  const signature = made.signed(real)
  for (let times = 0; times < 3; times += 1)
    t.same(await http.send(real, signature), { status: 200, body: { received: true } })
  t.equal((await made.lines(user)).length, 1)
  for (const other of [
    {},
    { data: 5 },
    { data: { object: { object: 'customer', id: 'cus_1' } } },
  ]) {
    const text = JSON.stringify({ type: 'y', ...other })
    t.match(await http.send(text, made.signed(text)), { status: 200 }, 'about no payment of ours')
  }
})
