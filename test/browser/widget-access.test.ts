/**
 * Whether everyone can use the wallet page, in a real browser: phone width, dark, right to left,
 * keyboard only, axe, no motion, another language. The pages stand in tabs of their own here.
 */
import { randomUUID } from 'node:crypto'
import type { BrowserContextOptions } from 'playwright-core'
import t, { type Test } from 'tap'
import { firstHeightPx } from '../../widget-ui/src/loader/limits.js'
import { openBrowser } from './support/chromium.js'
import { password, WidgetSite } from './support/widget-site.js'
import { appearances, complaints, phone, rulesFor, WidgetTab } from './support/widget-tab.js'

const browser = await openBrowser(t, 'access to the wallet')
if (browser !== undefined) {
  const site = await WidgetSite.open(t)
  const open: Open = (t, address, options = {}) => WidgetTab.alone(t, browser, address, options)
  looks(site, open)
  keyboard(site, open)
  languages(site, open)
  motion(site, open)
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

type Open = (t: Test, address: string, options?: BrowserContextOptions) => Promise<WidgetTab>

/** A person with one of every kind of entry, some with long words. */
async function busyPerson(site: WidgetSite) {
  const person = await site.makePerson({
    firstName: 'Wolfeschlegelsteinhausen',
    lastName: 'von Bergerdorff the Elder',
  })
  const { walletId } = person
  const top = { amountMinor: 123_456_789 - 1, pair: ['TOPUP', randomUUID()] as const }
  await site.book(walletId, 'TopUp', top)
  await site.book(walletId, 'Debit', {
    amountMinor: 98_765_432,
    pair: ['MARKETPLACE_ESCROW_RELEASE_WITH_A_LONG_NAME', `order-${'9'.repeat(120)}`],
  })
  await site.book(walletId, 'Credit', { amountMinor: 250, pair: ['ORDER_REFUND', randomUUID()] })
  await site.book(walletId, 'GrantBonus', { amountMinor: 500, pair: ['BONUS', randomUUID()] })
  const other = { amountMinor: 1_000, clientId: site.otherClientId }
  await site.book(walletId, 'Debit', other)
  return { ...person, session: await site.createSession(person) }
}

function looks(site: WidgetSite, open: Open): void {
  for (const [name, size, colorScheme] of appearances)
    t.test(`the wallet is in order on a ${name} in ${colorScheme}`, async (t) => {
      const { session } = await busyPerson(site)
      const options = { viewport: size, colorScheme }
      const tab = await open(t, site.walletUrl({ session }), options)
      await tab.showsBalance('$246,9')
      t.equal(await tab.isTooWide(), false)
      await tab.wallet.locator('summary').nth(3).click()
      t.equal(await tab.isTooWide(), false, 'nor with an entry opened')
      t.same(await tab.faults(...rulesFor(colorScheme)), [])
      await tab.screenshot(`wallet-${name}-${colorScheme}`)
      await tab.wallet.locator('.account-name').click()
      t.equal(await tab.isTooWide(), false, 'nor with the menu open')
      t.same(await tab.faults(...rulesFor(colorScheme)), [])
      await tab.page.goto(site.walletUrl())
      await tab.button('Log in').click()
      t.same(await tab.faults(...rulesFor(colorScheme)), [])
      await tab.wallet.getByRole('tab', { name: 'Sign up' }).click()
      t.equal(await tab.isTooWide(), false)
      t.same(await tab.faults(...rulesFor(colorScheme)), [])
      await tab.screenshot(`sign-up-${name}-${colorScheme}`)
    })

  t.test('a service without mail says whom to ask for a new password', async (t) => {
    const tab = await open(t, site.walletUrl(), { viewport: phone })
    await tab.button('Forgot your password?').click()
    await tab.text('This wallet service sends no mail').waitFor()
    t.match(
      await tab.wallet.locator('.notice').innerText(),
      /ask the people who run it for a link .*; Corner Shop can tell you how to reach them/,
    )
    t.equal(await tab.field('Email').count(), 0, 'no form that does nothing')
    t.equal(await tab.button('Send the link').count(), 0)
    t.equal(await tab.isTooWide(), false)
    t.same(await tab.faults(), [])
    await tab.screenshot('forgotten-without-mail')
    await tab.button('Back to the login').click()
    await tab.button('Log in').waitFor()
  })

  t.test('targets are at least 44 px high, and loading moves nothing', async (t) => {
    const { session } = await busyPerson(site)
    const tab = await open(t, site.walletUrl({ session }), { viewport: phone })
    await tab.showsBalance('$246,9')
    for (const target of await tab.wallet.locator('button:visible, summary:visible, a').all()) {
      const box = await target.boundingBox()
      t.ok((box?.height ?? 0) >= 44, await target.innerText())
    }
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => (letGo = resolve))
    await tab.page.route('**/api/widget/wallet?*', async (route) => {
      await held
      await route.continue()
    })
    await tab.page.goto(site.walletUrl({ session }))
    await tab.wallet.locator('.balance-skeleton').waitFor()
    await tab.screenshot('skeleton')
    const before = await tab.wallet.locator('.top-up').boundingBox()
    const row = await tab.wallet.locator('.entry').first().boundingBox()
    letGo()
    await tab.showsBalance('$246,9')
    const after = await tab.wallet.locator('.top-up').boundingBox()
    t.same(after, before, 'the button comes where its place was kept')
    t.equal((await tab.wallet.locator('.entry').first().boundingBox())?.y, row?.y)
  })

  t.test('an empty wallet is as high as its skeleton, and as the frame at first', async (t) => {
    const session = await site.createSession(await site.makePerson())
    const tab = await open(t, 'about:blank')
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => (letGo = resolve))
    await tab.page.route('**/api/widget/wallet?*', async (route) => {
      await held
      await route.continue()
    })
    await tab.page.goto(site.walletUrl({ session }))
    await tab.wallet.locator('.balance-skeleton').waitFor()
    const before = await tab.wallet.locator('#app').boundingBox()
    letGo()
    await tab.showsBalance('$0.00')
    t.same(await tab.wallet.locator('#app').boundingBox(), before)
    // The fonts of machines differ a little.
    t.ok(Math.abs((before?.height ?? 0) - firstHeightPx) < 10, String(before?.height))
  })

  t.test('a light accent stays light, and a long brand is whole beside a long name', async (t) => {
    const brandName = 'Teapots & Stationery of Old Town'
    const { clientApp } = await site.clientApps.create({
      ...{ name: 'teapots', brandName, accentColor: '#ffe066', scopes: ['wallet:read'] },
      ...{ allowedOrigins: [], allowedIframeParents: [] },
    })
    const person = await site.makePerson({ firstName: 'Wolfeschlegelsteinhausen' })
    const address = site.walletUrl({ clientId: clientApp.clientId })
    const tab = await open(t, address, { viewport: phone })
    await tab.logIn({ email: person.email, password })
    await tab.showsBalance('$0.00')
    const styleOf = (name: string) =>
      tab.inWallet<string>(`getComputedStyle(document.querySelector('.button-primary')).${name}`)
    t.equal(await styleOf('backgroundColor'), 'rgb(255, 224, 102)')
    t.equal(await styleOf('color'), 'rgb(14, 17, 22)')
    const isCut = (selector: string) =>
      tab.inWallet<boolean>(`(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(
        document.querySelector('${selector}'))`)
    t.equal(await isCut('.wallet-brand'), false)
    t.equal(await isCut('.account-text'), true)
    t.equal(await tab.isTooWide(), false)
    t.same(await tab.faults(), [])
    await tab.screenshot('light-accent')
  })
}

