// What a person takes out of the wallet: all entries, statements, receipts and the proof.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import t from 'tap'
import { documentsPerWallet } from '../../src/http/limits.js'
import { aPerson, openAccounts } from '../support/account-service.js'
import { root } from '../support/repository.js'
import type { WidgetAnswer } from '../support/widget-service.js'

const service = await openAccounts(t)
const shop = await service.makeApp({ name: 'Shop', brandName: 'Corner Shop' })
const other = await service.makeApp({ name: 'Print House' })
const { user, person, backend } = await aPerson(service, shop)
await service.links.add(other.clientId, user.serviceUserId)
const topUp = { amount: 50, referenceType: 'WELCOME', referenceId: 'W-1', description: '=cmd()' }
await service.book('credit', shop, user, topUp)
for (const referenceId of ['ORDER-7', 'order-70', 'X-8'])
  await service.book('debit', shop, user, {
    amount: 2.5,
    referenceType: 'ORDER',
    referenceId,
    description: `Zażółć ${referenceId}`,
  })
const print = { amount: 7, referenceType: 'PRINT', referenceId: 'ORDER-P', description: 'Poster' }
await service.book('debit', other, user, print)

interface Listed {
  readonly id: string
  readonly referenceId: string | null
  readonly description: string | null
  readonly appName: string | null
}

function entries(query: string, session = person): Promise<WidgetAnswer> {
  return service.get(`/api/widget/entries?session=${session}${query}`)
}

function referencesIn({ body }: WidgetAnswer): (string | null)[] {
  return (body['entries'] as Listed[]).map(({ referenceId }) => referenceId)
}

t.test('entries come in pages, newest first, without a gap or a repeat', async (t) => {
  const first = await entries('&limit=2')
  t.same(referencesIn(first), ['ORDER-P', 'X-8'])
  const second = await entries(`&limit=2&cursor=${String(first.body['nextCursor'])}`)
  t.same(referencesIn(second), ['order-70', 'ORDER-7'])
  const last = await entries(`&limit=2&cursor=${String(second.body['nextCursor'])}`)
  t.same(referencesIn(last), ['W-1'])
  t.notOk('nextCursor' in last.body, 'the last page says so')
  t.same(last.body['apps'], [
    { clientId: shop.clientId, name: 'Corner Shop' },
    { clientId: other.clientId, name: 'Print House' },
  ])
})

t.test('a search finds a part of a reference and an amount', async (t) => {
  t.same(referencesIn(await entries('&search=order-7')), ['order-70', 'ORDER-7'])
  t.same(referencesIn(await entries('&search=2,50')), ['X-8', 'order-70', 'ORDER-7'])
  t.same(referencesIn(await entries('&search=7')), ['ORDER-P', 'order-70', 'ORDER-7'])
  t.same(referencesIn(await entries('&search=Poster')), [], 'texts are sealed')
  t.same(referencesIn(await entries('&search=%25')), [], 'nothing is a wildcard')
})

t.test('kind, app and time filter together', async (t) => {
  t.same(referencesIn(await entries('&kind=credit')), ['W-1'])
  t.same(referencesIn(await entries(`&app=${other.clientId}&kind=payment`)), ['ORDER-P'])
  t.same(referencesIn(await entries('&app=nobody')), [])
  t.same(referencesIn(await entries('&to=2020-01-01T00:00:00Z')), [])
  t.equal(referencesIn(await entries('&from=2020-01-01T00:00:00Z')).length, 5)
})

t.test("a backend's session finds nothing by what it may not see", async (t) => {
  const all = await entries('', backend)
  t.same(referencesIn(all), [null, 'X-8', 'order-70', 'ORDER-7', 'W-1'])
  t.match(all.body, { apps: [{ clientId: shop.clientId }] })
  t.same(referencesIn(await entries('&search=order-p', backend)), [])
  t.same(referencesIn(await entries(`&app=${other.clientId}`, backend)), [])
  t.same(referencesIn(await entries('&search=7', backend)).slice(0, 1), [null], 'by its amount')
})

t.test('bad questions are told by their field', async (t) => {
  for (const [query, named] of [
    ['&kind=gift', 'kind'],
    ['&from=yesterday', 'from'],
    ['&limit=0', 'limit'],
    ['&cursor=x', 'cursor'],
    ['&search=%00', 'search'],
    [`&search=${'x'.repeat(101)}`, 'search'],
  ] as const)
    t.match(await entries(query), { status: 400, body: { error: `The field '${named}'` } })
  t.match(await entries('', 'ws_nobody'), { status: 401, body: { code: 'SESSION_EXPIRED' } })
})

const documents = ['statement', `receipt&entryId=x`, 'proof', 'export'] as const

t.test("documents are the person's alone, never of a session of a backend", async (t) => {
  const renewed = await service.post(`/api/widget/session/renew?session=${person}`, {
    sessionToken: backend,
  })
  t.equal(renewed.status, 200, 'the page goes on with the session of the backend')
  for (const path of documents) {
    const [name, more = ''] = path.split('&')
    const query = more === '' ? '' : `&${more}`
    const ofApp = await service.get(`/api/widget/account/${name}?session=${backend}${query}`)
    t.match(ofApp, { status: 403, body: { code: 'LOGIN_REQUIRED' } }, path)
    const nobody = await service.get(`/api/widget/account/${name}?session=ws_x${query}`)
    t.match(nobody, { status: 401, body: { code: 'SESSION_EXPIRED' } }, path)
  }
})

