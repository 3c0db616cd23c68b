/**
 * Whether everyone can top up: on a phone and a desktop, light and dark, from right to left, by
 * keyboard alone, and with a screen reader as far as axe can tell.
 */
import t, { type Test } from 'tap'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { openBrowser } from './support/chromium.js'
import { TopUpSite } from './support/top-up-site.js'
import { cards, chooseAmount, payWith } from './support/top-up-steps.js'
import { appearances, complaints, phone, rulesFor, WidgetTab } from './support/widget-tab.js'

const browser = await openBrowser(t, 'topping up for everyone')
if (browser !== undefined) {
  const site = await TopUpSite.open(t)
  looks(site, browser)
  keyboards(site, browser)
  voices(site, browser)
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

function open(t: Test, site: TopUpSite, browser: Browser) {
  return async (options: BrowserContextOptions = {}, query: Record<string, string> = {}) => {
    const person = await site.makePerson()
    const tab = await WidgetTab.alone(t, browser, await site.topUpPage(person, query), options)
    await tab.heading('Top up your wallet').waitFor()
    return tab
  }
}

function looks(site: TopUpSite, browser: Browser): void {
  for (const [name, viewport, colorScheme] of appearances)
    t.test(`every state fits a ${name} in ${colorScheme}, and axe finds nothing`, async (t) => {
      const tab = await open(t, site, browser)({ viewport, colorScheme })
      const look = async (state: string) => {
        t.equal(await tab.isTooWide(), false, `${state} is as wide as the window`)
        t.same(await tab.faults(...rulesFor(colorScheme)), [], state)
        await tab.screenshot(`topup-${name}-${colorScheme}-${state}`)
      }
      await tab.text('$0.00').waitFor()
      await look('choosing')
      await tab.field('Other').check()
      await tab.button('Continue').click()
      await look('other')
      await chooseAmount(tab)
      await look('card')
      await tab.button('Pay $25.00').click()
      await tab.text('Use a test card').click()
      await look('mistakes-and-test-cards')
      await payWith(tab, cards.declined)
      await tab.heading('The payment did not go through').waitFor()
      await look('failed')
      await tab.button('Try another card').click()
      await payWith(tab, cards.bankCheck)
      await tab.page.getByRole('dialog').waitFor()
      await look('bank-check')
      await tab.button('Approve').click()
      await tab.heading('$25.00 is in your wallet').waitFor()
      await look('booked')
    })

  t.test('from right to left everything stands on the other side, numbers do not', async (t) => {
    const tab = await open(t, site, browser)({ viewport: phone }, { dir: 'rtl' })
    await tab.screenshot('topup-rtl-choosing')
    await chooseAmount(tab)
    t.equal(await tab.isTooWide(), false)
    t.equal(await tab.field('Card number').getAttribute('dir'), 'ltr')
    await tab.screenshot('topup-rtl-card')
  })

  t.test('everything that is pressed is at least 44 pixels high', async (t) => {
    const tab = await open(t, site, browser)({ viewport: phone })
    await chooseAmount(tab)
    await tab.text('Use a test card').click()
    const pressed = tab.page.locator('button:visible, a:visible, summary:visible, input:visible')
    for (const box of await pressed.all()) {
      const { height = 0 } = (await box.boundingBox()) ?? {}
      t.ok(height >= 44, `${(await box.textContent()) ?? ''} is ${height} pixels high`)
    }
  })
}

function keyboards(site: TopUpSite, browser: Browser): void {
  t.test('a person tops up by keyboard alone, with the focus in sight', async (t) => {
    const tab = await open(t, site, browser)()
    const { keyboard } = tab.page
    await tabTo(tab, 'choice')
    await keyboard.press('ArrowRight')
    t.equal(await tab.field('$50').isChecked(), true, 'arrows go through the amounts')
    await keyboard.press('Enter')
    await tab.heading('Pay $50.00').waitFor()
    t.equal(await focused(tab, 'tagName'), 'H1', 'the new step takes the focus to its heading')
    await tabTo(tab, 'number')
    t.not(await tab.page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none')
    await keyboard.type(cards.bankCheck)
    await keyboard.press('Tab')
    await keyboard.type('1234')
    await keyboard.press('Tab')
    await keyboard.type('123')
    await keyboard.press('Enter')
    await tab.page.getByRole('dialog').waitFor()
    await keyboard.press('Tab')
    while ((await focused(tab, 'textContent')) !== 'Approve') await keyboard.press('Tab')
    await keyboard.press('Enter')
    await tab.heading('$50.00 is in your wallet').waitFor()
    t.equal(await focused(tab, 'textContent'), '$50.00 is in your wallet')
    await keyboard.press('Tab')
    t.equal(await focused(tab, 'textContent'), 'Back to Corner Shop')
  })
}

function voices(site: TopUpSite, browser: Browser): void {
  t.test('what happens is read out, sentence by sentence', async (t) => {
    const tab = await open(t, site, browser)()
    const spoken = tab.page.locator('main > [role=status][aria-live=polite]')
    t.equal(await spoken.textContent(), '')
    await chooseAmount(tab)
    await payWith(tab, cards.declined)
    await tab.heading('The payment did not go through').waitFor()
    t.match(await spoken.textContent(), /declined.* No money was taken\./)
    await tab.button('Try another card').click()
    await payWith(tab, cards.success)
    await tab.heading('$25.00 is in your wallet').waitFor()
    t.equal(await spoken.textContent(), 'Your new balance is $25.00.')
  })

  t.test('the page that opens takes the focus from nobody', async (t) => {
    const tab = await open(t, site, browser)()
    t.equal(await focused(tab, 'tagName'), 'BODY')
  })
}

/** Presses Tab until the focus is on the field of this name, as a person would. */
async function tabTo(tab: WidgetTab, name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    await tab.page.keyboard.press('Tab')
    if ((await focused(tab, 'name')) === name) return
  }
  throw new Error(`Tab does not lead to ${name}`)
}

async function focused(tab: WidgetTab, property: string): Promise<string> {
  return tab.page.evaluate<string>(`String(document.activeElement?.['${property}'] ?? '')`)
}