function keyboard(site: WidgetSite, open: Open): void {
  t.test('everything works by keyboard alone', async (t) => {
    const person = await site.makePerson()
    await site.book(person.walletId, 'TopUp', { amountMinor: 700, pair: ['TOPUP', randomUUID()] })
    const tab = await open(t, site.walletUrl())
    const { keyboard: keys } = tab.page
    const focused = () => tab.page.evaluate<string>('document.activeElement.textContent')
    await tab.heading('Your wallet at Corner Shop').waitFor()
    await keys.press('Tab')
    t.equal(await focused(), 'Log in', 'the tab that is chosen')
    await keys.press('ArrowRight')
    t.equal(await focused(), 'Sign up')
    await keys.press('ArrowLeft')
    await keys.press('Tab')
    await keys.type(person.email)
    await keys.press('Tab')
    await keys.type('wrong password')
    await keys.press('Enter')
    await tab.wallet.getByRole('alert').waitFor()
    await keys.press('ControlOrMeta+A')
    await keys.type(password)
    await keys.press('Enter')
    await tab.showsBalance('$7.00')
    await keys.press('Tab')
    t.match(await focused(), 'account menu')
    await keys.press('Enter')
    t.equal(await tab.button('Switch account').isVisible(), true)
    await keys.press('Escape')
    t.equal(await tab.button('Switch account').isVisible(), false)
    t.match(await focused(), 'account menu', 'Escape gives the focus back')
    await keys.press('Tab')
    t.equal(await focused(), 'Top up')
    await tab.screenshot('focus')
    await keys.press('Tab')
    await keys.press('Enter')
    t.equal(await tab.text('Balance after').isVisible(), true)
    await keys.press('Shift+Tab')
    await keys.press('Enter')
    await tab.heading('Top up your wallet').waitFor()
  })

  t.test('caps lock is told, and password managers find their fields', async (t) => {
    const tab = await open(t, site.walletUrl())
    t.equal(await tab.field('Email').getAttribute('autocomplete'), 'username')
    t.equal(await tab.field('Password').getAttribute('autocomplete'), 'current-password')
    await tab.inWallet(`document.querySelector('[name="password"]').dispatchEvent(
      new KeyboardEvent('keyup', { key: 'A', modifierCapsLock: true }))`)
    await tab.text('Caps lock is on.').waitFor()
    await tab.wallet.getByRole('tab', { name: 'Sign up' }).click()
    t.equal(await tab.field('Password').getAttribute('autocomplete'), 'new-password')
    t.equal(await tab.field('First name').getAttribute('autocomplete'), 'given-name')
  })
}

