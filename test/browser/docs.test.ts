/**
 * The contract in a real browser at /docs: on a desk and on a phone the three groups are there, an
 * operation opens with its example and its errors, nothing is blocked by the policy of the page,
 * and no other host is asked for anything.
 */
import t from 'tap'
import { OpenApiDocument } from '../../src/http/openapi/document.js'
import { registerDocumentation } from '../../src/http/routes/documentation.js'
import { registerPages } from '../../src/http/routes/pages.js'
import { debitSchema } from '../../src/http/schemas/server-wallet.js'
import { signUpSchema } from '../../src/http/schemas/widget.js'
import { adminMeSchema } from '../../src/http/schemas/admin.js'
import { findCurrency } from '../../src/domain/money.js'
import { serve } from '../support/served-app.js'
import { builtPages } from './support/built-pages.js'
import { openBrowser } from './support/chromium.js'

const currency = findCurrency('usd')
if (currency === undefined) throw new Error('there is a usd')
const folder = await builtPages(t)
/** A route of each group; all of them are what test/http/openapi.test.ts looks at. */
const { origin } = await serve(t, {}, (app) => {
  const document = new OpenApiDocument(app)
  const debit = { schema: debitSchema({ currency, maxMinor: 100_000_000 }) }
  app.post('/api/server/wallet/debit', debit, () => ({ balance: 1, message: '' }))
  app.post('/api/widget/auth/signup', { schema: signUpSchema }, () => Promise.reject(new Error()))
  app.get('/api/admin/me', { schema: adminMeSchema }, () => Promise.reject(new Error()))
  registerPages(app, { folder })
  registerDocumentation(app, { folder, document })
})

const browser = await openBrowser(t, 'the contract can be browsed')

const looks = [
  { width: 1280, colorScheme: 'light', background: 'rgba(0, 0, 0, 0)' },
  { width: 390, colorScheme: 'dark', background: 'rgb(28, 32, 34)' },
] as const

for (const { width, colorScheme, background } of browser === undefined ? [] : looks)
  t.test(`the contract can be browsed on ${width} pixels, ${colorScheme}`, async (t) => {
    const context = await browser?.newContext({ viewport: { width, height: 900 }, colorScheme })
    const page = await context?.newPage()
    if (page === undefined) return
    const said: string[] = []
    const hosts = new Set<string>()
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', ({ message }) => said.push(message))
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    await page.goto(`${origin}/docs`)
    const debit = page.locator('#operations-Server-postServerWalletDebit')
    await debit.locator('.opblock-summary-control').click()
    await debit.locator('.responses-table').first().waitFor()
    const tags = await page.locator('.opblock-tag').all()
    const groups = await Promise.all(tags.map((tag) => tag.getAttribute('data-tag')))
    t.same(groups, ['Server', 'Widget', 'Admin', 'Operations'])
    t.match(await debit.textContent(), 'INSUFFICIENT_BALANCE')
    t.match(await debit.textContent(), 'ORDER_PAYMENT', 'the example of its body')
    const isWithin = await page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    t.ok(isWithin, 'the page is not wider than the window')
    t.equal(
      await page.evaluate('getComputedStyle(document.documentElement).backgroundColor'),
      background,
    )
    t.same(said, [], 'nothing is blocked, and nothing fails')
    t.same([...hosts], [origin], 'nobody else is asked')
    await page.context().close()
  })
