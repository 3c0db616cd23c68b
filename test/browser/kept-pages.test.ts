/**
 * A page that is kept for the next test is as a new one: what one test did with it would otherwise
 * decide how another one ends.
 */
import type { Page } from 'playwright-core'
import t from 'tap'
import { serve } from '../support/served-app.js'
import { openBrowser } from './support/chromium.js'
import { takePage, type PageOptions } from './support/kept-pages.js'

const options: PageOptions = {
  viewport: { width: 500, height: 400 },
  colorScheme: 'light',
  reducedMotion: 'reduce',
}

/** What a page can know of a test before it. */
const traces = `({
  storage: [localStorage.length, sessionStorage.length],
  cookie: document.cookie,
  windows: window.opener === null,
  width: innerWidth,
  isDark: matchMedia('(prefers-color-scheme: dark)').matches,
})`

const browser = await openBrowser(t, 'pages that are kept')
if (browser !== undefined) {
  const { origin } = await serve(t)
  const address = `${origin}/health/live`
  let first: Page | undefined
  const requests: string[] = []

  t.test('a test leaves behind whatever it can', async (t) => {
    const page = await takePage(t, browser, options)
    first = page
    page.on('request', (request) => requests.push(request.url()))
    await page.route('**/wallets/**', (route) => route.abort())
    await page.goto(address)
    await page.evaluate(`localStorage.setItem('a', '1'); sessionStorage.setItem('b', '2')`)
    await page.evaluate(`document.cookie = 'c=3'; void window.open('about:blank')`)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 900, height: 700 })
    const left = await page.evaluate(traces)
    t.match(left, { storage: [1, 1], cookie: 'c=3', width: 900, isDark: true })
    const other = await takePage(t, browser, options)
    t.not(other, page, 'pages that are open at the same time are two')
    await other.goto(address)
    t.match(await other.evaluate(traces), { storage: [0, 0], cookie: '' }, 'and share nothing')
  })

  t.test('the next one finds nothing of it, on the same page', async (t) => {
    requests.splice(0)
    // The one that was given back last waits behind the first.
    const pages = [await takePage(t, browser, options), await takePage(t, browser, options)]
    const page = pages.find((each) => each === first)
    if (page === undefined) return t.fail('the page was not kept')
    t.equal(page.url(), 'about:blank')
    t.same(page.context().pages(), [page], 'its windows are closed')
    await page.goto(address)
    const clean = { storage: [0, 0], cookie: '', windows: true, width: 500, isDark: false }
    t.same(await page.evaluate(traces), clean)
    const answer = await page.goto(`${origin}/wallets/w/entries`)
    t.equal(answer?.status(), 200, 'no route of before')
    t.same(requests, [], 'and nobody listens any more')
  })
}
