/** Browsers in which an admin has logged in before: which tokens are believed, and for how long. */
import t from 'tap'
import type { Test } from 'tap'
import { Admins } from '../../src/identity/admins.js'
import { browserToken } from '../../src/identity/known-browsers.js'
import { knownBrowserMs } from '../../src/identity/limits.js'
import { createPool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { migratedDatabase } from '../support/database.js'
import { FakeClock } from '../support/fake-clock.js'
import { cheapPasswords } from '../support/passwords.js'

const ada = { email: 'ada@example.com', password: 'a long enough password', role: 'admin' } as const
const bob = { ...ada, email: 'bob@example.com' }

async function open(t: Test) {
  const { url } = await migratedDatabase(t)
  const pool = createPool({ url, max: 4, applicationName: 'test', onIdleError: () => undefined })
  t.teardown(() => pool.end())
  const clock = new FakeClock()
  const admins = new Admins({ pool, clock, random: systemRandom, passwords: cheapPasswords })
  await admins.create(ada)
  await admins.create(bob)
  const token = (await admins.login(ada))?.browserToken ?? ''
  return { admins, clock, token }
}

t.test('a browser stays the same one from login to login', async (t) => {
  const { admins, token } = await open(t)
  t.match(token, /^[\w-]{22}\.\d{10}\.[\w-]{43}$/)
  const browserId = await admins.findBrowser('ADA@example.com', token)
  t.equal(browserId, token.split('.')[0])
  const again = await admins.login({ ...ada, browserId })
  t.equal(await admins.findBrowser(ada.email, again?.browserToken ?? ''), browserId)
  const other = await admins.login(ada)
  t.not(await admins.findBrowser(ada.email, other?.browserToken ?? ''), browserId)
})

t.test('a forged token, and another admin’s, are nobody’s', async (t) => {
  const { admins, clock, token } = await open(t)
  const [browserId = '', end = '', signature = ''] = token.split('.')
  const changed = signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
  for (const forged of [
    '',
    'x',
    '..',
    `${browserId}.${end}.`,
    `${browserId}.${end}.${changed}`,
    `${browserId}.${Number(end) + 1}.${signature}`,
    `${'A'.repeat(22)}.${end}.${signature}`,
    `${token}=`,
    `${token}\n`,
    'x'.repeat(100_000),
  ])
    t.equal(await admins.findBrowser(ada.email, forged), undefined)
  // Were it believed, it would tell who has no account: they would not be delayed.
  const ofNobody = browserToken({ adminId: '', passwordHash: '' }, browserId, clock.now())
  t.equal(await admins.findBrowser('nobody@example.com', ofNobody), undefined)
  for (const email of [bob.email, 'nobody@example.com', '', '\0'])
    t.equal(await admins.findBrowser(email, token), undefined, `not for ${JSON.stringify(email)}`)
})

t.test('a new password and a lock end it', async (t) => {
  const { admins, token } = await open(t)
  await admins.setPassword(ada.email, ada.password)
  t.equal(await admins.findBrowser(ada.email, token), undefined, 'also the same password anew')
  const next = (await admins.login(ada))?.browserToken ?? ''
  t.ok(await admins.findBrowser(ada.email, next))
  await admins.lock(ada.email)
  t.equal(await admins.findBrowser(ada.email, next), undefined)
})

t.test('it ends 180 days after the last login', async (t) => {
  const { admins, clock, token } = await open(t)
  clock.set(clock.now() + knownBrowserMs - 1)
  t.ok(await admins.findBrowser(ada.email, token))
  clock.set(clock.now() + 1)
  t.equal(await admins.findBrowser(ada.email, token), undefined)
})
