/**
 * Topping up in a real browser, by each test card, through the whole service: what a person sees,
 * and what is in the wallet afterwards. Windows and frames: top-up-window.test.ts.
 */
import t, { type Test } from 'tap'
import type { Browser } from 'playwright-core'
import { openBrowser } from './support/chromium.js'
import { TopUpSite, type Entry } from './support/top-up-site.js'
import { cards, chooseAmount, continueToCard } from './support/top-up-steps.js'
import { fillCard, pay, payWith } from './support/top-up-steps.js'
import { twoClicks } from './support/two-clicks.js'
import { complaints, WidgetTab } from './support/widget-tab.js'

const browser = await openBrowser(t, 'topping up in a real browser')
if (browser !== undefined) {
  const site = await TopUpSite.open(t)
  amounts(site, browser)
  goodCards(site, browser)
  failures(site, browser)
  bankChecks(site, browser)
  sessions(site, browser)
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

/** A person and the top-up page for them. */
async function open(t: Test, site: TopUpSite, browser: Browser, query = {}) {
  const person = await site.makePerson()
  const tab = await WidgetTab.alone(t, browser, await site.topUpPage(person, query))
  await tab.heading('Top up your wallet').waitFor()
  return { person, tab }
}

function topUps({ transactions }: { transactions: Entry[] }): number[] {
  return transactions
    .filter(({ referenceType }) => referenceType === 'TOPUP')
    .map(({ amount }) => amount)
}

function amounts(site: TopUpSite, browser: Browser): void {
  t.test('the limits are said before anything is typed, and again beside a mistake', async (t) => {
    const { tab } = await open(t, site, browser)
    await tab.text('From $1.00 to $500.00 at a time.').waitFor()
    await tab.field('Other').check()
    for (const [typed, fault] of Object.entries({
      '': 'Enter an amount.',
      'a lot': 'Enter an amount in digits, such as 25 or 12.50.',
      '12.345': 'Enter at most 2 decimals, such as 12.50.',
      '0.99': 'The smallest top-up is $1.00.',
      '500.01': 'At most $500.00 can be topped up at a time.',
    })) {
      await tab.field('Amount in USD').fill(typed)
      await tab.button('Continue').click()
      t.equal(await tab.errorOf('Amount in USD'), fault)
      t.equal(await tab.field('Amount in USD').inputValue(), typed, 'what was typed is kept')
    }
  })

  t.test('the shortfall that the shop asked for is chosen, to the cent', async (t) => {
    const { person, tab } = await open(t, site, browser, { amount: '12.34' })
    t.equal(await tab.field('Amount in USD').inputValue(), '12.34')
    await tab.screenshot('topup-shortfall')
    await continueToCard(tab)
    await payWith(tab, cards.success)
    await tab.heading('$12.34 is in your wallet').waitFor()
    t.same(topUps(await site.wallet(person)), [12.34])
  })

  t.test(
    'a shortfall below the smallest top-up becomes the smallest, with a word why',
    async (t) => {
      const { tab } = await open(t, site, browser, { amount: '0.30' })
      await tab.text('You need $0.30. The smallest top-up is $1.00.').waitFor()
      t.equal(await tab.field('Amount in USD').inputValue(), '1')
    },
  )

  t.test('what is over the day’s limit is refused with what is left of it', async (t) => {
    const person = await site.makePerson()
    const before = await WidgetTab.alone(
      t,
      browser,
      await site.topUpPage(person, { amount: '490' }),
    )
    await continueToCard(before)
    await payWith(before, cards.success)
    await before.heading('$490.00 is in your wallet').waitFor()
    const tab = await WidgetTab.alone(t, browser, await site.topUpPage(person, { amount: '200' }))
    await tab.wallet.getByRole('button', { name: /^Continue/ }).click()
    await tab.text('You can top up $110.00 more within a day. No money was taken.').waitFor()
    t.equal(await tab.field('Amount in USD').inputValue(), '200')
  })

  t.test('a wallet that an admin switched off says so, with the reason', async (t) => {
    const { person, tab } = await open(t, site, browser)
    await site.deactivate(person, 'We look into a dispute.')
    await tab.heading('Your wallet is not active').waitFor()
    await tab.wallet.locator('.state').getByText('We look into a dispute.').waitFor()
    await tab.screenshot('topup-inactive')
  })
}

function goodCards(site: TopUpSite, browser: Browser): void {
  t.test('a good card: the money is in the wallet, and the page says how much', async (t) => {
    const { person, tab } = await open(t, site, browser)
    await tab.text('$0.00').waitFor()
    await chooseAmount(tab)
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => (letGo = resolve))
    await tab.page.route('**/api/sandbox/pay', async (route) => {
      await held
      await route.continue()
    })
    await tab.page.emulateMedia({ reducedMotion: 'no-preference' })
    await payWith(tab, cards.success)
    await tab.heading('Paying $25.00').waitFor()
    const ring = "getComputedStyle(document.querySelector('.picture'), '::after').animationName"
    t.equal(await tab.page.evaluate(ring), 'paying', 'something moves')
    await tab.screenshot('topup-paying')
    letGo()
    await tab.heading('$25.00 is in your wallet').waitFor()
    await tab.wallet.locator('.state').getByText('Your new balance is $25.00.').waitFor()
    const wallet = await site.wallet(person)
    t.equal(wallet.balance, 25)
    t.same(topUps(wallet), [25])
  })

  t.test('a test card is filled in by a click', async (t) => {
    const { tab } = await open(t, site, browser)
    await chooseAmount(tab, '$10')
    await tab.text('Use a test card').click()
    t.equal(await tab.wallet.locator('.test-card').count(), Object.keys(cards).length)
    await tab.wallet.getByRole('button', { name: /^Success 4242/ }).click()
    t.equal(await tab.field('Card number').inputValue(), '4242 4242 4242 4242')
    await tab.page.keyboard.press('Enter')
    await tab.heading('$10.00 is in your wallet').waitFor()
  })

  t.test('a double click on pay takes the money once', async (t) => {
    const { person, tab } = await open(t, site, browser)
    const intents: string[] = []
    const payments: string[] = []
    tab.page.on('request', (request) => {
      if (request.url().includes('/create-intent')) intents.push(request.url())
      if (request.url().endsWith('/api/sandbox/pay')) payments.push(request.url())
    })
    await tab.wallet.getByLabel('$50', { exact: true }).check()
    await twoClicks(tab.button('Continue with $50.00'))
    await tab.heading('Pay $50.00').waitFor()
    await fillCard(tab, cards.success)
    await twoClicks(tab.button('Pay $50.00'))
    await tab.heading('$50.00 is in your wallet').waitFor()
    t.equal(intents.length, 1, 'one intent')
    t.equal(payments.length, 1, 'one payment')
    t.same(topUps(await site.wallet(person)), [50])
  })

  t.test('a bank that takes its time: safe to close, and then the money is there', async (t) => {
    const { person, tab } = await open(t, site, browser)
    await chooseAmount(tab)
    await site.holdBank()
    await payWith(tab, cards.processing)
    await tab.heading('Your bank is processing it').waitFor()
    await tab.wallet.locator('.state').getByText('It is safe to close this page').waitFor()
    await tab.screenshot('topup-processing')
    await site.letBankGo()
    await tab.heading('$25.00 is in your wallet').waitFor()
    t.same(topUps(await site.wallet(person)), [25])
  })

  t.test('a page closed while the bank works: the money comes all the same', async (t) => {
    const { person, tab } = await open(t, site, browser)
    await chooseAmount(tab)
    await site.holdBank()
    await payWith(tab, cards.processing)
    await tab.heading('Your bank is processing it').waitFor()
    await tab.page.close()
    const pending = [{ amount: 25 }]
    t.match((await site.wallet(person)).pendingTopUps, pending, 'the shop is told of it')
    t.match((await site.checkBalance(person, '10')).pendingTopUps, pending)
    t.equal((await site.checkBalance(person, '0')).pendingTopUps, undefined, 'nobody needs it')
    const again = await WidgetTab.alone(t, browser, await site.topUpPage(person))
    await again.text('A top-up of $25.00 is being processed by your bank.').waitFor()
    const wallet = await WidgetTab.alone(
      t,
      browser,
      site.page('wallet', { session: await site.session(person) }),
    )
    await wallet.showsBalance('$0.00')
    const row = wallet.wallet.locator('.entry-pending')
    t.match(await row.innerText(), /Top-up\s+Processing · just now[\s\S]*\+\$25\.00/)
    await wallet.text('A top-up of $25.00 is being processed by your bank.').waitFor()
    t.same(await wallet.faults(), [])
    await wallet.screenshot('wallet-pending')
    await site.letBankGo()
    await wallet.showsBalance('$25.00')
    await row.waitFor({ state: 'detached' })
    t.equal((await site.wallet(person)).pendingTopUps, undefined)
  })

  for (const [card, label] of [
    [cards.laterRefund, 'refunded'],
    [cards.laterDispute, 'disputed'],
  ] as const)
    t.test(`a payment that is ${label} later leaves the wallet again`, async (t) => {
      const { person, tab } = await open(t, site, browser)
      await chooseAmount(tab)
      await payWith(tab, card)
      await tab.heading('$25.00 is in your wallet').waitFor()
      const wallet = await WidgetTab.alone(
        t,
        browser,
        site.page('wallet', { session: await site.session(person) }),
      )
      await wallet.showsBalance('$0.00')
      t.same(
        (await site.wallet(person)).transactions.map(({ type, amount }) => [type, amount]),
        [
          ['debit', 25],
          ['credit', 25],
        ],
      )
    })
}

