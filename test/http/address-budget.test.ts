/**
 * What an address may ask for without credentials, with a clock that the test moves: a flood is
 * refused before its bodies are read, and nobody else notices.
 */
import t from 'tap'
import type { Test } from 'tap'
import { placeOf } from '../../src/http/address-budget.js'
import {
  addressesMax,
  refusalsHeldMax,
  strangerBurstSeconds,
  strangerBytesPerSecond,
  strangerRequestsPerSecond,
  trustedAddressMs,
  trustedBodyBytesMax,
} from '../../src/http/limits.js'
import { bodyBytesMax } from '../../src/limits.js'
import { FakeClock } from '../support/fake-clock.js'
import { serve } from '../support/served-app.js'

const requestsMax = strangerRequestsPerSecond * strangerBurstSeconds
const largeBodiesMax = (strangerBytesPerSecond * strangerBurstSeconds) / bodyBytesMax

t.test('an address has so many requests without credentials, and gets them back', async (t) => {
  const { ask, clock } = await open(t)
  const answers = await Promise.all(Array.from({ length: requestsMax }, () => ask('10.0.0.1')))
  t.ok(answers.every(({ status }) => status === 401))
  const refused = await ask('10.0.0.1')
  t.match(refused, { status: 429, body: { code: 'TOO_MANY_REQUESTS' }, retryAfter: '1' })
  t.match(await ask('10.0.0.1', { path: '/nowhere' }), { status: 429 }, 'wherever it asks')
  t.match(await ask('10.0.0.1', { path: '/health/live' }), { status: 200 }, 'but for the probes')
  t.match(await ask('10.0.0.2'), { status: 401 }, 'another address has its own')

  await clock.advance(1_000)
  const more = Array.from({ length: strangerRequestsPerSecond + 5 }, () => ask('10.0.0.1'))
  const statuses = (await Promise.all(more)).map(({ status }) => status)
  t.ok(statuses.filter((status) => status === 401).length >= strangerRequestsPerSecond - 1)
})

t.test('probes cost their address nothing: a balancer may stand where clients do', async (t) => {
  const { ask } = await open(t)
  const probes = Array.from({ length: requestsMax }, () =>
    ask('10.0.0.1', { path: '/health/live' }),
  )
  t.ok((await Promise.all(probes)).every(({ status }) => status === 200))
  t.match(await ask('10.0.0.1'), { status: 401 })
})

t.test('so many bytes, too, and the body of a refused request is not read', async (t) => {
  const { ask, parsed } = await open(t)
  const large = { body: 'x'.repeat(bodyBytesMax - '{"text":""}'.length) }
  const statuses = new Set<number>()
  for (let sent = 0; sent < largeBodiesMax; sent += 1)
    statuses.add((await ask('10.0.0.1', large)).status)
  t.same([...statuses], [401])
  const before = parsed.length
  t.match(await ask('10.0.0.1', large), { status: 429 })
  t.match(await ask('10.0.0.1', { body: 'x' }), { status: 429 })
  t.equal(parsed.length, before)
})

t.test('right credentials cost nothing, however many they are', async (t) => {
  const { ask } = await open(t)
  t.match(await ask('10.0.0.1'), { status: 401 }, 'somebody mistyped')
  for (let round = 0; round < 3; round += 1) {
    const right = Array.from({ length: requestsMax }, () => ask('10.0.0.1', { secret: 'right' }))
    t.ok((await Promise.all(right)).every(({ status }) => status === 200))
  }
  t.match(await ask('10.0.0.1'), { status: 401 }, 'the budget is as it was')
})

