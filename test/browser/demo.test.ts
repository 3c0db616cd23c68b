/**
 * The demo as a newcomer meets it, in a real browser: `demo` is started as a command, and
 * everything else happens by clicks in the shop, in the wallet's frame and in the top-up window.
 * Screenshots go to the folder that WALLET_SCREENSHOTS names; without it none are taken.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, FrameLocator, Page } from 'playwright-core'
import t from 'tap'
import type { Test } from 'tap'
import { startCommand } from '../support/command-line.js'
import { faultsOn } from './support/axe.js'
import { openBrowser } from './support/chromium.js'
import { rulesFor } from './support/widget-tab.js'

/** Everything is on this machine, but the machine may be busy. */
const patienceMs = 30_000

/** An error, a blocked script or frame: of every page of this file. */
const complaints: string[] = []

/** Answers above 399 are the test's business; each listed origin is posted to, matching or not. */
const expected = [
  'Failed to load resource',
  "Failed to execute 'postMessage' on 'DOMWindow': The target origin provided",
]

const browser = await openBrowser(t, 'the demo in a real browser')
if (browser !== undefined) {
  const shop = await startDemo(t)
  newcomer(browser, shop)
  looks(browser, shop)
}

async function startDemo(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wallet-demo-'))
  // As root another user runs PostgreSQL and must be able to enter.
  await chmod(folder, 0o755)
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const demo = startCommand(t, ['demo', '--shop-port', '0'], { DATA_DIR: folder })
  const [, shop = ''] = await demo.says(/Open (http\S+)/)
  return shop
}

