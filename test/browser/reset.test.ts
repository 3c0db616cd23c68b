/**
 * Choosing a new password with a link, in a real browser: what is wrong with the password stands at
 * its field, and a link that was used says truly how to get another one.
 */
import t from 'tap'
import { unnamedService } from '../../src/platform/service-identity.js'
import { openBrowser } from './support/chromium.js'
import { WidgetSite } from './support/widget-site.js'
import { complaints, phone, WidgetTab } from './support/widget-tab.js'

const browser = await openBrowser(t, 'choosing a new password')
if (browser !== undefined) {
  const named = { name: 'Acme Pay', support: 'help@acme.example' }
  const site = await WidgetSite.open(t, { service: { ...unnamedService, ...named } })

  t.test('a password is chosen at last, and its faults are said beside it before', async (t) => {
    const person = await site.makePerson()
    const token = await site.users.createResetToken(person.serviceUserId)
    const address = `${site.origin}/widget/reset#${token}`
    const tab = await WidgetTab.alone(t, browser, address, { viewport: phone })
    const error = tab.page.locator('.field-error')
    await tab.text(`For the wallet account of ${person.email}.`).waitFor()
    await tab.text('Acme Pay').waitFor()
    const help = tab.page.getByRole('link', { name: 'Help' })
    t.equal(await help.getAttribute('href'), 'mailto:help@acme.example')
    for (const [typed, fault] of [
      ['', 'Enter a new password.'],
      ['short', 'Must be at least 10 characters.'],
    ] as const) {
      await tab.field('New password').fill(typed)
      await tab.button('Set the new password').click()
      await error.filter({ hasText: fault }).waitFor()
      t.equal(await tab.errorOf('New password'), fault)
      t.equal(await tab.field('New password').inputValue(), typed, 'what was typed is kept')
      t.equal(await tab.page.locator('input:focus').count(), 1, 'the field has the focus')
      t.equal(await tab.page.getByRole('alert').count(), 0, 'it is said once')
    }
    t.same(await tab.faults(), [])
    t.equal(await tab.isTooWide(), false)
    await tab.screenshot('reset-short')
    await tab.field('New password').fill('a sentence works well')
    await tab.button('Set the new password').click()
    await tab.heading('The new password is set').waitFor()
    await tab.text('Go back to the shop and log in').waitFor()

    const again = await WidgetTab.alone(t, browser, address, { viewport: phone })
    await again.heading('This link cannot be used any more').waitFor()
    await again.text('It was used already or has expired. Nothing was changed.').waitFor()
    t.equal(await again.field('New password').count(), 0, 'nobody types for nothing')
    await again.text('Ask for a new one the way you got this one.').waitFor()
    t.same(await again.faults(), [])
    await again.screenshot('reset-used')
  })

  t.test('an address that lost its link is a link that cannot be used', async (t) => {
    const tab = await WidgetTab.alone(t, browser, `${site.origin}/widget/reset`)
    await tab.text('Ask for a new one the way you got this one.').waitFor()
    t.equal(await tab.field('New password').count(), 0)
  })

  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}
