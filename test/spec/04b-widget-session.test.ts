/** Section 4 B of the contract: sessions that a client backend makes, with and without a parent. */
import { randomUUID } from 'node:crypto'
import { onAnyStore, testEmbedding, testInside } from './support/deployment.js'
import { essence, nobody } from './support/wallet-api.js'
import {
  askSession,
  newSession,
  sessionPath,
  tokenShape,
  widgetWallet,
} from './support/widget-api.js'

onAnyStore(9, (t, on) => {
  t.test('4B POST /api/widget/session: sessionToken and expiresAt, each time new', async (t) => {
    const account = await on.account()
    const answers = [await askSession(on, account), await askSession(on, account)]
    for (const answer of answers) {
      t.equal(answer.status, 200)
      t.same(Object.keys(answer.body).sort(), ['expiresAt', 'sessionToken'])
      t.match(answer.body['sessionToken'], tokenShape)
    }
    const [first, second] = answers.map(({ body }) => body['sessionToken'])
    t.not(first, second)
    for (const token of [first, second])
      t.equal((await widgetWallet(on, token)).status, 200, 'several live beside each other')
  })

  t.test('4B credentials, scope, fields, user: in this order', async (t) => {
    const account = await on.account()
    const wrong = { serviceUserId: 7, parentOrigin: 7 }
    for (const fields of [
      { clientSecret: 'wrong' },
      { clientSecret: undefined },
      { clientSecret: null },
      { clientId: `app_${randomUUID()}` },
      { clientId: 7 },
    ]) {
      const answer = await askSession(on, account, { ...wrong, ...fields })
      t.match(answer, { status: 401, body: { code: 'INVALID_CLIENT' } })
    }
    for (const [fields, field] of [
      [{ serviceUserId: undefined }, 'serviceUserId'],
      [{ serviceUserId: 7 }, 'serviceUserId'],
      [{ serviceUserId: nobody, parentOrigin: 7 }, 'parentOrigin'],
      [{ serviceUserId: nobody, parentOrigin: null }, 'parentOrigin'],
      [{ serviceUserId: nobody, parentOrigin: ['x'] }, 'parentOrigin'],
    ] as const) {
      const answer = await askSession(on, account, fields)
      t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST' } })
      t.match(answer.body['error'], new RegExp(`'${field}'`))
    }
  })

  testInside(t, on, '4B a session needs the scope wallet:read', async (t, control) => {
    const writer = await control.createApp(['wallet:write'])
    const account = (await on.account()).as(writer)
    await control.links.add(writer.clientId, account.serviceUserId)
    const answer = await askSession(on, account, { serviceUserId: 7 })
    t.match(answer, { status: 403, body: { code: 'INSUFFICIENT_SCOPE' } })
  })

  t.test('4B an unknown user: 401, USER_NOT_FOUND, requiresAuth', async (t) => {
    const account = await on.account()
    const expected = { status: 401, body: { code: 'USER_NOT_FOUND', requiresAuth: true } }
    const unknown = await askSession(on, account.of(nobody))
    t.match(unknown, expected)
    for (const serviceUserId of ['', 'x', `${account.serviceUserId} `])
      t.same(essence(await askSession(on, account.of(serviceUserId))), essence(unknown))
  })

  testEmbedding(
    t,
    on,
    '4B parentOrigin: exactly one of allowedIframeParents',
    async (t, parent) => {
      const account = await on.account()
      const session = await newSession(on, account, { parentOrigin: parent })
      t.equal((await widgetWallet(on, session)).status, 200)
      const others = ['', '*', 'null', `${parent}/`, parent.toUpperCase(), ` ${parent}`]
      for (const parentOrigin of [...others, 'https://evil.example', `${parent}.evil.example`]) {
        const answer = await askSession(on, account, { parentOrigin })
        t.match(answer, { status: 403, body: { code: 'ORIGIN_NOT_ALLOWED' } }, `"${parentOrigin}"`)
      }
    },
  )

  t.test('4B the session is made by POST with a JSON body, and by nothing else', async (t) => {
    const account = await on.account()
    const { clientId, clientSecret, serviceUserId } = account.identity
    const query = { clientId, clientSecret, serviceUserId }
    t.equal((await on.api.get(sessionPath, query)).status, 405)
    const form = new URLSearchParams(query as Record<string, string>).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    t.equal((await on.api.postRaw(sessionPath, form, type)).status, 415)
    for (const text of ['[]', 'null', '"x"', '{}'])
      t.equal((await on.api.postRaw(sessionPath, text)).status, 401, text)
  })

  t.test('4B extension: a session is ended, and renewed by one of the same person', async (t) => {
    const account = await on.account()
    const [old, fresh] = [await newSession(on, account), await newSession(on, account)]
    const renew = (sessionToken: string) =>
      on.api.post(`/api/widget/session/renew?session=${old}`, { sessionToken })
    t.match(await renew(fresh), { status: 200, body: { expiresAt: /Z$/ } })
    const stranger = await newSession(on, await on.account())
    const elsewhere = await newSession(on, account.as(on.second))
    for (const other of [stranger, elsewhere, `ws_${randomUUID()}`])
      t.match(await renew(other), { status: 403, body: { code: 'SESSION_MISMATCH' } })
    for (let time = 0; time < 2; time += 1)
      t.match(await on.api.send('POST', `/api/widget/session/end?session=${old}`), { status: 200 })
    t.equal((await widgetWallet(on, old)).status, 401)
    t.equal((await widgetWallet(on, fresh)).status, 200)
  })
})
