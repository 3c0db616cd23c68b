/**
 * Pages for tests, kept from one test of a file to the next: each new one is a new process of the
 * browser, which has to read all scripts again, and that takes twice the time of the page itself.
 * Promises: a test finds its page as if it were new: nothing is loaded, and there are no cookies,
 * storage, permissions, routes, listeners or windows of the test before. Pages that are open at the
 * same time share nothing.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, Page, ViewportSize } from 'playwright-core'
import type { Test } from 'tap'

export interface PageOptions extends BrowserContextOptions {
  readonly viewport: ViewportSize
  readonly colorScheme: 'light' | 'dark'
  readonly reducedMotion: 'reduce' | 'no-preference'
}

/** Everything is on this machine; what takes longer has failed. */
const patienceMs = 30_000

/** A frame that waits for its document does not answer. */
const clearMs = 2_000

/** By their options: what belongs to a context cannot be changed in it. */
const keptPages = new Map<string, Page[]>()

/** This test's until it ends. */
export async function takePage(t: Test, browser: Browser, options: PageOptions): Promise<Page> {
  const kind = JSON.stringify(options)
  const kept = keptPages.get(kind) ?? []
  keptPages.set(kind, kept)
  // Those of the file before are closed with it.
  const open = kept.splice(0).filter((page) => !page.isClosed())
  kept.push(...open.slice(1))
  const page = open[0] ?? (await newPage(browser, options))
  t.teardown(async () => {
    if (await isMadeNew(page, options)) kept.push(page)
    else await page.context().close()
  })
  return page
}

async function newPage(browser: Browser, options: PageOptions): Promise<Page> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(patienceMs)
  return context.newPage()
}

/** What tests listen to; of the others some are the driver's own. */
const events = [
  ...['console', 'dialog', 'download', 'filechooser', 'pageerror', 'popup', 'request'],
  ...['requestfailed', 'requestfinished', 'response', 'weberror', 'websocket'],
]

/** False when that is not possible, as when the test has closed it. */
async function isMadeNew(page: Page, options: PageOptions): Promise<boolean> {
  if (page.isClosed()) return false
  const context = page.context()
  try {
    for (const other of context.pages()) if (other !== page) await other.close()
    for (const source of [page, context])
      for (const event of events) source.removeAllListeners(event)
    for (const routed of [page, context]) await routed.unrouteAll({ behavior: 'ignoreErrors' })
    const clear = 'sessionStorage.clear(); localStorage.clear()'
    const cleared = page.frames().map((frame) => frame.evaluate(clear).catch(ignore))
    const late = pause(clearMs, 'late', { ref: false })
    if ((await Promise.race([Promise.all(cleared), late])) === 'late') return false
    await page.goto('about:blank')
    await context.clearCookies()
    await context.clearPermissions()
    await context.setOffline(false)
    const { viewport, colorScheme, reducedMotion } = options
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme, reducedMotion })
    return true
  } catch {
    return false
  }
}

/** A frame without an origin may keep nothing. */
function ignore(): void {}
