/**
 * Checking an audit bundle in a real browser: a file that holds, one that was changed, on a phone,
 * by keyboard, by dropping it, and that nothing is sent.
 */
import type { Browser } from 'playwright-core'
import t, { type Test } from 'tap'
import { registerAuditRoutes } from '../../src/http/routes/audit-routes.js'
import { registerPages } from '../../src/http/routes/pages.js'
import { signedBundle } from '../audit/forged-bundle.js'
import { SignedLedger } from '../support/checkpoints.js'
import { forgeries, hashed } from '../support/forgeries.js'
import type { MakeEvent } from '../support/given.js'
import { walletId } from '../support/given.js'
import { openOneEntryLedger } from '../support/one-entry-ledger.js'
import { serve } from '../support/served-app.js'
import { builtPages } from './support/built-pages.js'
import { openBrowser } from './support/chromium.js'
import { appearances, complaints, phone, rulesFor, WidgetTab } from './support/widget-tab.js'

const browser = await openBrowser(t, 'checking a bundle')
if (browser !== undefined) {
  const site = await openSite(t)
  t.test('a bundle that holds is green, with its statement', (t) => good(t, browser, site))
  t.test('one entry of one wallet is not told as many', (t) => smallest(t, browser, site))
  t.test('a changed bundle names the entry', (t) => changed(t, browser, site))
  t.test('what no command could have made is told, signed or not', (t) => forged(t, browser, site))
  t.test('a file can be dropped, and one that is no bundle is told so', (t) =>
    dropped(t, browser, site),
  )
  t.test('a browser that cannot check says so', (t) => unable(t, browser, site))
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

interface Site {
  readonly address: string
  readonly good: ReturnType<typeof bundleFile>
  readonly bad: ReturnType<typeof bundleFile>
  readonly walletId: string
}

async function openSite(t: Test): Promise<Site> {
  const pages = await builtPages(t)
  const signed = await SignedLedger.open(t)
  await signed.sign()
  const bytes = await signed.bundle()
  const changed = bytes.toString('utf8').replace('O-1', 'O-7')
  const { pool } = signed.ledger
  const { origin } = await serve(t, {}, (app) => {
    registerPages(app, { folder: pages })
    registerAuditRoutes(app, { pool, folder: pages })
  })
  const address = `${origin}/audit/verify`
  const [good, bad] = [bundleFile(bytes), bundleFile(Buffer.from(changed))]
  return { address, good, bad, walletId: signed.wallets[1] }
}

function bundleFile(buffer: Buffer) {
  return { name: 'bundle.json', mimeType: 'application/json', buffer }
}

const choose = 'Choose a bundle, or drop it here'

async function good(t: Test, browser: Browser, site: Site): Promise<void> {
  for (const [name, viewport, colorScheme] of appearances) {
    const tab = await WidgetTab.alone(t, browser, site.address, { viewport, colorScheme })
    await tab.heading('Check an audit bundle').waitFor()
    t.same(await tab.faults(...rulesFor(colorScheme)), [])
    await tab.screenshot(`verify-${name}-${colorScheme}`)
    const requests: string[] = []
    tab.page.on('request', (request) => requests.push(request.url()))
    await tab.page.getByLabel(choose).setInputFiles(site.good)
    await tab.heading('This bundle holds').waitFor()
    t.same(requests, [], 'nothing is sent')
    t.match(await tab.page.locator('.facts').innerText(), site.walletId)
    t.match(await tab.page.locator('.facts').innerText(), '$4.20')
    t.match(await tab.page.locator('.facts').innerText(), '1, over 3 wallets, with the chain')
    t.match(await tab.page.locator('.proven').innerText(), 'All 7 entries, their balances and')
    t.equal(await tab.page.locator('tbody tr').count(), 7)
    t.match(await tab.page.locator('tbody tr').nth(4).innerText(), /Debit[\s\S]*O-1[\s\S]*−\$2\.00/)
    t.equal(await tab.page.locator('[role=status]').innerText(), 'The bundle holds.')
    t.equal(await tab.isTooWide(), false)
    t.same(await tab.faults(...rulesFor(colorScheme)), [])
    await tab.screenshot(`verify-good-${name}-${colorScheme}`)
  }
}

async function smallest(t: Test, browser: Browser, site: Site): Promise<void> {
  const signed = await openOneEntryLedger(t)
  await signed.sign()
  const file = bundleFile(await signed.bundle())
  const tab = await WidgetTab.alone(t, browser, site.address, { viewport: phone })
  await tab.page.getByLabel(choose).setInputFiles(file)
  await tab.heading('This bundle holds').waitFor()
  const text = await tab.page.locator('.proven').innerText()
  t.match(text, 'The only entry, its balance and its hash are as they were signed in checkpoint 1')
  t.match(text, '1, over 1 wallet, with the chain from checkpoint 1 on')
  t.match(text, '1 of 1 entry, newest first')
  await tab.screenshot('verify-smallest')
}

async function changed(t: Test, browser: Browser, site: Site): Promise<void> {
  const tab = await WidgetTab.alone(t, browser, site.address, { viewport: phone })
  // Before anything is pressed: the browser must know in time that the dialog is ours to answer.
  const chooser = tab.page.waitForEvent('filechooser')
  await tab.page.keyboard.press('Tab')
  const focused = await tab.page.evaluate<string>('document.activeElement.type')
  t.equal(focused, 'file', 'the first thing that a keyboard reaches')
  await tab.page.keyboard.press('Enter')
  await (await chooser).setFiles(site.bad)
  const alert = tab.page.getByRole('alert')
  await alert.waitFor()
  t.match(await alert.innerText(), /This bundle does not hold\s+The entry at revision 2 does not/)
  t.equal(await tab.heading('This bundle holds').count(), 0)
  t.equal(await tab.isTooWide(), false)
  t.same(await tab.faults(), [])
  await tab.screenshot('verify-bad')
  await tab.page.getByLabel(choose).setInputFiles(site.good)
  await tab.heading('This bundle holds').waitFor()
  t.equal(await alert.count(), 0, 'a new file replaces the result')
}

async function forged(t: Test, browser: Browser, site: Site): Promise<void> {
  const tab = await WidgetTab.alone(t, browser, site.address)
  const bundle = (events: readonly MakeEvent[]) =>
    bundleFile(signedBundle(walletId, hashed(walletId, events)))
  for (const [what, { before, forged }] of Object.entries(forgeries)) {
    await tab.page.getByLabel(choose).setInputFiles(bundle(before))
    await tab.heading('This bundle holds').waitFor()
    await tab.page.getByLabel(choose).setInputFiles(bundle([...before, forged]))
    const alert = tab.page.getByRole('alert')
    await alert.waitFor()
    t.match(await alert.innerText(), `entry at revision ${before.length} `, what)
  }
}

async function dropped(t: Test, browser: Browser, site: Site): Promise<void> {
  const tab = await WidgetTab.alone(t, browser, site.address)
  await tab.heading('Check an audit bundle').waitFor()
  await tab.page.evaluate(`{
    const data = new DataTransfer()
    data.items.add(new File(['{"format":"something else"}'], 'other.json'))
    const event = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data })
    document.querySelector('.drop').dispatchEvent(event)
  }`)
  await tab.heading('Not checked').waitFor()
  const said = await tab.page.locator('.notice').innerText()
  t.match(
    said,
    'This is no audit bundle: its format is not wallet-audit-bundle-v1. Choose the file',
  )
  t.match(said, 'other.json')
  t.notMatch(said, 'Run the script')
  t.equal(await tab.page.getByRole('alert').count(), 0, 'nobody is accused')
}

async function unable(t: Test, browser: Browser, site: Site): Promise<void> {
  const tab = await WidgetTab.alone(t, browser, site.address)
  await tab.page.evaluate('SubtleCrypto.prototype.importKey = () => Promise.reject(new Error())')
  await tab.page.getByLabel(choose).setInputFiles(site.good)
  await tab.heading('Not checked').waitFor()
  t.match(
    await tab.page.locator('.notice').innerText(),
    /cannot check Ed25519 signatures[\s\S]*Run the script below/,
  )
  t.same(await tab.faults(), [])
}
