/**
 * Section 5 of the contract: clientId and clientSecret in query or body and in no header, scopes,
 * rotation, and users whom a client app may not act on.
 */
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { onAnyStore, testInside } from './support/deployment.js'
import { ask, routes, walletRoutes } from './support/routes.js'
import { changesReachAllMs, essence, freshReference, nobody, until } from './support/wallet-api.js'
import type { Answer, Credentials } from './support/wallet-api.js'

onAnyStore(2, (t, on) => {
  t.test('5 credentials: wrong, missing and mistyped ones are INVALID_CLIENT', async (t) => {
    const account = await on.account(1)
    const { clientId, clientSecret } = on.first
    const spoiled = [
      { clientSecret: `${clientSecret}x` },
      { clientSecret: clientSecret.slice(0, -1) },
      { clientSecret: clientSecret.toUpperCase() },
      { clientSecret: on.second.clientSecret },
      { clientSecret: '' },
      { clientSecret: undefined },
      { clientId: on.second.clientId },
      { clientId: `app_${randomUUID()}` },
      { clientId: clientId.toUpperCase() },
      { clientId: '' },
      { clientId: undefined },
      { clientId: ' ', clientSecret: ' ' },
      { clientId: "' or 1=1 --" },
    ]
    for (const route of routes)
      for (const fields of spoiled)
        isInvalidClient(t, await ask(route, account, fields), route.name)
  })

  t.test('5 credentials: a body’s are strings and nothing else', async (t) => {
    const account = await on.account(1)
    const wrongTypes = [null, true, 7, [], {}, [on.first.clientSecret]]
    for (const route of routes.filter(({ method }) => method === 'POST'))
      for (const value of wrongTypes) {
        isInvalidClient(t, await ask(route, account, { clientSecret: value }), route.name)
        isInvalidClient(t, await ask(route, account, { clientId: value }), route.name)
      }
    for (const body of ['[]', 'null', '7', '"text"', 'true', '{}'])
      for (const { path } of routes.filter(({ method }) => method === 'POST'))
        isInvalidClient(t, await on.api.postRaw(path, body), `${path} ${body}`)
  })

  t.test('5 credentials: in the query twice they count as mistyped', async (t) => {
    const { clientId, clientSecret, serviceUserId } = (await on.account()).identity
    const query = `clientId=${String(clientId)}&serviceUserId=${String(serviceUserId)}`
    const twice = `&clientSecret=${String(clientSecret)}&clientSecret=${String(clientSecret)}`
    isInvalidClient(t, await on.api.send('GET', `/api/server/wallet?${query}${twice}`), 'twice')
  })

  t.test('5 credentials: no header is used, and each verb has one place for them', async (t) => {
    const account = await on.account(1)
    const { clientId, clientSecret } = on.first
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    for (const headers of [
      { authorization: `Basic ${basic}` },
      { authorization: `Bearer ${clientSecret}` },
      { 'x-client-id': clientId, 'x-client-secret': clientSecret },
      { clientid: clientId, clientsecret: clientSecret },
    ]) {
      const user = `serviceUserId=${account.serviceUserId}`
      const path = `/api/server/wallet?${user}`
      isInvalidClient(t, await on.api.send('GET', path, { headers }), 'a header')
    }
    const command = { serviceUserId: account.serviceUserId, amount: 1, ...freshReference() }
    const query = `clientId=${clientId}&clientSecret=${clientSecret}`
    isInvalidClient(t, await on.api.post(`/api/server/wallet/debit?${query}`, command), 'a query')
    t.equal(await account.balance(), 1)
  })

  t.test('5 credentials: they come before everything else', async (t) => {
    const account = await on.account(1)
    const wrong = { clientSecret: 'wrong' }
    for (const route of walletRoutes) {
      isInvalidClient(t, await ask(route, account, { ...wrong, serviceUserId: nobody }), 'the user')
      const malformed = { serviceUserId: undefined, amount: 'x', referenceType: '' }
      isInvalidClient(t, await ask(route, account, { ...wrong, ...malformed }), 'the fields')
    }
    // Fields come before the user, so that a mistake of the caller is named to the caller.
    for (const route of walletRoutes.filter(({ path }) => path !== '/api/server/wallet')) {
      const malformed = { amount: 'x', requiredAmount: 'x', referenceType: '' }
      const answer = await ask(route, account, { serviceUserId: nobody, ...malformed })
      t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST' } }, route.name)
    }
  })

  testInside(
    t,
    on,
    '5 rule 4: wallet:read reads, wallet:write debits and credits',
    async (t, control) => {
      const reader = await control.createApp(['wallet:read'])
      const writer = await control.createApp(['wallet:write'])
      const account = await on.account(5)
      for (const { clientId } of [reader, writer])
        await control.links.add(clientId, account.serviceUserId)
      for (const route of routes)
        for (const app of [reader, writer]) {
          const mayPass = (app === reader) === (route.scope === 'wallet:read')
          const answer = await ask(route, account.as(app))
          if (mayPass) t.not(answer.status, 403, route.name)
          else t.match(answer, { status: 403, body: { code: 'INSUFFICIENT_SCOPE' } }, route.name)
          // Before the fields and before the user: who may not ask learns nothing.
          const spoiled = { serviceUserId: nobody, amount: 'x', referenceType: '' }
          if (!mayPass) t.equal((await ask(route, account.as(app), spoiled)).status, 403)
        }
      t.equal(await account.balance(), 5, 'one debit and one credit of 1.00')
    },
  )

  t.test('5 rule 6: a user who is not linked is answered as one who does not exist', async (t) => {
    const linked = await on.account(5)
    const stranger = linked.of(await signUpAt(on.first))
    t.equal((await stranger.wallet()).status, 200, 'where they signed up they are known')
    for (const route of walletRoutes) {
      const unlinked = await ask(route, stranger.as(on.second))
      const unknown = await ask(route, linked.of(nobody).as(on.second))
      t.same(essence(unlinked), essence(unknown), route.name)
      t.match(unlinked.body, { code: 'USER_NOT_FOUND', requiresAuth: true })
      t.equal(unlinked.status, route.unknownUserStatus)
    }
    for (const serviceUserId of ['', 'x', 'usr_', nobody.toUpperCase(), ` ${nobody}`])
      for (const route of walletRoutes) {
        const answer = await ask(route, linked.of(serviceUserId))
        t.match(answer.body, { code: 'USER_NOT_FOUND', requiresAuth: true }, serviceUserId)
      }
  })

  testInside(t, on, '5 rule 6: a removed link ends access at once', async (t, control) => {
    const account = await on.account(5)
    t.equal((await account.wallet()).status, 200)
    await control.links.remove(account.app.clientId, account.serviceUserId)
    await until(changesReachAllMs, async () => (await account.wallet()).status === 401)
    t.match(await account.debit(1), { status: 404, body: { code: 'USER_NOT_FOUND' } })
    t.equal((await account.as(on.second).wallet()).status, 200, 'the other app keeps its own')
  })

  testInside(
    t,
    on,
    '5 rule 2: rotation has two live secrets; a revoked one ends on every process in 2 s',
    async (t, control) => {
      const old = await control.createApp(['wallet:read', 'wallet:write'])
      const account = (await on.account(5)).as(old)
      await control.links.add(old.clientId, account.serviceUserId)
      const fresh = await control.rotate(old)
      const processes = [on.api, await control.startSecondProcess(t)]
      const asked = (app: Credentials) =>
        Promise.all(processes.map((api) => account.as(app).at(api).wallet()))
      const statuses = async (app: Credentials) => (await asked(app)).map(({ status }) => status)
      for (const app of [old, fresh, old, fresh]) t.same(await statuses(app), [200, 200])

      const secrets = async () => (await control.clientApps.find(old.clientId))?.secrets ?? []
      await until(10_000, async () => (await secrets()).every(({ lastUsedAt }) => lastUsedAt))
      t.equal((await secrets()).length, 2)
      const [oldest] = await secrets()

      await control.clientApps.revoke(old.clientId, oldest?.secretId ?? '')
      const tookMs = await until(changesReachAllMs, async () =>
        (await statuses(old)).every((s) => s === 401),
      )
      t.comment(`refused everywhere after ${Math.round(tookMs)} ms`)
      for (const answer of await asked(old)) isInvalidClient(t, answer, 'the revoked secret')
      t.same(await statuses(fresh), [200, 200], 'the new one goes on')
      const booked = await account
        .as(fresh)
        .at(processes[1] ?? on.api)
        .debit(1)
      t.equal(booked.body['balance'], 4)
      t.equal((await account.as(fresh).wallet()).body['balance'], 4)
    },
  )

  function isInvalidClient(t: Test, answer: Answer, what: string): void {
    const { status, body } = answer
    t.match({ status, body }, { status: 401, body: { code: 'INVALID_CLIENT' } }, what)
    t.type(body['error'], 'string')
    t.notOk('requiresAuth' in body, 'the person need not log in for this')
  }

  /** A person of their own at one client app, by the widget's own way. */
  async function signUpAt({ clientId }: Credentials): Promise<string> {
    const password = `a long pass phrase ${randomUUID()}`
    const answer = await on.api.post('/api/widget/auth/signup', {
      clientId,
      email: `spec-${randomUUID()}@example.com`,
      password,
      firstName: 'Ada',
      lastName: 'Byron',
    })
    const { serviceUserId, sessionToken, linkProof } = answer.body as Record<string, string>
    on.control?.mustStaySecret(password, ...[serviceUserId, sessionToken, linkProof].map(String))
    return String(serviceUserId)
  }
})