function languages(site: WidgetSite, open: Open): void {
  t.test('from right to left the page is mirrored, and amounts keep their sign', async (t) => {
    const { session } = await busyPerson(site)
    const tab = await open(t, site.walletUrl({ session, dir: 'rtl' }), { viewport: phone })
    await tab.showsBalance('$246,9')
    t.equal(await tab.isTooWide(), false)
    const row = tab.wallet.locator('.entry').first()
    const label = await row.locator('.entry-label').boundingBox()
    const amount = await row.locator('.amount').first().boundingBox()
    t.ok((label?.x ?? 0) > (amount?.x ?? 0), 'the label stands on the right')
    t.same(await tab.faults(), [])
    await tab.screenshot('rtl')
  })

  t.test('amounts and days are in the browser’s language', async (t) => {
    const { session } = await busyPerson(site)
    const tab = await open(t, site.walletUrl({ session }), { locale: 'de-DE' })
    await tab.showsBalance('246.9')
    t.match(await tab.balance.innerText(), /^246\.9\d\d,\d\d\s\$$/)
    t.match(await tab.wallet.locator('.day').first().innerText(), /^(Heute|Gestern)$/)
  })
}

function motion(site: WidgetSite, open: Open): void {
  t.test('a new entry slides in, but not for those who want no motion', async (t) => {
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      const person = await site.makePerson()
      const session = await site.createSession(person)
      const tab = await open(t, site.walletUrl({ session }), { reducedMotion })
      await tab.showsBalance('$0.00')
      await site.book(person.walletId, 'TopUp', { amountMinor: 300, pair: ['TOPUP', randomUUID()] })
      await tab.showsBalance('$3.00')
      const fresh = "document.querySelector('.entry-fresh')"
      const name = await tab.inWallet<string>(`getComputedStyle(${fresh}).animationName`)
      t.equal(name, reducedMotion === 'reduce' ? 'none' : 'entry-in')
    }
  })
}
