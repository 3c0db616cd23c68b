/**
 * Our documented extensions about people: sign-up and login of the widget's own pages, which link a
 * person to a client app, and the proof by which a client backend learns who was linked.
 */
import { randomUUID } from 'node:crypto'
import { onAnyStore, testInside } from './support/deployment.js'
import { Account } from './support/wallet-api.js'
import type { Answer, Credentials, Fields } from './support/wallet-api.js'

onAnyStore(7, (t, on) => {
  // One hash of a password takes a quarter of a second: most tests share one person.
  const known = newPerson()

  t.test('extension sign-up: the person gets a session, a proof and a link', async (t) => {
    const answer = await signUp(known)
    t.equal(answer.status, 200)
    t.same(Object.keys(answer.body).sort(), [
      'expiresAt',
      'language',
      'linkProof',
      'serviceUserId',
      'sessionToken',
    ])
    const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
    t.match(answer.body['serviceUserId'], new RegExp(`^usr_${uuid}$`))
    t.match(answer.body['sessionToken'], new RegExp(`^ws_${uuid}$`))
    const lifetimeMs = Date.parse(String(answer.body['expiresAt'])) - Date.now()
    t.ok(lifetimeMs > 280_000 && lifetimeMs <= 300_500, '8 limits: five minutes')
    const account = new Account(on.api, on.first, String(answer.body['serviceUserId']))
    t.same(await account.read(), { balance: 0, transactions: [], isActive: true })
    t.equal((await account.credit(1)).status, 200)
    t.equal((await account.as(on.second).wallet()).status, 401, 'no other app is linked')
  })

  t.test('extension login: it finds the account again and links another app', async (t) => {
    const here = await login(known)
    // An email has no case.
    const there = await login({ ...known, email: shouted(known) }, on.second)
    t.equal(there.status, 200)
    t.equal(there.body['serviceUserId'], here.body['serviceUserId'])
    t.not(there.body['sessionToken'], here.body['sessionToken'])
    const account = new Account(on.api, on.second, String(there.body['serviceUserId']))
    t.equal((await account.wallet()).status, 200)
  })

  t.test('extension login: it tells nothing about who exists', async (t) => {
    const wrong = await login({ ...known, password: 'another pass phrase' })
    const unknown = await login(newPerson())
    t.match(wrong, { status: 401, body: { code: 'INVALID_LOGIN' } })
    t.equal(unknown.status, wrong.status)
    t.equal(unknown.text, wrong.text)
  })

  t.test('extension sign-up: a taken email is 409 ACCOUNT_EXISTS', async (t) => {
    const taken = { status: 409, body: { code: 'ACCOUNT_EXISTS' } }
    t.match(await signUp({ ...known, email: shouted(known) }), taken)
    t.match(await signUp(known, on.second), taken)
  })

  t.test('extension sign-up and login: fields are named, the app is checked first', async (t) => {
    const person = newPerson()
    for (const clientId of [undefined, 'app_x', '', 7, null])
      for (const send of [signUp, login])
        t.match(await send({ ...person, email: 7, clientId }), {
          status: 401,
          body: { code: 'INVALID_CLIENT' },
        })
    const wrongs: Fields = { email: 'no address', password: 'short', firstName: 7, lastName: null }
    for (const [field, value] of Object.entries(wrongs))
      for (const wrong of [value, undefined, '', {}]) {
        const answer = await signUp({ ...newPerson(), [field]: wrong })
        t.match(
          answer,
          { status: 400, body: { code: 'INVALID_REQUEST' } },
          `${field} ${answer.text}`,
        )
        t.match(answer.body['error'], new RegExp(`^The field '${field}' (?!${field})`))
      }
    for (const field of ['email', 'password'])
      t.match(await login({ ...person, [field]: undefined }), {
        status: 400,
        body: { error: new RegExp(`'${field}'`) },
      })
  })

  t.test('extension login: too many tries are told to wait', async (t) => {
    let answer = await login({ ...known, password: 'a wrong pass phrase' })
    for (let tries = 0; tries < 20 && answer.status === 401; tries += 1)
      answer = await login({ ...known, password: 'a wrong pass phrase' })
    t.match(answer, { status: 429, body: { code: 'TOO_MANY_TRIES' } })
    const seconds = Number(answer.headers.get('retry-after'))
    t.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 900, `${seconds} s`)
    t.equal((await login(known)).status, 429, 'the right password too')
    t.equal((await signUp(newPerson())).status, 200, 'other people are not hindered')
  })

  t.test('extension links/verify: a proof tells its app its user, once', async (t) => {
    const { serviceUserId, linkProof } = (await signUp(newPerson())).body
    refused(t, await verify(linkProof, on.second))
    const answer = await verify(linkProof)
    t.equal(answer.status, 200)
    t.same(answer.body, { serviceUserId })
    refused(t, await verify(linkProof))
    for (const wrong of ['', 'x', serviceUserId, 'x'.repeat(5_000), 'a\u0000b'])
      refused(t, await verify(wrong))
    for (const wrong of [undefined, null, 7, {}, []])
      t.match(await verify(wrong), {
        status: 400,
        body: { code: 'INVALID_REQUEST', error: /'linkProof'/ },
      })
  })

  t.test('extension links/verify: of two requests with one proof one is answered', async (t) => {
    const { linkProof } = (await signUp(newPerson())).body
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(linkProof)))
    t.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  testInside(t, on, 'extension sign-up: not at an inactive client app', async (t, control) => {
    const app = await control.createApp(['wallet:read'])
    await control.clientApps.setActive(app.clientId, false)
    for (const send of [signUp, login])
      t.match(await send(newPerson(), app), { status: 401, body: { code: 'INVALID_CLIENT' } })
  })

  function shouted({ email }: Fields): string {
    return String(email).toUpperCase()
  }

  function newPerson(): Fields {
    const password = `a long pass phrase ${randomUUID()}`
    const email = `spec-${randomUUID()}@example.com`
    on.control?.mustStaySecret(password, email)
    return { email, password, firstName: 'Ada', lastName: 'Byron' }
  }

  async function signUp(person: Fields, { clientId }: Credentials = on.first): Promise<Answer> {
    return remembered(await on.api.post('/api/widget/auth/signup', { clientId, ...person }))
  }

  async function login(person: Fields, { clientId }: Credentials = on.first): Promise<Answer> {
    const { email, password } = person
    const fields = 'clientId' in person ? { clientId: person['clientId'] } : { clientId }
    return remembered(await on.api.post('/api/widget/auth/login', { ...fields, email, password }))
  }

  function remembered(answer: Answer): Answer {
    const { serviceUserId, sessionToken, linkProof } = answer.body
    for (const text of [serviceUserId, sessionToken, linkProof])
      if (typeof text === 'string') on.control?.mustStaySecret(text)
    return answer
  }

  function verify(linkProof: unknown, app: Credentials = on.first): Promise<Answer> {
    return on.api.post('/api/server/links/verify', { ...app, linkProof })
  }

  function refused(t: { match(found: unknown, wanted: unknown): unknown }, answer: Answer): void {
    t.match(answer, { status: 400, body: { code: 'INVALID_LINK_PROOF' } })
  }
})
