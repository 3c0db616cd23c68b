/** Wallets in the admin API: search, statement, status, bonus, reset link, over real HTTP. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { entryIdOf, streamOf } from '../../src/domain/ids.js'
import type { Issuer } from '../../src/domain/ids.js'
import { reference } from '../../src/domain/reference.js'
import { resetTokenMs } from '../../src/limits.js'
import { seal } from '../../src/platform/sealing.js'
import { systemRandom } from '../../src/platform/random.js'
import type { User } from '../../src/identity/users.js'
import { AdminArea, startMs } from '../support/admin-area.js'

const area = await AdminArea.open(t)
const browser = await area.enter()
const { users, clientApps } = area.parts
const app = await clientApps.create({
  name: 'Shop',
  allowedOrigins: [],
  allowedIframeParents: [],
  scopes: ['wallet:write'],
})
const { clientId } = app.clientApp
const issuer: Issuer = `client-app:${clientId}`

async function person(email: string): Promise<User> {
  return users.create({ email, firstName: 'Ada', lastName: 'Lovelace', clientId })
}

function entry(user: User, referenceId: string, amountMinor: number, text?: string) {
  const pair = reference('ORDER', referenceId)
  const entryId = entryIdOf({ issuer, walletId: user.walletId, reference: pair })
  const key = user.sealingKey
  return {
    issuer,
    reference: pair,
    entryId,
    amountMinor,
    ...(text !== undefined && key && { description: seal(text, { key, entryId }, systemRandom) }),
  }
}

async function countEvents(user: User): Promise<number> {
  let count = 0
  const options = { fromRevision: 0, maxCount: 100 }
  for await (const _ of area.ledger.store.readStream(streamOf(user.walletId), options)) count += 1
  return count
}

t.test('a wallet is found by exactly its email, serviceUserId or walletId', async (t) => {
  const user = await person('Find.Me@example.com')
  await area.send(user.walletId, { type: 'Credit', ...entry(user, 'C', 1_250) })
  const expected = {
    walletId: user.walletId,
    serviceUserId: user.serviceUserId,
    email: 'Find.Me@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    balance: 12.5,
    isActive: true,
  }
  for (const q of ['find.me@example.com', user.serviceUserId, user.walletId]) {
    const { status, body } = await browser.get(`/wallets?q=${encodeURIComponent(q)}`)
    t.equal(status, 200)
    t.same(body, { wallets: [expected] }, q)
  }
  for (const q of ['find.me@example.co', 'find', '%', 'usr_1', randomUUID(), 'Ada'])
    t.same((await browser.get(`/wallets?q=${encodeURIComponent(q)}`)).body, { wallets: [] }, q)
  for (const query of ['', '?q=', '?q=%00', `?q=${'x'.repeat(2_000)}`, '?q=a&q=b'])
    t.match((await browser.get(`/wallets${query}`)).body['error'], /^The field 'q' /)
})

t.test('a statement shows everything, read beyond what the projections hold', async (t) => {
  const user = await person('statement@example.com')
  await area.send(user.walletId, { type: 'Credit', ...entry(user, 'C-1', 1_000, 'Refund') })
  await area.ledger.project()
  await area.send(user.walletId, { type: 'Debit', ...entry(user, 'D-1', 250, 'One coffee') })
  await area.send(user.walletId, { type: 'Debit', ...entry(user, 'D-2', 99_999) })
  const { status, body } = await browser.get(`/wallets/${user.walletId}`)
  t.equal(status, 200)
  const { entries, ...wallet } = body
  t.same(wallet, {
    walletId: user.walletId,
    serviceUserId: user.serviceUserId,
    email: 'statement@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    erased: false,
    balance: 7.5,
    isActive: true,
    statusReason: null,
    revision: 3,
    links: [{ clientId, name: 'Shop' }],
  })
  const common = { referenceType: 'ORDER', issuer, appName: 'Shop' }
  const createdAt = new Date(startMs).toISOString()
  t.same(entries, [
    {
      ...common,
      id: entry(user, 'D-2', 1).entryId,
      event: 'DebitDeclined',
      type: null,
      outcome: 'declined',
      code: 'INSUFFICIENT_BALANCE',
      amount: 999.99,
      balanceAfter: 7.5,
      referenceId: 'D-2',
      description: null,
      createdAt,
    },
    {
      ...common,
      id: entry(user, 'D-1', 1).entryId,
      event: 'WalletDebited',
      type: 'debit',
      outcome: 'applied',
      code: null,
      amount: 2.5,
      balanceAfter: 7.5,
      referenceId: 'D-1',
      description: 'One coffee',
      createdAt,
    },
    {
      ...common,
      id: entry(user, 'C-1', 1).entryId,
      event: 'WalletCredited',
      type: 'credit',
      outcome: 'applied',
      code: null,
      amount: 10,
      balanceAfter: 10,
      referenceId: 'C-1',
      description: 'Refund',
      createdAt,
    },
  ])

  const first = (await browser.get(`/wallets/${user.walletId}?limit=2`)).body
  t.match(first['entries'], { length: 2 })
  const next = `/wallets/${user.walletId}?limit=2&cursor=${String(first['nextCursor'])}`
  const second = (await browser.get(next)).body
  t.match(second['entries'], [{ referenceId: 'C-1' }])
  t.notOk('nextCursor' in second)
  for (const query of ['limit=0', 'limit=501', 'limit=1e2', 'cursor=-1', 'cursor=x', 'limit='])
    t.match((await browser.get(`/wallets/${user.walletId}?${query}`)).status, 400, query)
})

t.test('of an erased person the ledger stays and the texts are gone', async (t) => {
  const user = await person('erased@example.com')
  await area.send(user.walletId, { type: 'Credit', ...entry(user, 'C-1', 1_000, 'Private') })
  await users.erase(user.serviceUserId)
  const { body } = await browser.get(`/wallets/${user.walletId}`)
  t.match(body, { erased: true, email: null, firstName: null, lastName: null, balance: 10 })
  t.match(body['entries'], [{ amount: 10, description: null }])
  const bonus = { bonusId: randomUUID(), amount: 5, description: 'Sorry' }
  const refused = await browser.post(`/wallets/${user.walletId}/bonus`, bonus)
  t.match(refused.body['error'], /^The field 'description' /)
  const reset = await browser.post(`/users/${user.serviceUserId}/reset-password`)
  t.match(reset, { status: 400, body: { code: 'INVALID_REQUEST' } })
})

t.test('a wallet is deactivated and reactivated with a reason', async (t) => {
  const user = await person('status@example.com')
  const path = `/wallets/${user.walletId}`
  const off = await browser.post(`${path}/deactivate`, { reason: 'Card reported stolen' })
  t.equal(off.status, 200)
  t.same(off.body, { isActive: false, statusReason: 'Card reported stolen' })
  t.match((await browser.get(path)).body, off.body)
  t.equal(await countEvents(user), 2, 'opened and deactivated')
  const again = await browser.post(`${path}/deactivate`, { reason: 'Card reported stolen' })
  t.same(again.body, off.body)
  t.equal(await countEvents(user), 2, 'a second click writes nothing')
  const declined = await area.send(user.walletId, { type: 'Debit', ...entry(user, 'D', 1) })
  t.equal(declined.outcome.code, 'WALLET_INACTIVE')
  const on = await browser.post(`${path}/reactivate`, { reason: 'Card was found' })
  t.same(on.body, { isActive: true, statusReason: 'Card was found' })
  t.match((await browser.get(path)).body, on.body)

  for (const reason of [undefined, '', ' \n', 'x'.repeat(201), 'a\0', '\ud800', 5, null])
    for (const verb of ['deactivate', 'reactivate'])
      t.match(
        (await browser.post(`${path}/${verb}`, { reason })).body['error'],
        /^The field 'reason' /,
        JSON.stringify(reason),
      )
  const longest = '😀'.repeat(200)
  t.equal((await browser.post(`${path}/deactivate`, { reason: longest })).status, 200)
  const { body } = await browser.get('/log?limit=4')
  t.match(body['entries'], [
    { action: 'wallet.deactivate', subject: user.walletId, details: { reason: longest } },
    { action: 'wallet.reactivate', details: { reason: 'Card was found' } },
    { action: 'wallet.deactivate', details: { unchanged: true } },
    { action: 'wallet.deactivate', details: { reason: 'Card reported stolen' } },
  ])
})

t.test('a bonus is granted once however often it is clicked', async (t) => {
  const user = await person('bonus@example.com')
  const path = `/wallets/${user.walletId}/bonus`
  const bonus = { bonusId: randomUUID(), amount: 5.25, description: 'Welcome, Ada' }
  const clicks = await Promise.all(Array.from({ length: 8 }, () => browser.post(path, bonus)))
  for (const { status, body } of clicks) {
    t.equal(status, 200)
    t.match(body, { balance: 5.25, amount: 5.25 })
  }
  t.equal(clicks.filter(({ body }) => body['replayed'] === false).length, 1)
  t.equal(await countEvents(user), 2, 'opened and granted')
  const other = await browser.post(path, { ...bonus, amount: 100 })
  t.same(other.body, { balance: 5.25, amount: 5.25, replayed: true })
  const second = await browser.post(path, { bonusId: randomUUID(), amount: 1 })
  t.same(second.body, { balance: 6.25, amount: 1, replayed: false })
  const { body } = await browser.get(`/wallets/${user.walletId}`)
  t.match(body['entries'], [
    { event: 'BonusGranted', type: 'credit', issuer: 'service', appName: null, description: null },
    { referenceType: 'BONUS', referenceId: bonus.bonusId, description: bonus.description },
  ])

  const log = (await browser.get('/log?limit=10')).body['entries'] as { details: unknown }[]
  t.match(log[0], { action: 'wallet.bonus', details: { amount: 1, replayed: false } })
  t.match(log[1], { details: { bonusId: bonus.bonusId, amount: 100, replayed: true } })
  t.equal(log.length, 10)
  t.notMatch(JSON.stringify(log), /Welcome/, 'what only the key may open is not in the log')
})

t.test('a bonus that is not as it must be is refused by the name of the field', async (t) => {
  const user = await person('faults@example.com')
  const right = { bonusId: randomUUID(), amount: 5 }
  for (const [change, field] of [
    [{ bonusId: undefined }, 'bonusId'],
    [{ bonusId: 'x' }, 'bonusId'],
    [{ bonusId: randomUUID().toUpperCase() }, 'bonusId'],
    [{ amount: undefined }, 'amount'],
    [{ amount: '5' }, 'amount'],
    [{ amount: true }, 'amount'],
    [{ amount: 0 }, 'amount'],
    [{ amount: -1 }, 'amount'],
    [{ amount: 0.001 }, 'amount'],
    [{ amount: 1_000_000.01 }, 'amount'],
    [{ description: 7 }, 'description'],
    [{ description: 'x'.repeat(501) }, 'description'],
    [{ description: 'a\0' }, 'description'],
  ] as const) {
    const answer = await browser.post(`/wallets/${user.walletId}/bonus`, { ...right, ...change })
    const name = JSON.stringify(change)
    t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST' } }, name)
    t.match(answer.body['error'], new RegExp(`^The field '${field}' `), name)
  }
  t.equal(await countEvents(user), 0)
})

t.test('a reset link works once and is told to nobody else', async (t) => {
  const user = await person('forgot@example.com')
  const answer = await browser.post(`/users/${user.serviceUserId}/reset-password`)
  t.equal(answer.status, 200)
  const url = new URL(String(answer.body['resetUrl']))
  t.equal(url.origin + url.pathname, `${area.origin}/widget/reset`)
  t.equal(answer.body['expiresAt'], new Date(startMs + resetTokenMs).toISOString())
  const token = url.hash.slice(1)
  t.ok(await users.resetPassword(token, 'a quite new password'))
  t.notOk(await users.resetPassword(token, 'a quite new password'))
  const { body } = await browser.get('/log?limit=1')
  t.match(body['entries'], [
    { action: 'user.reset-password', subject: user.serviceUserId, outcome: 'done' },
  ])
  const route = '/api/admin/users/:serviceUserId/reset-password'
  await area.captured.line((line) => line['route'] === route && line['status'] === 200)
  for (const secret of [token, user.serviceUserId]) {
    t.notOk(area.captured.text.includes(secret))
    if (secret === token) t.notOk(JSON.stringify(body).includes(secret))
  }
})

t.test('a wallet or a person that nobody knows is a 404', async (t) => {
  const bodies: Record<string, unknown> = {
    bonus: { bonusId: randomUUID(), amount: 1 },
    deactivate: { reason: 'x' },
    reactivate: { reason: 'x' },
  }
  for (const walletId of [randomUUID(), 'x', '%00', randomUUID().toUpperCase()]) {
    t.match(await browser.get(`/wallets/${walletId}`), { status: 404, body: { code: 'NOT_FOUND' } })
    for (const [verb, body] of Object.entries(bodies))
      t.equal((await browser.post(`/wallets/${walletId}/${verb}`, body)).status, 404)
  }
  for (const id of [`usr_${randomUUID()}`, 'usr_1', '%00'])
    t.equal((await browser.post(`/users/${id}/reset-password`)).status, 404)
})
