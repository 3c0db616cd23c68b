/** The built pages over HTTP: what is served, with which headers, and what is not. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { registerPages } from '../../src/http/routes/pages.js'
import { bodyOf, rawRequest, serve } from '../support/served-app.js'

const script = `console.log(${JSON.stringify('a'.repeat(2_000))})`

/** A small folder as widget-ui/build.mjs makes it, with a secret beside it. */
function builtFolder(t: Test): string {
  return join(
    t.testdir({
      'secret.txt': 'not for anyone',
      pages: {
        admin: { 'index.html': '<!doctype html><title>Wallet admin</title>' },
        reset: {
          'index.html': '<!doctype html><title>Choose a new password</title><!--page-data-->',
        },
        assets: { 'admin-a1b2c3.js': script, 'admin-d4e5f6.css': 'p{}', 'icon-1.svg': '<svg/>' },
      },
    }),
    'pages',
  )
}

t.test('every address of the admin area answers with the admin page', async (t) => {
  const folder = builtFolder(t)
  const { origin } = await serve(t, {}, (app) => registerPages(app, { folder }))
  for (const path of ['/admin', '/admin/', '/admin/client-apps', '/admin/wallets/1f-2e/x?y=1']) {
    const answer = await fetch(origin + path)
    t.equal(answer.status, 200, path)
    t.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    t.match(await answer.text(), 'Wallet admin')
  }
  const head = await fetch(`${origin}/admin`, { method: 'HEAD' })
  t.equal(head.status, 200, 'and so does a look at its head')
})

t.test('whoever opens the bare address is led to the admin area', async (t) => {
  const folder = builtFolder(t)
  const { origin } = await serve(t, {}, (app) => registerPages(app, { folder }))
  for (const path of ['/', '/?from=somewhere']) {
    const answer = await fetch(origin + path, { redirect: 'manual' })
    t.equal(answer.status, 302)
    t.equal(answer.headers.get('location'), '/admin')
  }
  t.match(await (await fetch(origin)).text(), 'Wallet admin')
})

t.test('a reset link opens its page, and its token never arrives here', async (t) => {
  const folder = builtFolder(t)
  const { origin } = await serve(t, {}, (app) => registerPages(app, { folder }))
  const answer = await fetch(`${origin}/widget/reset#rst_token`)
  t.equal(answer.status, 200)
  t.match(await answer.text(), 'Choose a new password')
  t.match(answer.headers.get('content-security-policy'), "frame-ancestors 'none'")
})

t.test('the admin page is never kept, never framed, and loads only its own files', async (t) => {
  const folder = builtFolder(t)
  const { origin } = await serve(t, {}, (app) => registerPages(app, { folder }))
  const { headers } = await fetch(`${origin}/admin/log`)
  t.equal(headers.get('cache-control'), 'no-store')
  const policy = headers.get('content-security-policy') ?? ''
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'"])
    t.match(policy, part)
  t.match(policy, "frame-ancestors 'none'")
  t.notMatch(policy, 'unsafe')
  t.equal(headers.get('x-content-type-options'), 'nosniff')
  t.equal(headers.get('referrer-policy'), 'no-referrer')
})

t.test('hashed files have their content type and may be kept for ever', async (t) => {
  const folder = builtFolder(t)
  const { origin } = await serve(t, {}, (app) => registerPages(app, { folder }))
  const expected = {
    'admin-a1b2c3.js': 'text/javascript; charset=utf-8',
    'admin-d4e5f6.css': 'text/css; charset=utf-8',
    'icon-1.svg': 'image/svg+xml; charset=utf-8',
  }
  for (const [name, type] of Object.entries(expected)) {
    const { status, headers } = await fetch(`${origin}/assets/${name}`)
    t.equal(status, 200, name)
    t.equal(headers.get('content-type'), type)
    t.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  }
})

t.test('a file travels compressed to whoever takes it so, and plain to all others', async (t) => {
  const folder = builtFolder(t)
  const { app } = await serve(t, {}, (app) => registerPages(app, { folder }))
  const get = async (encoding: string) =>
    app.inject({ url: '/assets/admin-a1b2c3.js', headers: { 'accept-encoding': encoding } })
  for (const encoding of ['gzip', 'br, gzip;q=0.5']) {
    const answer = await get(encoding)
    t.equal(answer.headers['content-encoding'], 'gzip', encoding)
    t.equal(gunzipSync(answer.rawPayload).toString(), script)
  }
  for (const encoding of ['', 'br', 'gzip;q=0', 'identity']) {
    const answer = await get(encoding)
    t.equal(answer.headers['content-encoding'], undefined, `"${encoding}"`)
    t.equal(answer.body, script)
  }
  t.equal((await get('br')).headers['vary'], 'accept-encoding')
})

t.test('no path leads out of the folder, and no folder is listed', async (t) => {
  const folder = builtFolder(t)
  const { port, captured } = await serve(t, {}, (app) => registerPages(app, { folder }))
  const paths = [
    '/assets/',
    '/assets',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/../../secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/admin/index.html',
    '/assets/__proto__',
    '/admin/../../secret.txt',
    '/admin/index.html',
    '/admin/assets/admin-a1b2c3.js',
  ]
  for (const path of paths) {
    const answer = await rawRequest(
      port,
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    )
    t.match(answer, /^HTTP\/1\.1 404 /, path)
    t.match(bodyOf(answer), { code: 'NOT_FOUND' })
  }
  t.notMatch(captured.text, 'not for anyone')
})

t.test('a build under a running service changes nothing of what it serves', async (t) => {
  const folder = builtFolder(t)
  const { origin } = await serve(t, {}, (app) => registerPages(app, { folder }))
  rmSync(folder, { recursive: true })
  t.equal(await (await fetch(`${origin}/assets/admin-a1b2c3.js`)).text(), script)
  t.match(await (await fetch(`${origin}/admin`)).text(), 'Wallet admin')
})

t.test('a page takes no other method than a look', async (t) => {
  const folder = builtFolder(t)
  const { origin } = await serve(t, {}, (app) => registerPages(app, { folder }))
  const answer = await fetch(`${origin}/admin`, { method: 'POST' })
  t.equal(answer.status, 405)
  t.equal(answer.headers.get('allow'), 'GET, HEAD')
})

t.test('a service without its pages says at the start how to make them', async (t) => {
  const empty = t.testdir({})
  await t.rejects(
    serve(t, {}, (app) => registerPages(app, { folder: empty })),
    {
      message: /are not built: .*npm run build/,
    },
  )
  const folder = join(
    t.testdir({ admin: { 'index.html': '' }, reset: { 'index.html': '<!--page-data-->' } }),
  )
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'assets', 'font-1.woff2'), 'x')
  await t.rejects(
    serve(t, {}, (app) => registerPages(app, { folder })),
    {
      message: /no content type/,
    },
  )
})
