/**
 * Saved cards as pages meet them, in the whole service: whose session may do what, the password,
 * and what a wrong request is told.
 */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { ClientApps } from '../../src/identity/client-apps.js'
import { ChangeFeed } from '../../src/platform/change-feed.js'
import { systemClock } from '../../src/platform/clock.js'
import { createPool } from '../../src/platform/postgres.js'
import { systemRandom } from '../../src/platform/random.js'
import { anApp } from '../support/identity.js'
import { quietLog } from '../support/ledger.js'
import { startWholeService } from '../support/whole-service.js'

const password = 'correct horse battery'
const service = await startWholeService(t)
const pool = createPool({
  url: service.databaseUrl,
  max: 2,
  applicationName: 'test',
  onIdleError: () => undefined,
})
t.teardown(() => pool.end())
const changes = new ChangeFeed({ url: service.databaseUrl, clock: systemClock, log: quietLog })
const system = { pool, clock: systemClock, random: systemRandom, changes, production: false }
const app = await new ClientApps(system).create(anApp)
const { clientId } = app.clientApp

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

async function ask(path: string, session: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${service.origin}/api/widget/${path}?session=${session}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function aPerson() {
  const email = `${randomUUID()}@example.com`
  const names = { firstName: 'Ada', lastName: 'Byron' }
  const { body } = await ask('auth/signup', '', { clientId, email, password, ...names })
  const serviceUserId = String(body['serviceUserId'])
  const { clientSecret } = app
  const made = await ask('session', '', { clientId, clientSecret, serviceUserId })
  return { person: String(body['sessionToken']), backend: String(made.body['sessionToken']) }
}

async function anIntent(session: string, amount = 25) {
  const { body } = await ask('topup/create-intent', session, { amount })
  const paymentIntentId = String(body['paymentIntentId'])
  return { paymentIntentId, paymentSecret: String(body['paymentSecret']) }
}

const rule = { threshold: 30, amount: 10, monthMaximum: 20 }
const success = { cardNumber: '4242424242424242', expiry: '12/40', cvc: '123' }

/** Pays with a card that is saved by it; the card's id. */
async function savedCard(session: string): Promise<string> {
  const intent = await anIntent(session)
  const { paymentIntentId } = intent
  t.match(await ask('account/cards/save', session, { paymentIntentId, password }), { status: 200 })
  await fetch(`${service.origin}/api/sandbox/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...intent, ...success }),
  })
  const settled = await ask('topup/confirm', session, { paymentIntentId })
  t.match(settled.body, { status: 'booked' })
  const { cards } = (await ask('account/cards', session)).body as { cards: { cardId: string }[] }
  return cards[0]?.cardId ?? ''
}

t.test('a session that an app’s backend made sees and does none of it', async (t) => {
  const { backend } = await aPerson()
  const { paymentIntentId } = await anIntent(backend)
  const cardId = randomUUID()
  const routes: [path: string, body?: object][] = [
    ['account/cards'],
    ['account/cards/save', { paymentIntentId, password }],
    ['account/cards/unsave', { paymentIntentId }],
    ['account/cards/pay', { paymentIntentId, cardId }],
    ['account/cards/remove', { cardId }],
    ['account/automatic-top-up', { ...rule, cardId, password }],
    ['account/automatic-top-up/off', {}],
  ]
  for (const [path, body] of routes)
    t.match(await ask(path, backend, body), { status: 403, body: { code: 'LOGIN_REQUIRED' } }, path)
})

t.test('a card is saved with the password, pays with one tap, and is removed', async (t) => {
  const { person } = await aPerson()
  t.same((await ask('account/cards', person)).body, {
    cards: [],
    cardsMax: 5,
    automaticTopUp: null,
  })
  const { paymentIntentId } = await anIntent(person)
  const wrong = { paymentIntentId, password: 'not the password' }
  t.match(await ask('account/cards/save', person, wrong), { body: { code: 'WRONG_PASSWORD' } })
  const cardId = await savedCard(person)
  const { body } = await ask('account/cards', person)
  t.match(body, { cards: [{ cardId, brand: 'visa', lastFour: '4242', expiryYear: 2040 }] })
  const next = await anIntent(person, 10)
  const tap = { paymentIntentId: next.paymentIntentId, cardId }
  t.same((await ask('account/cards/pay', person, tap)).body, { status: 'succeeded' })
  const settled = await ask('topup/confirm', person, { paymentIntentId: next.paymentIntentId })
  t.match(settled.body, { status: 'booked', balance: 35 })
  t.match(await ask('account/cards/pay', person, tap), { status: 404 }, 'paid is paid')
  const kept = await fetch(`${service.origin}/api/widget/account/export?session=${person}`)
  t.match(await kept.json(), { cards: [{ lastFour: '4242' }] })
  t.match(await ask('account/cards/remove', person, { cardId }), { status: 200 })
  t.same((await ask('account/cards', person)).body['cards'], [])
  t.match(await ask('account/cards/remove', person, { cardId }), {
    status: 404,
    body: { code: 'CARD_NOT_FOUND' },
  })
})

t.test(
  'a rule is switched on with the password, tops up by itself, and is switched off',
  async (t) => {
    const { person } = await aPerson()
    const cardId = await savedCard(person)
    const on = (body: object) => ask('account/automatic-top-up', person, body)
    const given = { ...rule, cardId, password }
    t.match(await on({ ...given, password: 'wrong' }), { body: { code: 'WRONG_PASSWORD' } })
    t.match(await on({ ...given, cardId: randomUUID() }), { body: { code: 'CARD_NOT_FOUND' } })
    t.match((await on({ ...given, amount: 1_000_000 })).body, { error: /^The field 'amount' / })
    t.match((await on({ ...given, monthMaximum: 5 })).body, { error: /^The field 'monthMaximum' / })
    t.match(await on(given), { status: 200 })
    const { body } = await ask('account/cards', person)
    t.match(body['automaticTopUp'], {
      isOn: true,
      threshold: 30,
      amount: 10,
      cardId,
      monthMaximum: 20,
    })
    t.match(await ask('account/automatic-top-up/off', person, {}), { status: 200 })
    const after = (await ask('account/cards', person)).body['automaticTopUp']
    t.match(after, { isOn: false, offBecause: 'person' })
  },
)

t.test('nobody pays with another person’s card, or for another person', async (t) => {
  const ada = await aPerson()
  const eve = await aPerson()
  const cardId = await savedCard(ada.person)
  const hers = await anIntent(ada.person)
  const own = await anIntent(eve.person)
  const codes = async (body: object) => (await ask('account/cards/pay', eve.person, body)).body
  const { paymentIntentId } = own
  t.match(await codes({ paymentIntentId, cardId }), { code: 'CARD_NOT_FOUND' })
  t.match(await codes({ paymentIntentId, cardId: 'x' }), { code: 'CARD_NOT_FOUND' })
  const foreign = { paymentIntentId: hers.paymentIntentId, cardId }
  t.match(await codes(foreign), { code: 'TOPUP_NOT_FOUND' })
  t.match(await ask('account/cards/remove', eve.person, { cardId }), { status: 404 })
  t.match(await ask('account/cards/save', eve.person, { ...foreign, password }), { status: 404 })
  t.match(await ask('account/cards/pay', eve.person, {}), {
    status: 400,
    body: { error: "The field 'paymentIntentId' is missing" },
  })
})
