/**
 * The wallet and the top-up in other languages, in a real browser: words, amounts, dates, examples
 * and `lang` are of one language; the person's choice holds; every language fits a phone; and every
 * page says who runs it.
 */
import type { Browser } from 'playwright-core'
import t from 'tap'
import { languages } from '../../widget-ui/src/words/languages.js'
import { openBrowser } from './support/chromium.js'
import { TopUpSite } from './support/top-up-site.js'
import { complaints, phone, WidgetTab } from './support/widget-tab.js'

const browser = await openBrowser(t, 'languages')
if (browser !== undefined) {
  const site = await TopUpSite.open(t, {
    SERVICE_NAME: 'Acme Pay',
    SUPPORT_ADDRESS: 'help@acme.example',
    TERMS_URL: 'https://acme.example/terms',
    PRIVACY_URL: 'https://acme.example/privacy',
  })
  german(site, browser)
  choice(site, browser)
  beforeLogin(site, browser)
  everyLanguage(site, browser)
}

function german(site: TopUpSite, browser: Browser): void {
  t.test('the loader’s German: words, amounts, days, examples and lang', async (t) => {
    const person = await site.makePerson()
    const german = { locale: 'de-DE' }
    const address = await site.topUpPage(person, german)
    const tab = await WidgetTab.alone(t, browser, address, { viewport: phone })
    await tab.heading('Wallet aufladen').waitFor()
    t.equal(await tab.page.title(), 'Wallet aufladen · Corner Shop')
    await tab.text(/^Von 1,00\s\$ bis 500,00\s\$ auf einmal\.$/).waitFor()
    await tab.field('Anderer').check()
    await tab.field('Betrag in USD').fill('1.000')
    await tab.button('Weiter').click()
    const fault = 'Geben Sie höchstens 2 Nachkommastellen ein, etwa 12,50.'
    t.equal(await tab.errorOf('Betrag in USD'), fault)
    await tab.field('Betrag in USD').fill('12,50')
    await tab.page.getByRole('button', { name: /^Weiter mit 12,50/ }).click()
    t.equal(await tab.field('Gültig bis').getAttribute('placeholder'), 'MM / JJ')
    await pay(tab, '4000 0000 0000 0002')
    await tab.heading('Die Zahlung ist nicht zustande gekommen').waitFor()
    await tab.text('Ihre Karte wurde abgelehnt.').first().waitFor()
    await tab.text('Es wurde kein Geld abgebucht.').first().waitFor()
    t.same(await tab.faults(), [])
    await tab.screenshot('german-declined')
    await tab.button('Andere Karte versuchen').click()
    await pay(tab, '4242 4242 4242 4242')
    await tab.page.getByRole('heading', { name: /^12,50\s\$ sind in Ihrer Wallet$/ }).waitFor()

    const session = await site.session(person)
    await tab.page.goto(site.page('wallet', { session, ...german }))
    await tab.showsBalance('12,50')
    t.equal(await tab.page.locator('html').getAttribute('lang'), 'de-DE')
    await tab.heading('Letzte Buchungen').waitFor()
    t.equal(await tab.page.locator('.day').first().innerText(), 'Heute')
    t.match(await tab.page.locator('.entry').first().innerText(), /Aufladung[^]*\+12,50\s\$/)
    await tab.text('Ihre Wallet bei Corner Shop wird von Acme Pay betrieben').waitFor()
    const terms = tab.page.getByRole('link', { name: 'Bedingungen' })
    t.equal(await terms.getAttribute('href'), 'https://acme.example/terms')
    await tab.page.locator('.account-name').click()
    await tab.button('Konto wechseln').waitFor()
    t.equal(await tab.field('Sprache').count(), 0, 'the host page has chosen')
    t.same(await tab.faults(), [])
    await tab.screenshot('german-wallet')
  })
}

async function pay(tab: WidgetTab, number: string): Promise<void> {
  await tab.field('Kartennummer').fill(number)
  await tab.page.getByRole('img', { name: 'Visa' }).first().waitFor()
  await tab.field('Gültig bis').fill('12/34')
  await tab.field('Prüfziffer').fill('123')
  await tab.page.getByRole('button', { name: /^12,50\s\$ bezahlen$/ }).click()
}