function failures(site: TopUpSite, browser: Browser): void {
  t.test(
    'a declined card: why, no money taken, and another card pays the same intent',
    async (t) => {
      const { person, tab } = await open(t, site, browser)
      const intents: string[] = []
      tab.page.on('request', (request) => {
        if (request.url().includes('/create-intent')) intents.push(request.url())
      })
      await chooseAmount(tab)
      await payWith(tab, cards.declined)
      await tab.heading('The payment did not go through').waitFor()
      t.match(await tab.wallet.locator('.state').innerText(), /declined[\s\S]*No money was taken\./)
      t.same((await site.wallet(person)).balance, 0)
      await tab.screenshot('topup-declined')
      await tab.button('Try another card').click()
      t.equal(await tab.field('Card number').inputValue(), '', 'another card: an empty form')
      await payWith(tab, cards.success)
      await tab.heading('$25.00 is in your wallet').waitFor()
      t.equal(intents.length, 1)
      t.same(topUps(await site.wallet(person)), [25])
    },
  )

  t.test('a cut connection: said in words, nothing taken, and a new try works', async (t) => {
    const { person, tab } = await open(t, site, browser)
    await chooseAmount(tab)
    await payWith(tab, cards.networkFailure)
    await tab.heading('The payment did not go through').waitFor()
    const said = await tab.wallet.locator('.state').innerText()
    t.match(said, /The connection broke before your bank answered\.\s+No money was taken\./)
    t.same((await site.wallet(person)).transactions, [])
    await tab.button('Try again').click()
    t.equal(await tab.field('Security code').inputValue(), '123', 'nobody refused this card')
    await payWith(tab, cards.success)
    await tab.heading('$25.00 is in your wallet').waitFor()
    t.same(topUps(await site.wallet(person)), [25])
  })

  t.test(
    'mistakes in the card are said beside their fields, before anything is sent',
    async (t) => {
      const { tab } = await open(t, site, browser)
      await chooseAmount(tab)
      await tab.field('Card number').pressSequentially('4242 4242 4242 4241')
      await tab.field('Expiry').pressSequentially('0120')
      t.equal(await tab.field('Expiry').inputValue(), '01 / 20')
      await pay(tab)
      t.match(await tab.errorOf('Card number'), /no card number/)
      t.match(await tab.errorOf('Expiry'), /expired/)
      t.match(await tab.errorOf('Security code'), /3 or 4 digits/)
      await tab.page.locator('input[name="number"]:focus').waitFor()
      await tab.screenshot('topup-mistakes')
    },
  )

  t.test('a digit that is put right in the middle leaves the caret where it was', async (t) => {
    const { tab } = await open(t, site, browser)
    await chooseAmount(tab)
    const number = tab.field('Card number')
    await number.pressSequentially('4242924242424242')
    for (let presses = 0; presses < 13; presses += 1) await number.press('ArrowLeft')
    await number.press('Backspace')
    await number.press('4')
    t.equal(await number.inputValue(), '4242 4242 4242 4242')
    await number.press('9')
    t.equal(await number.inputValue(), '4242 4924 2424 2424 2')
  })

  t.test('a browser that lies about the payment books nothing', async (t) => {
    const { person, tab } = await open(t, site, browser)
    await tab.page.route('**/api/sandbox/pay', (route) =>
      route.fulfill({ json: { status: 'succeeded', amount: 1_000_000 } }),
    )
    await chooseAmount(tab)
    await payWith(tab, cards.success)
    await tab.heading('The payment did not go through').waitFor()
    t.same((await site.wallet(person)).transactions, [])
  })
}

