/** The published checkpoints, the page that checks a bundle, and the script for download. */
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { checkpointFault, keyFault } from '../../src/audit/proofs/checkpoint-format.js'
import type { PublishedKey, SignedCheckpoint } from '../../src/audit/proofs/checkpoint-format.js'
import { rotateKey } from '../../src/audit/proofs/checkpoints.js'
import { registerAuditRoutes } from '../../src/http/routes/audit-routes.js'
import { SignedLedger } from '../support/checkpoints.js'
import { serve } from '../support/served-app.js'

interface List {
  readonly checkpoints: readonly (SignedCheckpoint & { readonly hash: string })[]
  readonly keys: readonly PublishedKey[]
  readonly nextCursor?: string
}

async function open(t: Test) {
  const signed = await SignedLedger.open(t)
  const folder = t.testdir({
    verify: { 'index.html': '<!doctype html><title>Check an audit bundle</title>' },
    'verify-bundle.mjs': readFileSync(
      new URL('../../src/verify-bundle/verify-bundle.mjs', import.meta.url),
    ),
  })
  const { pool } = signed.ledger
  const served = await serve(t, {}, (app) => registerAuditRoutes(app, { pool, folder }))
  const path = `${served.origin}/.well-known/wallet-checkpoints`
  const list = async (query = '') => (await (await fetch(path + query)).json()) as List
  return { ...served, signed, path, list }
}

t.test('checkpoints come newest first, in pages, with all keys, and verify', async (t) => {
  const { signed, list } = await open(t)
  t.same(await list(), { checkpoints: [], keys: [] })
  const made = [await signed.sign()]
  await rotateKey(signed.parts, { isLost: false })
  for (const referenceId of ['pi_2', 'pi_3']) {
    await signed.move(referenceId)
    made.push(await signed.sign())
  }
  const all = await list()
  t.same(
    all.checkpoints.map(({ checkpoint }) => checkpoint.number),
    [3, 2, 1],
  )
  t.equal(all.nextCursor, undefined)
  const oldestFirst = [...all.checkpoints].reverse()
  t.same(
    oldestFirst.map(({ checkpoint, signature }) => ({ checkpoint, signature })),
    made,
  )
  const keys = new Map(all.keys.map((key) => [key.key.keyId, key]))
  for (const [index, key] of all.keys.entries()) t.notOk(keyFault(key, all.keys[index - 1]))
  for (const [index, signed] of oldestFirst.entries()) {
    t.notOk(checkpointFault(signed, oldestFirst[index - 1], keys))
    t.equal(oldestFirst[index + 1]?.checkpoint.previous ?? signed.hash, signed.hash)
  }

  const page = await list('?limit=2')
  t.match(page, { checkpoints: { length: 2 }, nextCursor: '2' })
  const next = await list(`?limit=2&cursor=${page.nextCursor}`)
  t.match(next, { checkpoints: [{ checkpoint: { number: 1 } }], nextCursor: undefined })
})

t.test('anybody may read and keep them, and a wrong number is not found', async (t) => {
  const { signed, path } = await open(t)
  const { checkpoint } = await signed.sign()
  const answer = await fetch(`${path}/1`)
  t.match(await answer.json(), { checkpoint, hash: /^[0-9a-f]{64}$/, keys: { length: 1 } })
  for (const one of [answer, await fetch(path)]) {
    t.equal(one.headers.get('access-control-allow-origin'), '*')
    t.equal(one.headers.get('cache-control'), 'public, max-age=60')
    t.equal(one.headers.get('cross-origin-resource-policy'), 'cross-origin')
  }
  for (const wrong of ['2', '0', '01', '-1', 'x', '9'.repeat(20)])
    t.equal((await fetch(`${path}/${wrong}`)).status, 404, wrong)
  t.equal((await fetch(`${path}?limit=0`)).status, 400)
  t.equal((await fetch(`${path}?cursor=x`)).status, 400)
  t.equal((await fetch(path, { method: 'POST' })).status, 405)
})

t.test('the page can send nothing anywhere, and the script is the very file', async (t) => {
  const { origin } = await open(t)
  const page = await fetch(`${origin}/audit/verify`)
  t.match(await page.text(), 'Check an audit bundle')
  const policy = page.headers.get('content-security-policy') ?? ''
  for (const part of ["default-src 'none'", "connect-src 'none'", "form-action 'none'"])
    t.match(policy, part)
  t.notMatch(policy, /unsafe|https?:/)
  const script = await fetch(`${origin}/audit/verify-bundle.mjs`)
  t.match(script.headers.get('content-disposition'), 'attachment')
  const file = new URL('../../src/verify-bundle/verify-bundle.mjs', import.meta.url)
  t.equal(await script.text(), readFileSync(file, 'utf8'))
})