function newcomer(browser: Browser, shop: string): void {
  t.test('a newcomer buys, tops up the shortfall, pays, is refunded and switches', async (t) => {
    const page = await open(t, browser)
    const startedMs = performance.now()
    await page.goto(shop)
    await page.getByRole('button', { name: 'Buy Dotted notebook' }).click()
    await registerInShop(page, 'newcomer@example.com')
    await page.getByRole('heading', { name: 'Dotted notebook' }).waitFor()
    t.match(page.url(), /\/checkout\?order=/, 'the login leads on to the checkout')
    await page.getByRole('button', { name: /^Pay \$12\.90/ }).click()
    await page.getByText('Connect your wallet to pay').waitFor()

    const wallet = page.frameLocator('#wallet iframe')
    await screenshot(page, 'connect', wallet)
    await signUp(wallet, 'newcomer@example.com')
    await page.getByText('Your wallet is connected. Your wallet lacks $12.90').waitFor()
    await screenshot(page, 'insufficient', wallet)
    await topUpInWindow(page, '$12.90')

    await page.getByText('Your wallet now holds $12.90. You can pay.').waitFor()
    t.equal(await page.locator('.notice.good').count(), 1, 'good news is green')
    await screenshot(page, 'topped-up', wallet)
    await page.getByRole('button', { name: /^Pay \$12\.90/ }).click()
    await page.getByText('✓ Paid with your wallet').waitFor()
    const tookMs = Math.round(performance.now() - startedMs)
    t.ok(tookMs < 120_000, `bought after ${tookMs} ms, without the time to read and type`)
    await screenshot(page, 'paid')

    await page.getByRole('link', { name: 'See your orders' }).click()
    await page.getByRole('button', { name: 'Refund Dotted notebook' }).click()
    await page.getByRole('heading', { name: 'Refund Dotted notebook?' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('✓ Paid').waitFor()
    await page.getByRole('button', { name: 'Refund Dotted notebook' }).click()
    await screenshot(page, 'refund')
    t.same(await faultsOf(page), [], 'the question')
    await page.getByRole('button', { name: 'Refund $12.90' }).click()
    await page.getByText('↩ Refunded').waitFor()
    await page.getByText('The money is back: $12.90 is in your wallet again.').waitFor()
    await screenshot(page, 'orders')

    await page.getByRole('link', { name: 'Wallet', exact: true }).click()
    await wallet.getByText('$12.90').first().waitFor()
    await wallet.getByText('Refund', { exact: false }).first().waitFor()
    await screenshot(page, 'wallet', wallet)
    await wallet.getByRole('button', { name: /account menu/ }).click()
    await wallet.getByRole('button', { name: 'Switch account' }).click()
    await wallet.getByLabel('Email').waitFor()
    await page.getByRole('button', { name: 'Disconnect the wallet' }).waitFor({ state: 'hidden' })
    t.same(await linkOf(page), false)
    await signUp(wallet, 'other@example.com')
    await page.getByRole('button', { name: 'Disconnect the wallet' }).waitFor()
    t.same(await linkOf(page), true)
  })

  t.test('a login leads on only to what the shop itself has', async (t) => {
    const page = await open(t, browser)
    await page.goto(shop)
    await page.getByRole('button', { name: 'Buy Blue-black ink' }).click()
    await registerInShop(page, 'returning@example.com')
    await page.getByRole('heading', { name: 'Blue-black ink' }).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('link', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    const leadsTo = { 'buy=ink': 'checkout\\?order=.+', 'next=/orders': 'orders' }
    const forged = ['buy=nothing', 'buy=', 'buy=//evil.example', 'next=//evil.example/x']
    const products = Object.fromEntries(forged.map((wish) => [wish, '']))
    for (const [wish, path] of Object.entries({ ...leadsTo, ...products })) {
      await page.goto(`${shop}/login?${wish}`)
      await page.getByRole('button', { name: 'I have an account' }).click()
      await page.getByLabel('Email').fill('returning@example.com')
      await page.getByLabel('Password').fill('a shop password')
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.waitForURL(new RegExp(`^${shop}/${path}$`))
      t.pass(wish)
    }
    const { orders } = await page.evaluate<{ orders: readonly { title: string }[] }>(
      "fetch('/api/orders').then((answer) => answer.json())",
    )
    t.same(
      orders.map(({ title }) => title),
      ['Blue-black ink', 'Blue-black ink'],
      'an order for each wish that named a product',
    )
  })

  t.test('the same by hand: a plain iframe in a sandbox, and a listener', async (t) => {
    const page = await open(t, browser)
    await page.goto(`${shop}/login`)
    await registerInShop(page, 'by-hand@example.com')
    await page.goto(`${shop}/wallet-by-hand`)
    const wallet = page.frameLocator('#wallet')
    await signUp(wallet, 'by-hand@example.com')
    // Linked, and loaded again with a session of the shop's backend, perhaps before the first load
    // was complete.
    await page.locator('#wallet[src*="session="]').waitFor()
    await page.getByText('SERVICE_WALLET_LOADED').first().waitFor()
    t.same(await linkOf(page), true)
    const opened = page.waitForEvent('popup')
    await wallet.getByRole('button', { name: 'Top up' }).first().click()
    const topUp = await opened
    await topUp.getByRole('button', { name: /^Continue/ }).waitFor()
    t.notMatch(topUp.url(), 'session=', 'the token is gone from the address')
    await topUp.close()
    await screenshot(page, 'by-hand', wallet)
    await wallet.getByRole('button', { name: /account menu/ }).click()
    const unlinked = page.waitForResponse(`${shop}/api/wallet/unlink`)
    await wallet.getByRole('button', { name: 'Switch account' }).click()
    await page.getByText('SERVICE_LOGOUT_REQUEST').waitFor()
    await unlinked
    await wallet.getByLabel('Email').waitFor()
    t.same(await linkOf(page), false)
  })
}

function looks(browser: Browser, shop: string): void {
  for (const colorScheme of ['light', 'dark'] as const)
    t.test(
      `every page of the shop fits a phone and can be used by everyone, ${colorScheme}`,
      async (t) => {
        const page = await open(t, browser, { viewport: { width: 320, height: 700 }, colorScheme })
        await page.goto(`${shop}/login`)
        await registerInShop(page, `${colorScheme}@example.com`)
        await page.getByRole('button', { name: 'Buy Blue-black ink' }).click()
        await page.getByRole('button', { name: /^Pay/ }).waitFor()
        const checkout = page.url().replace(shop, '')
        for (const path of ['/', '/login', checkout, '/orders', '/wallet', '/wallet-by-hand']) {
          await page.goto(shop + path)
          await page.getByRole('button', { name: 'Log out' }).waitFor()
          const tooWide =
            'document.documentElement.scrollWidth > document.documentElement.clientWidth'
          t.notOk(await page.evaluate<boolean>(tooWide), `${path} is not too wide`)
          t.same(await faultsOf(page, rulesFor(colorScheme)), [], path)
          const name = path.split('?')[0]?.slice(1) ?? ''
          await screenshot(page, `${colorScheme}-${name === '' ? 'products' : name}`)
        }
      },
    )

  t.test('no page of the demo complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

async function open(t: Test, browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1000, height: 900 },
    locale: 'en-US',
    reducedMotion: 'reduce',
    ...options,
  })
  t.teardown(() => context.close())
  context.setDefaultTimeout(patienceMs)
  context.on('console', (message) => {
    const isExpected = expected.some((start) => message.text().startsWith(start))
    if (message.type() === 'error' && !isExpected) complaints.push(message.text())
  })
  context.on('weberror', (error) => complaints.push(error.error().message))
  return context.newPage()
}

async function registerInShop(page: Page, email: string): Promise<void> {
  await page.getByRole('heading', { name: 'Create an account' }).waitFor()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('a shop password')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText(email).waitFor()
}

async function signUp(wallet: FrameLocator, email: string): Promise<void> {
  await wallet.getByRole('tab', { name: 'Sign up' }).click()
  await wallet.getByLabel('First name').fill('Nora')
  await wallet.getByLabel('Last name').fill('Newcomer')
  await wallet.getByLabel('Email').fill(email)
  await wallet.getByLabel('Password', { exact: true }).fill('a wallet password')
  await wallet.getByRole('button', { name: 'Sign up' }).click()
}

/** The window of the wallet service, from the button of the checkout to its end. */
async function topUpInWindow(page: Page, amount: string): Promise<void> {
  const opened = page.waitForEvent('popup')
  await page.getByRole('button', { name: `Top up ${amount}` }).click()
  const topUp = await opened
  await topUp.getByRole('button', { name: `Continue with ${amount}` }).click()
  await topUp.getByLabel('Card number').fill('4242424242424242')
  await topUp.getByLabel('Expiry').fill('12/34')
  await topUp.getByLabel('Security code').fill('123')
  await screenshot(topUp, 'top-up-window')
  await topUp.getByRole('button', { name: `Pay ${amount}` }).click()
  await topUp.getByRole('button', { name: /^Back to/ }).waitFor()
  await screenshot(topUp, 'top-up-done')
  await topUp.close()
}

/** Whether the shop's backend holds a link for who is logged in. */
async function linkOf(page: Page): Promise<boolean> {
  const { user } = await page.evaluate<{ user: { isLinked: boolean } }>(
    "fetch('/api/me').then((answer) => answer.json())",
  )
  return user.isLinked
}

/** Only the shop's own page: the frame is the widget's business, and the browser test of it. */
async function faultsOf(page: Page, rules: readonly string[] = []): Promise<string[]> {
  return faultsOn(page, { exclude: 'iframe', ...(rules.length > 0 && { rules }) })
}

async function screenshot(page: Page, name: string, wallet?: FrameLocator): Promise<void> {
  const folder = process.env['WALLET_SCREENSHOTS']
  if (folder === undefined || folder === '') return
  await wallet?.locator('body').waitFor()
  await page.screenshot({ path: join(folder, `demo-${name}.png`), fullPage: true })
}