function bankChecks(site: TopUpSite, browser: Browser): void {
  t.test('the bank’s check, approved: the money is in the wallet', async (t) => {
    const { person, tab } = await open(t, site, browser)
    await chooseAmount(tab)
    await payWith(tab, cards.bankCheck)
    await tab.page.getByRole('dialog').waitFor()
    await tab.screenshot('topup-bank-check')
    await tab.button('Approve').click()
    await tab.heading('$25.00 is in your wallet').waitFor()
    t.same(topUps(await site.wallet(person)), [25])
  })

  for (const way of ['Refuse', 'Escape'])
    t.test(`the bank’s check, ended by ${way}: nothing is taken`, async (t) => {
      const { person, tab } = await open(t, site, browser)
      await chooseAmount(tab)
      await payWith(tab, cards.bankCheck)
      await tab.page.getByRole('dialog').waitFor()
      const focused = await tab.page.evaluate<string>('document.activeElement.textContent')
      t.equal(focused, 'Refuse', 'Enter pays nothing')
      if (way === 'Escape') await tab.page.keyboard.press('Escape')
      else await tab.button('Refuse').click()
      await tab.heading('The payment did not go through').waitFor()
      t.same((await site.wallet(person)).transactions, [])
    })
}

function sessions(site: TopUpSite, browser: Browser): void {
  t.test('a session that ends takes no typed card away: a login goes on with it', async (t) => {
    const { person, tab } = await open(t, site, browser)
    await chooseAmount(tab)
    await fillCard(tab, cards.success)
    await site.endSessions(person)
    await tab.heading('Your session has ended').waitFor()
    await tab.text('Nothing was paid, and what you typed is still here.').waitFor()
    await tab.screenshot('topup-expired')
    await pay(tab)
    await tab.page.getByRole('dialog', { name: 'Log in to go on' }).waitFor()
    t.same(await tab.faults(), [])
    const stranger = await site.makePerson()
    await tab.logIn({ email: stranger.email, password: site.password })
    await tab.text('This is another account').waitFor()
    await tab.screenshot('topup-expired-login')
    await tab.logIn({ email: person.email, password: site.password })
    await tab.heading('Your session has ended').waitFor({ state: 'detached' })
    t.equal(await tab.field('Card number').inputValue(), '4242 4242 4242 4242')
    await pay(tab)
    await tab.heading('$25.00 is in your wallet').waitFor()
    t.same(topUps(await site.wallet(person)), [25])
  })

  t.test('a session that ends while paying: it will appear, and it does', async (t) => {
    const { person, tab } = await open(t, site, browser)
    await chooseAmount(tab)
    await payWith(tab, cards.bankCheck)
    await tab.page.getByRole('dialog').waitFor()
    await site.endSessions(person)
    await tab.button('Approve').click()
    await tab.heading('Your session has ended').waitFor()
    const said = await tab.wallet.locator('.state').innerText()
    t.match(said, /it will appear in your wallet/)
    t.notMatch(said, /fail|did not go through/i)
    await tab.screenshot('topup-expired-paying')
    const wallet = await WidgetTab.alone(
      t,
      browser,
      site.page('wallet', { session: await site.session(person) }),
    )
    await wallet.showsBalance('$25.00')
    await tab.button('Log in to see it').click()
    await tab.logIn({ email: person.email, password: site.password })
    await tab.heading('$25.00 is in your wallet').waitFor()
  })

  t.test('an old address says that its session has ended', async (t) => {
    const person = await site.makePerson()
    const address = await site.topUpPage(person)
    await site.endSessions(person)
    const tab = await WidgetTab.alone(t, browser, address)
    await tab.heading('Your session has ended').waitFor()
    const none = await WidgetTab.alone(t, browser, site.page('topup', {}))
    await none.heading('Open this page from the shop').waitFor()
  })

  t.test('the token is gone from the address once the page is open', async (t) => {
    const { tab } = await open(t, site, browser)
    t.notMatch(tab.page.url(), /ws_/)
  })
}
