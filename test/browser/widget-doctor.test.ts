/**
 * The widget doctor in a real browser: framed by pages that do it right and wrong, and in a tab of
 * its own with what an integrator pastes.
 */
import type { Browser } from 'playwright-core'
import t from 'tap'
import { openBrowser } from './support/chromium.js'
import { WidgetSite } from './support/widget-site.js'
import { complaints, phone, WidgetTab } from './support/widget-tab.js'

const browser = await openBrowser(t, 'the widget doctor')
if (browser !== undefined) {
  const site = await WidgetSite.open(t)
  framed(site, browser)
  alone(site, browser)
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

function framed(site: WidgetSite, browser: Browser): void {
  const frame = (query: string, attributes = 'allow="payment *"') =>
    `<iframe src="${site.origin}/widget/doctor?${query}" title="Doctor" width="480" height="800"
      ${attributes}></iframe>`

  t.test('a frame that is right is told so', async (t) => {
    const session = await site.createSession(await site.makePerson())
    const address = site.shop.add(frame(`clientId=${site.clientId}&amp;session=${session}`))
    const tab = await WidgetTab.framed(t, browser, address)
    await tab.text('Nothing stands in the way.').waitFor()
    await tab.text(`${site.shop.origin} may embed the wallet.`).waitFor()
    await tab.text('The session is valid.').waitFor()
    await tab.text('Payments are allowed in the frame.').waitFor()
    const popup = tab.page.waitForEvent('popup')
    await tab.button('Try whether a window can open').click()
    await popup
    await tab.text('A window can be opened from the frame.').waitFor()
    t.same(await tab.received(), [], 'it posts nothing')
    await tab.screenshot('doctor-framed')
  })

  t.test('a frame that is wrong is told what to mend', async (t) => {
    const attributes = 'sandbox="allow-scripts allow-same-origin"'
    const page = site.shop.add(frame(`clientId=${site.clientId}`, attributes))
    const tab = await WidgetTab.framed(t, browser, page.replace('localhost', '127.0.0.1'))
    await tab.text('3 things to mend.').waitFor()
    await tab.text('may not embed the wallet').waitFor()
    await tab.text('The sandbox blocks forms').waitFor()
    await tab.text('Payments are not allowed in the frame.').waitFor()
    await tab.button('Try whether a window can open').click()
    await tab.text('No window can be opened from the frame').waitFor()
    await tab.screenshot('doctor-framed-wrong')
    // The browser says why it did not do what was tried.
    const blocked = complaints.splice(0).join(' ')
    t.match(blocked, 'allow-forms')
    t.match(blocked, 'allow-popups')
  })

  t.test('a frame without a clientId is told that its origin is enough', async (t) => {
    const tab = await WidgetTab.framed(t, browser, site.shop.add(frame('')))
    await tab.text('the app is found by your origin.').waitFor()
    await tab.text('Nothing stands in the way.').waitFor()
    const wallet = site.shop.add(`<iframe src="${site.origin}/widget/wallet"></iframe>`)
    const same = await WidgetTab.framed(t, browser, wallet)
    await same.field('Email').waitFor()

    const silent = site.shop.add(frame('', 'allow="payment *" referrerpolicy="no-referrer"'))
    const hidden = await WidgetTab.framed(t, browser, silent)
    await hidden.text('hides your origin').waitFor()
  })

  t.test('a sandbox without an origin is told in plain text', async (t) => {
    const attributes = 'sandbox="allow-scripts"'
    const page = site.shop.add(frame(`clientId=${site.clientId}`, attributes))
    const tab = await WidgetTab.framed(t, browser, page)
    await tab.text('The widget doctor could not start in this frame.').waitFor()
    complaints.splice(0)
  })
}

function alone(site: WidgetSite, browser: Browser): void {
  t.test('a pasted tag is read, never run, and its faults are named', async (t) => {
    const address = `${site.origin}/widget/doctor?clientId=${site.clientId}`
    const tab = await WidgetTab.alone(t, browser, address, { viewport: phone })
    t.equal(await tab.field('clientId').inputValue(), site.clientId)
    await tab.field('Origin of your page').fill(`${site.shop.origin}/cart`)
    await tab
      .field('Your iframe tag')
      .fill('<iframe src="/widget/wallet" sandbox onload="window.ran = true"></iframe>')
    await tab.button('Examine').click()
    await tab.text('things to mend.').waitFor()
    await tab.text('The src is no whole address').waitFor()
    await tab.text('The tag does not allow payments').waitFor()
    await tab.text('The sandbox lacks allow-scripts').waitFor()
    await tab.text(`Write it as ${site.shop.origin}: no path, no slash at the end.`).waitFor()
    t.equal(await tab.text('from an exact https origin').count(), 0)
    await tab.text(`${site.shop.origin}/cart is unlisted`).waitFor()
    await tab.text(`${site.shop.origin} may embed the wallet.`).waitFor()
    const mended = await tab.field('Mended tag').inputValue()
    t.match(mended, `src="${site.walletUrl()}"`)
    t.equal(await tab.page.evaluate('window.ran'), undefined)
    // The browser looks at what is read, and notes that the page's policy would not let it run.
    t.match(complaints.splice(0).join(' '), 'The action has been blocked')
    t.equal(await tab.page.locator('iframe').count(), 0)
    t.equal(await tab.isTooWide(), false)
    t.same(await tab.faults(), [])
    await tab.screenshot('doctor-alone')

    await tab.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await tab.button('Copy Mended tag').click()
    await tab.button('Copied Mended tag').waitFor()
    t.equal(await tab.page.evaluate('navigator.clipboard.readText()'), mended)
    await tab.field('Origin of your page').fill(site.shop.origin)
    await tab.field('Your iframe tag').fill(mended)
    await tab.button('Examine').click()
    await tab.text('Nothing stands in the way.').waitFor()
    t.equal(await tab.field('Mended tag').count(), 0, 'nothing is left to mend')
    const page = await WidgetTab.framed(t, browser, site.shop.add(mended))
    await page.field('Email').waitFor()
  })

  t.test(
    'a tag with another name of the same machine is right; a bad session told once',
    async (t) => {
      const here = site.origin.replace('127.0.0.1', 'localhost')
      const tab = await WidgetTab.alone(
        t,
        browser,
        `${here}/widget/doctor?clientId=${site.clientId}`,
      )
      const session = await site.createSession(await site.makePerson())
      const tag = (token: string) =>
        `<iframe title="W" allow="payment *" src="${site.walletUrl({ session: token })}"></iframe>`
      await tab.field('Origin of your page').fill(site.shop.origin)
      await tab.field('Your iframe tag').fill(tag(session))
      await tab.button('Examine').click()
      await tab.text('Nothing stands in the way.').waitFor()
      await tab.field('Your iframe tag').fill(tag('nonsense'))
      await tab.button('Examine').click()
      await tab.text('One thing to mend.').waitFor()
      await tab.text('The session in the src is no session token.').waitFor()
      t.equal(await tab.text('does not know this session').count(), 0)
    },
  )

  t.test('without the origin of the page nothing is called well', async (t) => {
    const address = `${site.origin}/widget/doctor?clientId=${site.clientId}`
    const tab = await WidgetTab.alone(t, browser, address)
    await tab.button('Examine').click()
    await tab.text('Not everything could be examined.').waitFor()
    await tab.text('Type the origin of your page above.').waitFor()
    t.equal(await tab.text('Nothing stands in the way.').count(), 0)
    t.equal(await tab.text('in a tab of its own').count(), 0)
    await tab.screenshot('doctor-no-origin')
  })

  t.test('nothing pasted and nothing known is told kindly', async (t) => {
    const tab = await WidgetTab.alone(t, browser, `${site.origin}/widget/doctor`)
    await tab.field('Your iframe tag').fill('<div>no frame</div>')
    await tab.button('Examine').click()
    await tab.text('There is no iframe tag in what was pasted.').waitFor()
    await tab.text('No clientId was given').waitFor()
    await tab.text('Fill in the clientId above').waitFor()
  })
}
