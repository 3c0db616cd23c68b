import { randomUUID } from 'node:crypto'
import t from 'tap'
import { UnknownLinkError } from '../../src/identity/links.js'
import { linkProofMs } from '../../src/limits.js'
import { TestIdentity } from '../support/identity.js'

t.test('a linked user is found with wallet and key, by that app only', async (t) => {
  const identity = await TestIdentity.open(t)
  const [app, other] = [await identity.makeApp(), await identity.makeApp()]
  const user = await identity.users.create({ clientId: app.clientId })
  t.strictSame(await identity.links.findUser(app.clientId, user.serviceUserId), user)
  t.equal(await identity.links.findUser(other.clientId, user.serviceUserId), undefined)
  t.equal(await identity.links.findUser(app.clientId, `usr_${randomUUID()}`), undefined)
  for (const id of ['', 'usr_1', 'usr_\0', user.serviceUserId.toUpperCase(), user.walletId])
    t.equal(await identity.links.findUser(app.clientId, id), undefined, JSON.stringify(id))
})

t.test('a user without a link costs the same look-up as one who does not exist', async (t) => {
  const identity = await TestIdentity.open(t)
  const { clientId } = await identity.makeApp()
  const { serviceUserId } = await identity.users.create({})
  const unlinked = () => identity.links.findUser(clientId, serviceUserId)
  const unknown = () => identity.links.findUser(clientId, `usr_${randomUUID()}`)
  t.equal(await identity.queriesOf(unknown), 2, 'an idle cache first asks what has changed')
  for (const _round of [1, 2]) {
    t.equal(await identity.queriesOf(unlinked), 1)
    t.equal(await identity.queriesOf(unknown), 1)
  }
})

t.test('a known link costs no query, and misses of many users share one', async (t) => {
  const identity = await TestIdentity.open(t)
  const { clientId } = await identity.makeApp()
  const users = await identity.users.createMany(100, clientId)
  const find = async (serviceUserId: string) => identity.links.findUser(clientId, serviceUserId)
  const all = () => Promise.all(users.map(({ serviceUserId }) => find(serviceUserId)))
  t.equal(await identity.queriesOf(all), 2, 'one for the users, one for what has changed')
  t.equal(await identity.queriesOf(all), 0)
  t.strictSame(await all(), users)
})

t.test('linking twice is linking once, and both must exist', async (t) => {
  const identity = await TestIdentity.open(t)
  const { links, users, pool } = identity
  const { clientId } = await identity.makeApp()
  const { serviceUserId } = await users.create({})
  await Promise.all([1, 2, 3].map(() => links.add(clientId, serviceUserId)))
  const { rowCount } = await pool.query('select from identity.links')
  t.equal(rowCount, 1)
  for (const [app, user, field] of [
    [`app_${randomUUID()}`, serviceUserId, 'clientId'],
    ['app_\0', serviceUserId, 'clientId'],
    [clientId, `usr_${randomUUID()}`, 'serviceUserId'],
    [clientId, '', 'serviceUserId'],
  ] as const)
    await t.rejects(links.add(app, user), { name: 'UnknownLinkError', field })
})

t.test('a link of another process is seen at once, because no absence is remembered', async (t) => {
  const identity = await TestIdentity.open(t)
  const second = await identity.another(t)
  const { clientId } = await identity.makeApp()
  const { serviceUserId } = await identity.users.create({})
  t.equal(await second.links.findUser(clientId, serviceUserId), undefined)
  await identity.links.add(clientId, serviceUserId)
  t.ok(await second.links.findUser(clientId, serviceUserId))
})

t.test('a removed link is gone here at once and elsewhere when it is told', async (t) => {
  const identity = await TestIdentity.open(t)
  const second = await identity.another(t)
  const { clientId, serviceUserId } = await identity.makeLinkedUser()
  for (const { links } of [identity, second]) t.ok(await links.findUser(clientId, serviceUserId))
  const heard = second.nextChange()
  await identity.links.remove(clientId, serviceUserId)
  t.equal(await identity.links.findUser(clientId, serviceUserId), undefined)
  await heard
  t.equal(await second.links.findUser(clientId, serviceUserId), undefined)
  await identity.links.remove(clientId, serviceUserId)
  await identity.links.remove('app_\0', 'usr_\0')
})