function account(path: string): Promise<WidgetAnswer> {
  const separator = path.includes('?') ? '&' : '?'
  return service.get(`/api/widget/account/${path}${separator}session=${person}`)
}

/** The clock of the ledger is the machine's, and the service's is the test's. */
const always = 'from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z'

t.test('a statement as CSV has every entry and no formula', async (t) => {
  const { status, text, headers } = await account(`statement?format=csv&${always}`)
  t.equal(status, 200)
  t.match(headers.get('content-type'), 'text/csv')
  t.match(headers.get('content-disposition'), /attachment; filename="statement-.*\.csv"/)
  const lines = text.trimEnd().split('\r\n')
  t.equal(lines.length, 6)
  t.match(lines[1], /WalletCredited,50,50,USD,Corner Shop,WELCOME,W-1,'=cmd\(\),1$/)
  t.match(lines[5], /WalletDebited,-7,35.5,USD,Print House,PRINT,ORDER-P,Poster,5$/)
})

t.test('a statement as PDF tells period, sums and entries in the language', async (t) => {
  const path = `statement?format=pdf&language=pl&timeZone=Europe/Warsaw&${always}`
  const { bytes, headers, status } = await fetched(path)
  t.equal(status, 200)
  t.equal(headers.get('content-type'), 'application/pdf')
  t.equal(bytes.subarray(0, 5).toString(), '%PDF-')
  t.ok(drawnOn(bytes) > 40, 'it has text')
  const empty = await fetched('statement?to=2020-01-02T00:00:00Z&from=2020-01-01T00:00:00Z')
  t.ok(drawnOn(bytes) > drawnOn(empty.bytes) + 20, 'more than one of a time before the first')
})

t.test('a statement refuses a period that ends before it begins, and unknown words', async (t) => {
  const turned = 'statement?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z'
  t.match(await account(turned), { status: 400, body: { error: /'to' must be after from/ } })
  t.match(await account('statement?timeZone=Mars'), { status: 400, body: { error: /'timeZone'/ } })
  t.match(await account('statement?language=xx'), { status: 400, body: { error: /'language'/ } })
})

t.test("a receipt is of one's own entries only", async (t) => {
  const [newest] = (await entries('')).body['entries'] as Listed[]
  const { bytes, status } = await fetched(`receipt?entryId=${newest?.id ?? ''}`)
  t.equal(status, 200)
  t.equal(bytes.subarray(0, 5).toString(), '%PDF-')
  const stranger = await aPerson(service, shop, 'eve')
  const theirs = `/api/widget/account/receipt?session=${stranger.person}&entryId=${newest?.id}`
  t.match(await service.get(theirs), { status: 404, body: { code: 'ENTRY_NOT_FOUND' } })
  t.match(await account('receipt?entryId=x'), { status: 404, body: { code: 'ENTRY_NOT_FOUND' } })
})

t.test('the proof passes the check that outsiders run', async (t) => {
  const { text, status, headers } = await account('proof')
  t.equal(status, 200, text.slice(0, 200))
  t.match(headers.get('content-disposition'), /wallet-proof-.*\.json/)
  const file = join(t.testdir(), 'proof.json')
  writeFileSync(file, text)
  const script = join(root, 'src', 'verify-bundle', 'verify-bundle.mjs')
  const said = execFileSync(process.execPath, [script, file], { encoding: 'utf8' })
  t.match(said, user.walletId)
  const nobody = await aPerson(service, shop, 'new')
  const nothing = await service.get(`/api/widget/account/proof?session=${nobody.person}`)
  t.match(nothing, { status: 409, body: { code: 'PROOF_NOT_READY' } })
})

t.test('documents of one wallet are counted', async (t) => {
  const { person: busy } = await aPerson(service, shop, 'busy')
  const path = `/api/widget/account/receipt?session=${busy}&entryId=x`
  for (let tries = 0; tries < documentsPerWallet; tries += 1) await service.get(path)
  t.match(await service.get(path), { status: 429, body: { code: 'TOO_MANY_TRIES' } })
})

async function fetched(path: string) {
  const separator = path.includes('?') ? '&' : '?'
  const address = `${service.origin}/api/widget/account/${path}${separator}session=${person}`
  const answer = await fetch(address)
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: answer.headers, bytes }
}

/** How many pieces of text the pages of a PDF draw. */
function drawnOn(pdf: Buffer): number {
  const text = pdf.toString('latin1')
  let drawn = 0
  for (const { index, 0: head } of text.matchAll(/\/FlateDecode\s*>>\s*stream\r?\n/g)) {
    const begin = index + head.length
    const end = text.indexOf('endstream', begin)
    const content = inflateSync(pdf.subarray(begin, end)).toString('latin1')
    drawn += content.match(/\bT[jJ]\b/g)?.length ?? 0
  }
  return drawn
}
