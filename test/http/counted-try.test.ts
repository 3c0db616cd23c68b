/** One try counted under several keys, and the refusal of the one that is too many. */
import t from 'tap'
import { countTry } from '../../src/http/counted-try.js'
import { TestIdentity } from '../support/identity.js'

const account = { kind: 'login-account', value: 'ann@example.com', tries: 1, windowMs: 60_000 }
const address = { kind: 'login-address', value: '192.0.2.1', tries: 3, windowMs: 30_000 }

t.test('a try too many is answered 429 with the seconds to wait, whichever bound', async (t) => {
  const { throttle } = await TestIdentity.open(t)
  await countTry(throttle, account, address)
  const refusal = { code: 'TOO_MANY_TRIES', status: 429 }
  await t.rejects(countTry(throttle, account, address), {
    ...refusal,
    headers: { 'retry-after': '60' },
  })
  const others = ['bob', 'eve'].map((value) => ({ ...account, value }))
  for (const other of others) await countTry(throttle, other, address)
  await t.rejects(countTry(throttle, { ...account, value: 'joe' }, address), {
    ...refusal,
    headers: { 'retry-after': '30' },
  })
})

t.test('what is refused by one bound is not counted by those behind it', async (t) => {
  const { throttle } = await TestIdentity.open(t)
  await countTry(throttle, account, address)
  for (let tries = 0; tries < 5; tries += 1) await t.rejects(countTry(throttle, account, address))
  await countTry(throttle, address)
  t.pass('the address has tries left')
})
