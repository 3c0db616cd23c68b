/**
 * A tab of the shop, or of the wallet on its own, in a real browser. Whatever a page complains
 * about is gathered, except what the contract itself brings about. Screenshots go to the folder
 * that WALLET_SCREENSHOTS names; without it none are taken.
 */
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, FrameLocator, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { colourRules, faultsOn } from './axe.js'
import { takePage, type PageOptions } from './kept-pages.js'
import type { Received } from './shop-pages.js'

export const phone = { width: 320, height: 700 }
export const desktop = { width: 1100, height: 900 }

/** In the dark only the colours differ, and they are the same on a phone and a desktop. */
export const appearances = [
  ['phone', phone, 'light'],
  ['desktop', desktop, 'light'],
  ['phone', phone, 'dark'],
] as const

/** What axe looks at in one of them; none named: everything. */
export function rulesFor(colorScheme: 'light' | 'dark'): readonly string[] {
  return colorScheme === 'light' ? [] : colourRules
}

export const complaints: string[] = []

/** Answers above 399 are the test's business; each listed origin is posted to, matching or not. */
const expected = [
  'Failed to load resource',
  "Failed to execute 'postMessage' on 'DOMWindow': The target origin provided",
]

export class WidgetTab {
  readonly page: Page
  /** Where the wallet is: the frame in a page of the shop, or the page itself. */
  readonly wallet: FrameLocator | Page

  private constructor(page: Page, wallet: FrameLocator | Page) {
    this.page = page
    this.wallet = wallet
  }

  /** A page with the wallet in a frame. */
  static async framed(
    t: Test,
    browser: Browser,
    address: string,
    options: BrowserContextOptions = {},
  ): Promise<WidgetTab> {
    const page = await newPage(t, browser, options)
    await page.goto(address)
    return new WidgetTab(page, page.frameLocator('iframe'))
  }

  /** A page of the service in a tab of its own. */
  static async alone(
    t: Test,
    browser: Browser,
    address: string,
    options: BrowserContextOptions = {},
  ): Promise<WidgetTab> {
    const page = await newPage(t, browser, options)
    await page.goto(address)
    return new WidgetTab(page, page)
  }

  field(label: string): Locator {
    return this.wallet.getByLabel(label, { exact: true })
  }

  button(name: string): Locator {
    return this.wallet.getByRole('button', { name, exact: true })
  }

  heading(name: string): Locator {
    return this.wallet.getByRole('heading', { name, exact: true })
  }

  text(text: string | RegExp): Locator {
    return this.wallet.getByText(text)
  }

  get balance(): Locator {
    return this.wallet.locator('.balance .amount')
  }

  /** Resolves once the balance reads like this. */
  async showsBalance(text: string): Promise<void> {
    await this.wallet.locator('.balance .amount', { hasText: text }).waitFor()
  }

  async logIn(account: { email: string; password: string }): Promise<void> {
    await this.field('Email').fill(account.email)
    await this.field('Password').fill(account.password)
    await this.button('Log in').click()
  }

  /** The words beside a field that say what is wrong with it. */
  async errorOf(label: string): Promise<string> {
    const ids = (await this.field(label).getAttribute('aria-describedby')) ?? ''
    const id = ids.split(' ').find((one) => one.endsWith('-error'))
    if (id === undefined) return ''
    return (await this.wallet.locator(`[id="${id}"]`).textContent()) ?? ''
  }

  /** What reached the shop's page so far. */
  received(): Promise<Received[]> {
    return this.page.evaluate<Received[]>('window.received')
  }

  async types(): Promise<unknown[]> {
    return (await this.received()).map(({ data }) => data['type'])
  }

  /** Resolves once the shop has heard this. */
  async hears(type: string): Promise<void> {
    const heard = `window.received.some(({ data }) => data.type === '${type}')`
    await this.page.waitForFunction(heard)
  }

  async isTooWide(): Promise<boolean> {
    const root = 'document.documentElement'
    return this.inWallet<boolean>(`${root}.scrollWidth > ${root}.clientWidth`)
  }

  /** The value of an expression, calculated where the wallet is. */
  async inWallet<Value>(expression: string): Promise<Value> {
    const [page, frame] = this.page.frames()
    const place = frame ?? page ?? this.page
    return place.evaluate<Value>(expression)
  }

  async screenshot(name: string): Promise<void> {
    const folder = process.env['WALLET_SCREENSHOTS']
    if (folder === undefined || folder === '') return
    await this.page.screenshot({ path: join(folder, `widget-${name}.png`), fullPage: true })
  }

  /** Whatever axe finds, one line each, by all its rules or only those named. */
  async faults(...rules: string[]): Promise<string[]> {
    return faultsOn(this.page, rules.length > 0 ? { rules } : {})
  }
}

async function newPage(t: Test, browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const page = await takePage(t, browser, {
    viewport: desktop,
    colorScheme: 'light',
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...options,
  } as PageOptions)
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const text = message.text()
    const isExpected = expected.some((start) => text.startsWith(start))
    if (message.type() === 'error' && !isExpected) complaints.push(text)
  })
  return page
}