t.test('a removed link is gone within two seconds even if nobody is told', async (t) => {
  const identity = await TestIdentity.open(t)
  const { links, pool, clock } = identity
  const ids = await identity.makeLinkedUser()
  const seen = () => links.findUser(ids.clientId, ids.serviceUserId)
  t.ok(await seen())
  await pool.query('delete from identity.links')
  t.ok(await seen(), 'remembered')
  await clock.advance(2_000)
  t.equal(await seen(), undefined)
})

t.test('a proof tells the app once for whom it was made', async (t) => {
  const identity = await TestIdentity.open(t)
  const { links, pool } = identity
  const { clientId, serviceUserId } = await identity.makeLinkedUser()
  const linkProof = await links.createProof(clientId, serviceUserId)
  t.match(linkProof, /^lp_[\w-]{43}$/)
  const { rows } = await pool.query('select * from identity.link_proofs')
  t.notOk(JSON.stringify(rows).includes(linkProof.slice(3)), 'only its hash is at rest')
  t.equal(await links.redeemProof(clientId, linkProof), serviceUserId)
  t.equal(await links.redeemProof(clientId, linkProof), undefined)
})

t.test('a proof redeemed twice at the same moment is redeemed once', async (t) => {
  const identity = await TestIdentity.open(t)
  const second = await identity.another(t)
  const { clientId, serviceUserId } = await identity.makeLinkedUser()
  const linkProof = await identity.links.createProof(clientId, serviceUserId)
  const lock = 'lock table identity.link_proofs in share mode'
  const results = await identity.race({ lock, waiters: 4 }, () =>
    [identity, second, identity, second].map(({ links }) => links.redeemProof(clientId, linkProof)),
  )
  const answers = results.map((result) => result.status === 'fulfilled' && result.value)
  t.strictSame(
    answers.filter((answer) => answer !== undefined),
    [serviceUserId],
  )
})

t.test('a proof is worth nothing to another app, which cannot use it up either', async (t) => {
  const identity = await TestIdentity.open(t)
  const { links } = identity
  const { clientId, serviceUserId } = await identity.makeLinkedUser()
  const other = await identity.makeApp()
  await links.add(other.clientId, serviceUserId)
  const linkProof = await links.createProof(clientId, serviceUserId)
  t.equal(await links.redeemProof(other.clientId, linkProof), undefined)
  t.equal(await links.redeemProof('app_\0', linkProof), undefined)
  for (const text of ['', 'lp_', 'a\0b', `${linkProof}x`])
    t.equal(await links.redeemProof(clientId, text), undefined)
  t.equal(await links.redeemProof(clientId, linkProof), serviceUserId)
})

t.test('a proof lasts five minutes, and its link must still stand', async (t) => {
  const identity = await TestIdentity.open(t)
  const { links, clock } = identity
  const { clientId, serviceUserId } = await identity.makeLinkedUser()
  const [young, old] = [
    await links.createProof(clientId, serviceUserId),
    await links.createProof(clientId, serviceUserId),
  ]
  await clock.advance(linkProofMs - 1)
  t.equal(await links.redeemProof(clientId, young), serviceUserId)
  await clock.advance(1)
  t.equal(await links.redeemProof(clientId, old), undefined)

  const unlinked = await links.createProof(clientId, serviceUserId)
  t.equal(await links.sweep(), 1, 'the expired one goes, the new one stays')
  await links.remove(clientId, serviceUserId)
  t.equal(await links.redeemProof(clientId, unlinked), undefined)
  await t.rejects(links.createProof(clientId, serviceUserId), UnknownLinkError)
  await t.rejects(links.createProof('', ''), UnknownLinkError)
})
