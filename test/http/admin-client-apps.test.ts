/** Client apps in the admin API: made, edited, rotated, revoked, switched off, and logged. */
import t from 'tap'
import type { ClientAppDetails } from '../../src/identity/client-apps.js'
import { AdminArea } from '../support/admin-area.js'
import type { AdminAnswer } from '../support/admin-area.js'

const shop = {
  name: 'Shop',
  allowedOrigins: ['https://shop.example'],
  allowedIframeParents: ['https://www.shop.example', 'http://localhost:5173'],
  scopes: ['wallet:read', 'wallet:write'],
}

const area = await AdminArea.open(t)
const browser = await area.enter()

interface Made {
  clientApp: ClientAppDetails
  clientSecret: string
}

function made({ body }: AdminAnswer): Made {
  return body as unknown as Made
}

async function create(name: string): Promise<Made> {
  return made(await browser.post('/client-apps', { ...shop, name }))
}

t.test('a client app is made with a secret that is shown once and works', async (t) => {
  const answer = await browser.post('/client-apps', { ...shop, extra: 'ignored' })
  t.equal(answer.status, 200)
  const { clientApp, clientSecret } = made(answer)
  t.match(clientSecret, /^sk_[\w-]{43}$/)
  const { clientId } = clientApp
  t.match(clientApp, { ...shop, clientId: /^app_[0-9a-f-]{36}$/, isActive: true })
  t.match(clientApp.secrets, [{ secretId: String, lastUsedAt: null }])
  t.ok(await area.parts.clientApps.authenticate(clientId, clientSecret))
  const found = await browser.get(`/client-apps/${clientId}`)
  t.match(found, { status: 200, body: { clientApp: { clientId, name: 'Shop' } } })
  t.notOk(JSON.stringify(found.body).includes(clientSecret))
  const list = await browser.get('/client-apps')
  t.match(list.body['clientApps'], [{ clientId, name: 'Shop' }])
  t.notOk(JSON.stringify(list.body).includes(clientSecret))
})

t.test('every field that is not as it must be is named, and nothing is made', async (t) => {
  const before = (await browser.get('/client-apps')).body
  const logged = (await browser.get('/log?limit=1')).body
  for (const [change, field] of [
    [{ name: undefined }, 'name'],
    [{ name: 5 }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'a\0b' }, 'name'],
    [{ name: '\ud800' }, 'name'],
    [{ allowedOrigins: undefined }, 'allowedOrigins'],
    [{ allowedOrigins: 'https://shop.example' }, 'allowedOrigins'],
    [{ allowedOrigins: [true] }, 'allowedOrigins[0]'],
    [{ allowedOrigins: ['https://shop.example', 'https://shop.example/'] }, 'allowedOrigins[1]'],
    [{ allowedIframeParents: ['*'] }, 'allowedIframeParents[0]'],
    [{ allowedIframeParents: null }, 'allowedIframeParents'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['wallet:read', 'wallet:all'] }, 'scopes[1]'],
    [{ brandName: '' }, 'brandName'],
    [{ brandName: 5 }, 'brandName'],
    [{ accentColor: 'green' }, 'accentColor'],
    [{ accentColor: ['#123456'] }, 'accentColor'],
  ] as const) {
    const answer = await browser.post('/client-apps', { ...shop, ...change })
    const name = JSON.stringify(change)
    t.match(answer, { status: 400, body: { code: 'INVALID_REQUEST' } }, name)
    t.ok(String(answer.body['error']).startsWith(`The field '${field}' `), name)
  }
  t.same((await browser.get('/client-apps')).body, before)
  t.same((await browser.get('/log?limit=1')).body, logged, 'a typing error is no act')
})

t.test('an edit changes the fields it names and no other', async (t) => {
  const { clientApp } = await create('Edited')
  const path = `/client-apps/${clientApp.clientId}`
  const changed = await browser.send('PATCH', path, { name: 'Better', scopes: ['wallet:read'] })
  t.equal(changed.status, 200)
  const expected = { ...clientApp, name: 'Better', scopes: ['wallet:read'] }
  t.same(changed.body, { clientApp: expected })
  const refused = await browser.send('PATCH', path, { allowedOrigins: ['ftp://shop.example'] })
  t.match(refused.body['error'], /^The field 'allowedOrigins\[0\]' /)
  t.same((await browser.get(path)).body, { clientApp: expected })
})

