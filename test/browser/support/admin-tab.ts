/**
 * A tab of the admin area in a real browser, logged in once a person and process: the cookie is
 * kept for the tabs after it. Whatever a page complains about is gathered.
 * Screenshots go to the folder that WALLET_SCREENSHOTS names; without it none are taken.
 */
import { join } from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { adminEmail, password } from './admin-site.js'
import { faultsOn } from './axe.js'
import { takePage } from './kept-pages.js'

export const phone = { width: 360, height: 740 }
export const desktop = { width: 1280, height: 860 }

/** An error, a blocked script or style: of every tab of this process; the last test looks at it. */
export const complaints: string[] = []

const cookiesOf = new Map<string, Awaited<ReturnType<BrowserContext['cookies']>>>()

export interface TabOptions {
  readonly origin: string
  readonly size?: { readonly width: number; readonly height: number }
  /** Who is logged in; null: nobody. */
  readonly email?: string | null
}

export class AdminTab {
  readonly page: Page
  readonly context: BrowserContext
  readonly #origin: string

  private constructor(page: Page, origin: string) {
    this.page = page
    this.context = page.context()
    this.#origin = origin
  }

  static async open(t: Test, browser: Browser, options: TabOptions): Promise<AdminTab> {
    const { origin, size = desktop, email = adminEmail } = options
    const page = await takePage(t, browser, {
      viewport: size,
      colorScheme: 'light',
      locale: 'en-US',
      reducedMotion: 'reduce',
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      // The browser itself reports every answer above 399; those are the test's own business.
      const isExpected = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isExpected) complaints.push(message.text())
    })
    const tab = new AdminTab(page, origin)
    if (email !== null) await tab.enter(email)
    return tab
  }

  async enter(email: string): Promise<void> {
    const cookies = cookiesOf.get(this.#origin + email)
    if (cookies !== undefined) {
      await this.context.addCookies(cookies)
      return
    }
    await this.goTo('')
    await this.field('Email').fill(email)
    await this.field('Password').fill(password)
    await this.button('Log in').click()
    await this.heading('Overview').waitFor()
    cookiesOf.set(this.#origin + email, await this.context.cookies())
  }

  async goTo(path: string): Promise<void> {
    await this.page.goto(`${this.#origin}/admin${path}`)
  }

  /** By the link in the side bar, as people do; on a phone the menu is opened first. */
  async choose(name: string): Promise<void> {
    const menu = this.button('Menu')
    if (await menu.isVisible()) await menu.click()
    await this.page.getByRole('navigation').getByRole('link', { name }).click()
  }

  field(label: string): Locator {
    return this.page.getByLabel(label, { exact: true })
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true })
  }

  heading(name: string): Locator {
    return this.page.getByRole('heading', { name, exact: true })
  }

  text(text: string): Locator {
    return this.page.getByText(text)
  }

  /** The words beside a field that say what is wrong with it. */
  async errorOf(label: string): Promise<string> {
    const ids = (await this.field(label).getAttribute('aria-describedby')) ?? ''
    const id = ids.split(' ').find((one) => one.endsWith('-error'))
    if (id === undefined) return ''
    return (await this.page.locator(`[id="${id}"]`).textContent()) ?? ''
  }

  /** What stands in a fact list beside a name. */
  fact(name: string): Locator {
    const term = this.page.locator('dt', { hasText: new RegExp(`^${name}$`) })
    return term.locator('xpath=following-sibling::dd[1]')
  }

  /** True while something is wider than the window. */
  async isTooWide(): Promise<boolean> {
    return this.page.evaluate<boolean>(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth',
    )
  }

  async screenshot(name: string): Promise<void> {
    const folder = process.env['WALLET_SCREENSHOTS']
    if (folder === undefined || folder === '') return
    await this.page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  }

  /** What axe finds serious or critical, one line each; all its rules, or only those named. */
  async seriousFaults(...rules: string[]): Promise<string[]> {
    return faultsOn(this.page, { seriousOnly: true, ...(rules.length > 0 && { rules }) })
  }
}
