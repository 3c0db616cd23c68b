/**
 * Whether everyone can use the admin area: on a phone and a desktop, light and dark, by keyboard
 * alone, and with a screen reader as far as axe can tell.
 */
import t, { type Test } from 'tap'
import { openAdminSite, password, person, type AdminSite } from './support/admin-site.js'
import { AdminTab, complaints, desktop, phone, type TabOptions } from './support/admin-tab.js'
import { colourRules } from './support/axe.js'
import { openBrowser } from './support/chromium.js'

const browser = await openBrowser(t, 'the admin area in a real browser')
if (browser !== undefined) {
  const site = await openAdminSite(t)
  const open = (t: Test, options: Omit<TabOptions, 'origin'> = {}) =>
    AdminTab.open(t, browser, { origin: site.origin, ...options })
  looks(site, open)
  keyboards(open)
  overviews(site, open)
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

type Open = (t: Test, options?: Omit<TabOptions, 'origin'>) => Promise<AdminTab>

function looks({ parts, shopId }: AdminSite, open: Open): void {
  for (const [name, size] of Object.entries({ phone, desktop }))
    t.test(`every page fits a ${name}, and axe finds nothing serious, light or dark`, async (t) => {
      const user = await parts.users.findByEmail(person.email)
      const pages = {
        overview: '',
        'client-apps': '/client-apps',
        'new-client-app': '/client-apps/new',
        'client-app': `/client-apps/${shopId}`,
        wallets: '/wallets',
        wallet: `/wallets/${user?.walletId}`,
        log: '/log',
        unknown: '/nothing/here',
      }
      const outside = await open(t, { size, email: null })
      await outside.goTo('')
      await outside.heading('Log in').waitFor()
      await look(t, outside, { name, page: 'login' })
      const tab = await open(t, { size })
      for (const [page, path] of Object.entries(pages)) {
        await tab.goTo(path)
        await tab.page.locator('h1').waitFor()
        await tab.page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
        await look(t, tab, { name, page })
      }
    })

  t.test('at 320 pixels nothing is cut off, and dialogs fit', async (t) => {
    const user = await parts.users.findByEmail(person.email)
    const tab = await open(t, { size: { width: 320, height: 640 } })
    for (const path of ['', '/client-apps', `/client-apps/${shopId}`, '/wallets', '/log']) {
      await tab.goTo(path)
      await tab.page.locator('h1').waitFor()
      await tab.page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
      t.equal(await tab.isTooWide(), false, path)
    }
    await tab.goTo(`/wallets/${user?.walletId}`)
    await tab.button('Grant a bonus').click()
    t.same(await tab.seriousFaults(), [], 'the bonus form')
    const box = await tab.page.getByRole('dialog').boundingBox()
    t.ok(box !== null && box.x >= 0 && box.x + box.width <= 320, 'the dialog is inside')
    await tab.screenshot('small-bonus')
    await tab.page.keyboard.press('Escape')
    await tab.button('Deactivate wallet').click()
    t.same(await tab.seriousFaults(), [], 'the deactivation form')
  })

  t.test('a check box keeps its size beside a long text', async (t) => {
    const tab = await open(t, { size: phone })
    await tab.goTo('/client-apps/new')
    await tab.heading('New client app').waitFor()
    const widths = `[...document.querySelectorAll('.check input')].map((box) => box.offsetWidth)`
    t.same(await tab.page.evaluate<number[]>(widths), [20, 20])
  })

  t.test('the menu of a phone folds, and Escape closes it', async (t) => {
    const tab = await open(t, { size: phone })
    await tab.goTo('/wallets')
    const log = tab.page.getByRole('link', { name: 'Log', exact: true })
    await tab.heading('Wallets').waitFor()
    t.equal(await log.isVisible(), false)
    await tab.button('Menu').click()
    t.equal(await log.isVisible(), true)
    t.same(await tab.seriousFaults(), [], 'the open menu')
    await tab.screenshot('phone-menu')
    await tab.page.keyboard.press('Escape')
    t.equal(await log.isVisible(), false)
    await tab.choose('Log')
    await tab.heading('Log of admin actions').waitFor()
    t.equal(await log.isVisible(), false, 'and a choice folds it again')
  })
}

async function look(t: Test, tab: AdminTab, of: { name: string; page: string }): Promise<void> {
  const { name, page } = of
  t.equal(await tab.isTooWide(), false, `${page} is as wide as the window`)
  t.same(await tab.seriousFaults(), [], page)
  await tab.screenshot(`${name}-${page}`)
  if (name === 'desktop') return
  // In the dark only the colours differ, and they are those of the desktop.
  await tab.page.emulateMedia({ colorScheme: 'dark' })
  t.same(await tab.seriousFaults(...colourRules), [], `${page} in the dark`)
  await tab.screenshot(`${name}-${page}-dark`)
  await tab.page.emulateMedia({ colorScheme: 'light' })
}

function keyboards(open: Open): void {
  t.test('an admin logs in, makes a client app and stores its secret by keyboard', async (t) => {
    const tab = await open(t, { email: null })
    const { keyboard } = tab.page
    await tab.goTo('')
    await tab.heading('Log in').waitFor()
    await keyboard.press('Tab')
    await keyboard.type('grace@example.com')
    await keyboard.press('Tab')
    await keyboard.type(password)
    await keyboard.press('Enter')
    await tab.heading('Overview').waitFor()
    await tabTo(tab, 'Skip to the content')
    await keyboard.press('Enter')
    t.equal(await focused(tab, 'id'), 'content', 'the side bar can be skipped')
    await tab.goTo('/client-apps')
    await tab.page.getByRole('link', { name: 'New client app' }).waitFor()
    await tabTo(tab, 'New client app')
    t.not(await focusOutline(tab), 'none', 'the focus is visible')
    await keyboard.press('Enter')
    await tab.heading('New client app').waitFor()
    // A new page takes the focus to its name.
    await tab.page.locator('h1:focus').waitFor()
    await keyboard.press('Tab')
    await keyboard.type('Keyboard Shop')
    await tabTo(tab, 'Create client app')
    await keyboard.press('Enter')
    await tab.heading('The new secret of Keyboard Shop').waitFor()
    await tabTo(tab, 'I have stored it')
    await keyboard.press('Enter')
    await tab.heading('The new secret of Keyboard Shop').waitFor({ state: 'detached' })
  })

  t.test('a dialog keeps the focus, closes by Escape and gives the focus back', async (t) => {
    const tab = await open(t)
    await tab.goTo('/client-apps')
    await tab.page.getByRole('link', { name: 'Corner Shop' }).click()
    await tab.button('Deactivate Corner Shop').waitFor()
    await tabTo(tab, 'Deactivate Corner Shop')
    await tab.page.keyboard.press('Enter')
    await tab.heading('Deactivate Corner Shop').waitFor()
    t.equal(await focused(tab, 'name'), 'confirmation')
    for (let presses = 0; presses < 6; presses += 1) {
      await tab.page.keyboard.press('Tab')
      const isOutside = await tab.page.evaluate<boolean>(
        `document.activeElement !== document.body && !document.activeElement.closest('dialog')`,
      )
      t.equal(isOutside, false)
    }
    await tab.page.keyboard.press('Escape')
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' })
    t.equal(await focused(tab, 'textContent'), 'Deactivate Corner Shop')
  })
}

function overviews(_site: AdminSite, open: Open): void {
  t.test('the overview says the numbers first, and each chart has a table behind it', async (t) => {
    const tab = await open(t)
    await tab.goTo('')
    await tab.heading('The last 30 days').waitFor()
    const numbers = await tab.page.locator('.number').allInnerTexts()
    t.match(numbers, [
      /^Held balance\s+\$[\d,]+\.\d\d/,
      /^Volume today\s+\$[\d,]+\.\d\d/,
      /^Declines today\s+\d+/,
      /^Projection lag\s+\d+ m?s\s+Up to date/,
      /^Last integrity check\s+Not yet/,
      /^Wallets\s+2/,
    ])
    for (const name of ['Volume', 'Balance held', 'Declines']) {
      const chart = tab.page.getByRole('figure', { name })
      t.match(await chart.getByRole('img').getAttribute('aria-label'), '30 days')
      await chart.locator('summary').click()
      t.equal(await chart.locator('tbody tr').count(), 30, `${name} has a row a day`)
      t.ok((await chart.locator('svg text').count()) > 5, `${name} has axes`)
    }
    const owed = await tab.page.locator('.table tbody tr').allInnerTexts()
    t.match(owed[0], /Corner Shop[\s\S]*\$755\.\d\d/, 'the most first')
    t.match(owed.at(-1), /\$0\.00/)
  })
}

/** Presses Tab until the focus is on what is so called, as a person would. */
async function tabTo(tab: AdminTab, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await tab.page.keyboard.press('Tab')
    if ((await focused(tab, 'textContent')).trim() === name) return
  }
  throw new Error(`Tab does not lead to ${name}`)
}

async function focused(tab: AdminTab, property: string): Promise<string> {
  return tab.page.evaluate<string>(`String(document.activeElement?.['${property}'] ?? '')`)
}

async function focusOutline(tab: AdminTab): Promise<string> {
  return tab.page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')
}
