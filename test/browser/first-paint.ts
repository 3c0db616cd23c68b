/**
 * `npm run first-paint`: how soon the wallet's page shows something, and the balance, on a line as
 * slow as "Fast 3G" of Chrome's tools, with a cold cache and with a warm one. Prints medians.
 */
import { parseArgs } from 'node:util'
import { chromium, type Browser, type Page } from 'playwright-core'
import { ServiceProcess } from '../support/service-process.js'
import { browserFlags, installedBrowser } from './support/chromium.js'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } })

/** As Chrome's tools call it: 1.6 Mbit/s down, 750 kbit/s up, 562.5 ms there and back. */
const fast3G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1.6 * 1_000_000 * 0.9) / 8,
  uploadThroughput: (750 * 1_000 * 0.9) / 8,
}

interface Seen {
  readonly firstPaintMs: number
  readonly balanceMs: number
}

const service = await ServiceProcess.prepare()
const executablePath = installedBrowser()
if (executablePath === undefined) throw new Error('no browser: set CHROME_PATH')
const browser = await chromium.launch({ executablePath, args: [...browserFlags] })
try {
  const origin = await service.start()
  const rounds = Number(values.rounds)
  const app = await service.run<App>('client-apps', 'create', '--name', 'Corner Shop')
  const cold: Seen[] = []
  const warm: Seen[] = []
  for (let round = 0; round < rounds; round += 1) {
    const page = await slowPage(browser)
    const address = await walletPage(origin, app, round)
    cold.push(await open(page, address))
    warm.push(await open(page, address))
    await page.context().close()
  }
  console.log(`Fast 3G, medians of ${rounds}: first paint and balance, ms`)
  for (const [name, seen] of Object.entries({ cold, warm }))
    console.log(
      `${name} cache`,
      median(seen.map(({ firstPaintMs }) => firstPaintMs)),
      median(seen.map(({ balanceMs }) => balanceMs)),
    )
} finally {
  await browser.close()
  await service.remove()
}

async function slowPage(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  const tools = await page.context().newCDPSession(page)
  await tools.send('Network.enable')
  await tools.send('Network.emulateNetworkConditions', fast3G)
  return page
}

interface App {
  readonly clientId: string
  readonly clientSecret: string
}

/** Of a new person, so that every round is the same. */
async function walletPage(origin: string, app: App, round: number): Promise<string> {
  const { serviceUserId } = await service.run<{ serviceUserId: string }>(
    ...['users', 'create', '--email', `user-${round}@example.com`],
    ...['--password', 'correct horse battery', '--first-name', 'Ada', '--last-name', 'Byron'],
    ...['--link', app.clientId],
  )
  const answer = await fetch(`${origin}/api/widget/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...app, serviceUserId }),
  })
  const { sessionToken } = (await answer.json()) as { sessionToken: string }
  return `${origin}/widget/wallet?clientId=${app.clientId}&session=${sessionToken}`
}

async function open(page: Page, address: string): Promise<Seen> {
  await page.goto('about:blank')
  await page.goto(address, { waitUntil: 'commit' })
  await page.locator('.balance .amount').waitFor()
  return page.evaluate<Seen>(`({
    firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    balanceMs: performance.now(),
  })`)
}

function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((one, other) => one - other)
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)
}
