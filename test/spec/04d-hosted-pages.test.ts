/**
 * Sections 4 D, 5 and 6 of the contract as far as a server can be asked: the hosted pages, who may
 * frame them, whom they may post to, and what a browser elsewhere may call.
 */
import { randomUUID } from 'node:crypto'
import { onAnyStore, testEmbedding } from './support/deployment.js'
import { frameAncestors, newSession, pageData } from './support/widget-api.js'

onAnyStore(11, (t, on) => {
  t.test('4D /widget/wallet and /widget/topup are pages that nothing keeps', async (t) => {
    const session = await newSession(on, await on.account())
    for (const path of ['/widget/wallet', '/widget/topup'])
      for (const query of [{}, { clientId: on.first.clientId }, { session }]) {
        const { status, headers } = await on.api.get(path, query)
        t.equal(status, 200)
        t.match(headers.get('content-type'), 'text/html')
        t.equal(headers.get('cache-control'), 'no-store')
        t.equal(headers.get('referrer-policy'), 'no-referrer')
        t.match(headers.get('content-security-policy'), "default-src 'none'")
        t.notMatch(headers.get('content-security-policy'), 'unsafe')
        t.equal(headers.get('set-cookie'), null, 'no cookie inside a frame')
      }
  })

  t.test('5 rule 3: without an app nobody frames a page', async (t) => {
    for (const query of [{}, { clientId: `app_${randomUUID()}` }, { session: 'x' }]) {
      const answer = await on.api.get('/widget/wallet', query)
      t.equal(frameAncestors(answer), "'none'")
      t.equal(answer.headers.get('x-frame-options'), 'DENY')
      t.same(pageData(answer)['parentOrigins'], [])
    }
  })

  testEmbedding(t, on, '5 rule 3: exactly the listed parents frame a page', async (t, parent) => {
    const { clientId } = on.first
    const account = await on.account()
    const bound = await newSession(on, account, { parentOrigin: parent })
    const ofBound = await on.api.get('/widget/wallet', { session: bound })
    const session = await newSession(on, account)
    for (const answer of [
      await on.api.get('/widget/wallet', { clientId }),
      await on.api.get('/widget/wallet', { session }),
      ofBound,
    ]) {
      t.ok(frameAncestors(answer).split(' ').includes(parent))
      t.notMatch(frameAncestors(answer), '*')
      t.equal(answer.headers.get('x-frame-options'), null)
    }
    t.equal(frameAncestors(ofBound), parent, 'the parentOrigin alone')
  })

  testEmbedding(t, on, '6 a page posts to exact origins, never to *', async (t, parent) => {
    const account = await on.account()
    const session = await newSession(on, account, { parentOrigin: parent })
    for (const path of ['/widget/wallet', '/widget/topup']) {
      const answer = await on.api.get(path, { session })
      const data = pageData(answer)
      t.same(data['parentOrigins'], [parent])
      t.ok((data['openerOrigins'] as string[]).includes(parent))
      t.notOk(JSON.stringify(data).includes('"*"'))
      t.notOk(answer.text.includes(account.serviceUserId), '5 rule 6')
      t.notOk(answer.text.includes(session), 'the token stays in the address')
      t.notOk(answer.text.includes('clientSecret'), '5 rule 1')
    }
  })

  testEmbedding(
    t,
    on,
    '5 allowedOrigins: a browser there may call, others not',
    async (t, origin) => {
      const session = await newSession(on, await on.account())
      const ask = async (from: string) =>
        (
          await on.api.send('GET', `/api/widget/wallet?session=${session}`, {
            headers: { origin: from },
          })
        ).headers
      t.equal((await ask(origin)).get('access-control-allow-origin'), origin)
      t.equal((await ask(origin)).get('access-control-allow-credentials'), null)
      for (const other of ['https://evil.example', 'null', `${origin}.evil.example`])
        t.equal((await ask(other)).get('access-control-allow-origin'), null, other)
    },
  )

  testEmbedding(t, on, '5 sign-up and login answer no other origin', async (t, origin) => {
    for (const path of ['/api/widget/auth/signup', '/api/widget/auth/login']) {
      const headers = { origin, 'access-control-request-method': 'POST' }
      const answer = await on.api.send('OPTIONS', path, { headers })
      t.equal(answer.headers.get('access-control-allow-origin'), null)
      t.not(answer.status, 204)
    }
  })

  t.test('extension: the loader is for every page, and the doctor for everyone', async (t) => {
    const loader = await on.api.get('/widget/loader.js')
    t.equal(loader.status, 200)
    t.match(loader.headers.get('content-type'), 'javascript')
    t.equal(loader.headers.get('cross-origin-resource-policy'), 'cross-origin')
    t.notMatch(loader.text, /clientSecret|postMessage\([^)]*['"]\*['"]/)
    const doctor = await on.api.get('/widget/doctor', { clientId: on.first.clientId })
    t.equal(frameAncestors(doctor), '*')
    t.match(pageData(doctor), { clientId: null, parentOrigins: [] })
    const { clientId } = on.first
    const facts = await on.api.get('/api/widget/doctor', { clientId, origin: 'null' })
    t.match(facts.body, { app: 'active', originAllowed: false, originProblem: /sandbox/ })
  })
})