t.test('who has right credentials is let in beside a flood from its own address', async (t) => {
  const { ask, clock } = await open(t)
  await ask('10.0.0.1')
  t.match(await ask('10.0.0.1', { secret: 'right' }), { status: 200 })
  await Promise.all(Array.from({ length: requestsMax + 10 }, () => ask('10.0.0.1')))
  t.match(await ask('10.0.0.1', { secret: 'right', body: 'small' }), { status: 200 })
  const large = { secret: 'right', body: 'x'.repeat(trustedBodyBytesMax) }
  t.match(await ask('10.0.0.1', large), { status: 429 }, 'no client backend sends such a body')

  // After a silence nobody speaks for the address any more, and the flood goes on.
  await clock.advance(trustedAddressMs)
  await Promise.all(Array.from({ length: requestsMax + 10 }, () => ask('10.0.0.1')))
  t.match(await ask('10.0.0.1', { secret: 'right' }), { status: 429 })
  // With the budget's next second it gets its turn among the flood, and is known again.
  await clock.advance(1_000)
  t.match(await ask('10.0.0.1', { secret: 'right' }), { status: 200 })
  await Promise.all(Array.from({ length: requestsMax }, () => ask('10.0.0.1')))
  t.match(await ask('10.0.0.1', { secret: 'right' }), { status: 200 })
})

t.test('the answer to a flood is held for a while, so that it is none', async (t) => {
  const { ask, clock } = await open(t, 500)
  await Promise.all(Array.from({ length: requestsMax }, () => ask('10.0.0.1')))
  let answered = 0
  const flood = Array.from({ length: refusalsHeldMax + 1 }, async () => {
    const { status } = await ask('10.0.0.1')
    answered += 1
    return status
  })
  await Promise.race(flood)
  t.equal(answered, 1, 'one more than may be held')
  t.match(await ask('10.0.0.2'), { status: 401 }, 'nobody else waits')
  await clock.advance(500)
  t.ok((await Promise.all(flood)).every((status) => status === 429))
})

t.test('a network of IPv6 is one place, and a mapped address is its IPv4', (t) => {
  const same = ['2001:db8:1:2::', '2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::1']
  for (const address of same) t.equal(placeOf(address), '2001:db8:1:2', address)
  t.equal(placeOf('2001:db8::1'), '2001:db8:0:0')
  t.equal(placeOf('::1'), '0:0:0:0')
  t.equal(placeOf('::ffff:10.1.2.3'), '10.1.2.3')
  t.equal(placeOf('10.1.2.3'), '10.1.2.3')
  t.end()
})

t.test('the table of addresses is bounded: the oldest are forgotten', async (t) => {
  const { app, clock } = await open(t)
  const hits = async (address: string) =>
    (await app.inject({ url: '/guarded', remoteAddress: address })).statusCode
  for (let sent = 0; sent < requestsMax; sent += 1) await hits('10.9.9.9')
  t.equal(await hits('10.9.9.9'), 429)
  for (let index = 0; index < addressesMax; index += 1)
    await hits(`10.1.${index >> 8}.${index & 255}`)
  t.equal(await hits('10.9.9.9'), 401, 'forgotten, so it begins anew')
  await clock.advance(0)
})

async function open(t: Test, refusalHoldMs = 0) {
  const clock = new FakeClock()
  const parsed: unknown[] = []
  const { app } = await serve(t, { clock, proxies: 1, refusalHoldMs }, (app) => {
    app.all('/guarded', (request, reply) => {
      parsed.push(request.body)
      if (request.headers['x-secret'] !== 'right')
        return reply.code(401).send({ error: 'no', code: 'INVALID_CLIENT' })
      request.caller = 'trusted'
      return { fine: true }
    })
  })
  const ask = async (address: string, { path = '/guarded', secret = 'wrong', body }: Ask = {}) => {
    const answer = await app.inject({
      url: path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-forwarded-for': address, 'x-secret': secret },
      ...(body !== undefined && { payload: { text: body } }),
    })
    const { statusCode: status, headers } = answer
    return { status, body: answer.json<unknown>(), retryAfter: headers['retry-after'] }
  }
  return { ask, app, clock, parsed }
}

interface Ask {
  readonly path?: string
  readonly secret?: string
  readonly body?: string
}
