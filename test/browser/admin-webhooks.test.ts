/**
 * Webhooks in the admin area, in a real browser with a receiver that really gets them: an endpoint
 * is added, its secret shown once, a test event sent, looked at and sent again.
 */
import t from 'tap'
import { Receiver, verified } from '../support/webhooks.js'
import { auditorEmail, openAdminSite } from './support/admin-site.js'
import { AdminTab, complaints, desktop } from './support/admin-tab.js'
import { colourRules } from './support/axe.js'
import { openBrowser } from './support/chromium.js'

const phone = { width: 390, height: 844 }
const browser = await openBrowser(t, 'webhooks in the admin area in a real browser')
if (browser !== undefined) {
  const site = await openAdminSite(t)
  const { origin, parts, shopId } = site
  const receiver = await Receiver.open(t)
  parts.webhooks.start()
  t.teardown(() => parts.webhooks.stop())

  t.test('an endpoint is added, and its secret verifies what arrives', async (t) => {
    const tab = await AdminTab.open(t, browser, { origin })
    await tab.goTo(`/client-apps/${shopId}`)
    await tab.button('Add endpoint').click()
    await tab.button('Add endpoint').click()
    t.equal(await tab.errorOf('Address'), 'Give the address.')
    await tab.field('Address').fill('shop.example')
    await tab.page.getByRole('checkbox', { name: 'wallet.entry' }).check()
    await tab.page.getByRole('checkbox', { name: 'wallet.low_balance' }).check()
    await tab.button('Add endpoint').click()
    await tab.page.locator('.field-error').waitFor()
    t.match(await tab.errorOf('Address'), 'Must be an address such as https://')
    await tab.screenshot('webhooks-form')
    await tab.field('Address').fill(`${receiver.origin}/a/rather/long/path/for/webhooks`)
    await tab.button('Add endpoint').click()
    const secret = await tab.field('Signing secret').inputValue()
    t.match(secret, /^whsec_/)
    await tab.field('Thresholds').fill('20, 2.50')
    await tab.button('Save thresholds').click()
    await tab.text('Low balances are saved.').waitFor()
    t.same(await parts.webhooks.endpoints.thresholds(shopId), [2_000, 250])
    await tab.screenshot('webhooks-client-app')
    t.same(await tab.seriousFaults(), [])
    await tab.button('I have stored it').click()

    await tab.page.getByRole('link', { name: 'long/path' }).click()
    await tab.heading('Webhook endpoint').waitFor()
    await tab.text('Nothing was to be sent yet.').waitFor()
    await tab.button('Send test event').click()
    const [received] = await receiver.has(1)
    if (received !== undefined) t.ok(verified(received, secret))
  })

  t.test('a delivery shows payload and answer, and is sent again', async (t) => {
    const tab = await AdminTab.open(t, browser, { origin })
    const [endpoint] = await parts.webhooks.endpoints.list(shopId)
    const { endpointId = '' } = endpoint ?? {}
    receiver.answer = () => ({ status: 503, body: 'closed for a moment' })
    await parts.webhooks.deliveries.sendTest(endpointId)
    await receiver.has(2)
    const delivered = async () =>
      (await parts.webhooks.deliveries.list(endpointId, { limit: 1 }))[0]?.tries
    while ((await delivered()) === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    await tab.goTo(`/client-apps/${shopId}/webhooks/${endpointId}`)
    await tab.page.getByText('Comes again', { exact: true }).waitFor()
    await tab.screenshot('webhooks-endpoint')
    t.same(await tab.seriousFaults(), [])
    await tab.page.getByRole('button', { name: 'webhook.test' }).first().click()
    const dialog = tab.page.getByRole('dialog')
    t.match(await dialog.textContent(), /closed for a moment/)
    t.match(await dialog.textContent(), /"type": "webhook.test"/)
    await tab.screenshot('webhooks-delivery')
    t.same(await tab.seriousFaults(), [])
    receiver.answer = () => ({ status: 204 })
    const before = receiver.all.length
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await receiver.has(before + 1)
    t.equal(receiver.all.at(-1)?.id, receiver.all[1]?.id)
  })

  t.test('secrets are rotated and revoked, an auditor only looks, a phone fits', async (t) => {
    const [endpoint] = await parts.webhooks.endpoints.list(shopId)
    const path = `/client-apps/${shopId}/webhooks/${endpoint?.endpointId}`
    const tab = await AdminTab.open(t, browser, { origin, size: phone })
    await tab.goTo(path)
    await tab.button('Rotate secret').click()
    await tab.heading('The new signing secret').waitFor()
    await tab.page.emulateMedia({ colorScheme: 'dark' })
    t.equal(await tab.isTooWide(), false)
    t.same(await tab.seriousFaults(...colourRules), [])
    await tab.screenshot('webhooks-phone-dark')
    await tab.page.getByRole('button', { name: 'Revoke' }).first().click()
    await tab.button('Rotate secret').waitFor()
    const auditor = await AdminTab.open(t, browser, { origin, size: desktop, email: auditorEmail })
    await auditor.goTo(path)
    await auditor.heading('Deliveries').waitFor()
    for (const name of ['Edit', 'Rotate secret', 'Send test event', 'Remove endpoint'])
      t.equal(await auditor.button(name).count(), 0, name)
    await tab.button('Remove endpoint').click()
    await tab.button('Remove').click()
    await tab.heading('Corner Shop').waitFor()
    t.same(await parts.webhooks.endpoints.list(shopId), [])
  })

  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}