t.test('a brand is given with the app, changed and taken away, and logged', async (t) => {
  const brand = { brandName: 'The Shop', accentColor: '#1a7f5a' }
  const { clientApp } = made(await browser.post('/client-apps', { ...shop, ...brand }))
  t.match(clientApp, brand)
  const { body } = await browser.get('/log?limit=1')
  t.match(body['entries'], [{ action: 'client-app.create', details: brand }])
  const path = `/client-apps/${clientApp.clientId}`
  const changed = await browser.send('PATCH', path, { brandName: 'Ours' })
  t.same(changed.body, { clientApp: { ...clientApp, brandName: 'Ours' } })
  const without = await browser.send('PATCH', path, { brandName: null, accentColor: null })
  t.match(without.body, { clientApp: { brandName: null, accentColor: null } })
  const log = await browser.get('/log?limit=1')
  const details = { brandName: null, accentColor: null }
  t.match(log.body['entries'], [{ action: 'client-app.update', details }])
})

t.test(
  'a rotation overlaps: two secrets are live, a third is refused, one is revoked',
  async (t) => {
    const first = await create('Rotated')
    const { clientId } = first.clientApp
    const path = `/client-apps/${clientId}`
    const second = made(await browser.post(`${path}/rotate`))
    t.equal(second.clientApp.secrets.length, 2)
    for (const { clientSecret } of [first, second])
      t.ok(await area.parts.clientApps.authenticate(clientId, clientSecret))
    const third = await browser.post(`${path}/rotate`)
    t.match(third, { status: 400, body: { code: 'INVALID_REQUEST' } })
    const [old] = first.clientApp.secrets
    const revoked = await browser.post(`${path}/secrets/${old?.secretId ?? ''}/revoke`)
    t.equal(revoked.status, 200)
    t.equal(made(revoked).clientApp.secrets.length, 1)
    t.notOk(await area.parts.clientApps.authenticate(clientId, first.clientSecret))
    t.ok(await area.parts.clientApps.authenticate(clientId, second.clientSecret))
    t.equal((await browser.post(`${path}/secrets/${old?.secretId ?? ''}/revoke`)).status, 404)

    const { body } = await browser.get('/log?limit=4')
    t.match(body['entries'], [
      { action: 'client-app.revoke', subject: clientId, details: { secretId: old?.secretId } },
      {
        action: 'client-app.rotate',
        outcome: 'refused',
        details: { code: 'INVALID_REQUEST' },
      },
      {
        action: 'client-app.rotate',
        outcome: 'done',
        details: { secretId: second.clientApp.secrets[1]?.secretId },
      },
      {
        action: 'client-app.create',
        outcome: 'done',
        subject: clientId,
        adminEmail: 'admin@example.com',
        details: { ...shop, name: 'Rotated', secretId: old?.secretId },
      },
    ])
  },
)

t.test('an app that is switched off is refused until it is switched on again', async (t) => {
  const { clientApp, clientSecret } = await create('Switched')
  const { clientId } = clientApp
  const off = await browser.post(`/client-apps/${clientId}/deactivate`)
  t.match(off, { status: 200, body: { clientApp: { isActive: false } } })
  t.notOk(await area.parts.clientApps.authenticate(clientId, clientSecret))
  const on = await browser.post(`/client-apps/${clientId}/activate`)
  t.match(on, { status: 200, body: { clientApp: { isActive: true } } })
  t.ok(await area.parts.clientApps.authenticate(clientId, clientSecret))
})

t.test('an app or a secret that nobody has is a 404', async (t) => {
  const { clientApp } = await create('Known')
  const nobody = '00000000-0000-4000-8000-000000000000'
  for (const clientId of [`app_${nobody}`, 'app_1', '%00', nobody])
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/rotate'],
      ['POST', '/activate'],
      ['POST', '/deactivate'],
      ['POST', `/secrets/${nobody}/revoke`],
    ] as const) {
      const answer = await browser.send(
        method,
        `/client-apps/${clientId}${path}`,
        method === 'PATCH' ? {} : undefined,
      )
      t.match(answer, { status: 404, body: { code: 'NOT_FOUND' } }, `${method} ${clientId}${path}`)
    }
  for (const secretId of [nobody, '%00', 'x'])
    t.equal(
      (await browser.post(`/client-apps/${clientApp.clientId}/secrets/${secretId}/revoke`)).status,
      404,
    )
})

t.test('no secret is in the log of actions or in the log lines', async (t) => {
  const { clientApp, clientSecret } = await create('Quiet')
  const rotated = made(await browser.post(`/client-apps/${clientApp.clientId}/rotate`))
  await area.captured.line(({ route }) => route === '/api/admin/client-apps/:clientId/rotate')
  const { rows } = await area.ledger.pool.query<{ row: string }>(
    'select to_json(l)::text as row from identity.admin_log l',
  )
  const written = area.captured.text + rows.map(({ row }) => row).join('\n')
  for (const secret of [clientSecret, rotated.clientSecret, browser.csrfToken, browser.cookie]) {
    t.ok(secret.length > 40)
    t.notOk(written.includes(secret.replace('wallet_admin=', '')))
  }
  t.notMatch(written, /sk_/)
})