function choice(site: TopUpSite, browser: Browser): void {
  t.test('what a person chooses holds here, and on the pages of another device', async (t) => {
    const person = await site.makePerson()
    const session = await site.session(person)
    const tab = await WidgetTab.alone(t, browser, site.page('wallet', { session }))
    await tab.showsBalance('$0.00')
    await tab.page.locator('.account-name').click()
    const told = tab.page.waitForResponse('**/api/widget/language?*')
    await tab.field('Language').selectOption('pl')
    await tab.button('Doładuj').waitFor()
    t.equal(await tab.page.locator('html').getAttribute('lang'), 'pl')
    t.match(await tab.balance.innerText(), /^0,00\sUSD$/)
    t.equal((await told).status(), 200)
    const other = await WidgetTab.alone(t, browser, await site.topUpPage(person))
    await other.heading('Doładuj portfel').waitFor()
    t.equal(await other.page.locator('html').getAttribute('lang'), 'pl')
  })
}

function beforeLogin(site: TopUpSite, browser: Browser): void {
  t.test('a language that is chosen before the login is the person’s after it', async (t) => {
    const person = await site.makePerson()
    const address = site.page('wallet', { clientId: site.clientId })
    const tab = await WidgetTab.alone(t, browser, address, { viewport: phone })
    await tab.field('Email').fill(person.email)
    await tab.field('Language').selectOption('es')
    await tab.field('Correo electrónico').waitFor()
    t.equal(
      await tab.field('Correo electrónico').inputValue(),
      person.email,
      'what was typed stays',
    )
    t.equal(await tab.page.locator('html').getAttribute('lang'), 'es')
    t.same(await tab.faults(), [])
    await tab.screenshot('login-language')
    await tab.field('Contraseña').fill(site.password)
    const told = tab.page.waitForResponse('**/api/widget/language?*')
    await tab.page.locator('button[type=submit]').click()
    t.equal((await told).status(), 200)
    const other = await WidgetTab.alone(t, browser, await site.topUpPage(person))
    await other.page.locator('html[lang=es]').waitFor()
    const chosen = site.page('wallet', { clientId: site.clientId, locale: 'de' })
    await other.page.goto(chosen)
    await other.page.locator('.tabs').waitFor()
    t.equal(await other.field('Sprache').count(), 0, 'not where the host page has chosen')
  })
}

function everyLanguage(site: TopUpSite, browser: Browser): void {
  t.test('every language fits a phone, and its long words a narrow one', async (t) => {
    const person = await site.makePerson()
    const dark = { viewport: phone, colorScheme: 'dark' } as const
    const tab = await WidgetTab.alone(t, browser, 'about:blank', dark)
    for (const locale of languages) {
      const session = await site.session(person)
      await tab.page.goto(site.page('wallet', { session, locale }))
      await tab.page.locator('.empty').waitFor()
      t.equal(await tab.isTooWide(), false, `the wallet in ${locale}`)
      await tab.screenshot(`wallet-${locale}`)
      await tab.page.goto(site.page('topup', { session, locale }))
      await tab.page.locator('.chips').waitFor()
      t.equal(await tab.isTooWide(), false, `the top-up in ${locale}`)
      await tab.screenshot(`topup-${locale}`)
      await tab.page.goto(site.page('wallet', { clientId: site.clientId, locale }))
      await tab.page.locator('.tabs').waitFor()
      t.equal(await tab.isTooWide(), false, `the login in ${locale}`)
      await tab.screenshot(`login-${locale}`)
    }
    for (const width of [390, 1280]) {
      await tab.page.setViewportSize({ width, height: 844 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await tab.page.emulateMedia({ colorScheme })
        await tab.page.goto(site.page('wallet', { clientId: site.clientId, locale: 'fr' }))
        await tab.heading('Votre portefeuille chez Corner Shop').waitFor()
        t.equal(await tab.isTooWide(), false, `${width} ${colorScheme}`)
        await tab.screenshot(`login-fr-${width}-${colorScheme}`)
      }
    }
  })

  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}
