/**
 * The admin area in a real browser, on the built pages and the real API: what an admin and an
 * auditor do there. How it looks and whether everyone can use it: admin-access.test.ts.
 */
import t, { type Test } from 'tap'
import {
  openAdminSite,
  password,
  person,
  busyPerson,
  auditorEmail,
  type AdminSite,
} from './support/admin-site.js'
import { AdminTab, complaints, type TabOptions } from './support/admin-tab.js'
import { openBrowser } from './support/chromium.js'
import { twoClicks } from './support/two-clicks.js'

const browser = await openBrowser(t, 'the admin area in a real browser')
if (browser !== undefined) {
  const site = await openAdminSite(t)
  const open = (t: Test, options: Omit<TabOptions, 'origin'> = {}) =>
    AdminTab.open(t, browser, { origin: site.origin, ...options })
  logins(site, open)
  clientApps(site, open)
  secrets(site, open)
  wallets(site, open)
  auditors(site, open)
  t.test('no page complained about an error or a blocked file', async (t) => {
    t.same(complaints, [])
  })
}

type Open = (t: Test, options?: Omit<TabOptions, 'origin'>) => Promise<AdminTab>

function logins(_site: AdminSite, open: Open): void {
  t.test('a wrong password is refused in words, and what was typed stays', async (t) => {
    const tab = await open(t, { email: null })
    await tab.goTo('/client-apps')
    await tab.heading('Log in').waitFor()
    await tab.field('Email').fill('grace@example.com')
    await tab.field('Password').fill('not the password')
    await tab.field('Password').press('Enter')
    await tab.page.getByRole('alert').waitFor()
    t.match(await tab.page.getByRole('alert').textContent(), 'do not belong together')
    t.equal(await tab.field('Email').inputValue(), 'grace@example.com')
    t.equal(await tab.field('Password').inputValue(), 'not the password')
    await tab.screenshot('login-wrong')
  })

  t.test('a login leads to where one wanted to be, a logout outside', async (t) => {
    const tab = await open(t, { email: null })
    await tab.goTo('/client-apps')
    await tab.field('Email').fill('grace@example.com')
    await tab.field('Password').fill(password)
    await tab.button('Log in').click()
    await tab.heading('Client apps').waitFor()
    await tab.button('Log out').click()
    await tab.heading('Log in').waitFor()
    await tab.goTo('/log')
    await tab.heading('Log in').waitFor()
    t.equal(await tab.heading('Log of admin actions').count(), 0)
  })

  t.test('a session that ends in the middle asks again and keeps what was typed', async (t) => {
    const tab = await open(t)
    await tab.goTo('/client-apps/new')
    await tab.field('Name').fill('Half Typed')
    await tab.context.clearCookies()
    await tab.button('Create client app').click()
    await tab.heading('Your session has ended').waitFor()
    await tab.screenshot('session-ended')
    const dialog = tab.page.getByRole('dialog')
    await dialog.getByLabel('Email').fill('grace@example.com')
    await dialog.getByLabel('Password', { exact: true }).fill(password)
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.equal(await tab.field('Name').inputValue(), 'Half Typed')
    await tab.button('Create client app').click()
    await tab.heading('Half Typed').waitFor()
  })
}

function clientApps({ parts }: AdminSite, open: Open): void {
  t.test('a bad origin is named beside its field, and nothing is created', async (t) => {
    const tab = await open(t)
    await tab.goTo('/client-apps/new')
    await tab.field('Name').fill('Book Shop')
    await tab.field('Allowed origins').fill('https://books.example\nhttps://books.example/cart')
    await tab.button('Create client app').click()
    t.match(
      await tab.errorOf('Allowed origins'),
      '“https://books.example/cart” is not an exact origin. Write https://books.example.',
    )
    t.equal(await tab.errorOf('Allowed iframe parents'), '', 'and beside no other')
    await tab.screenshot('client-app-bad-origin')

    await tab.field('Allowed origins').fill('http://books.example')
    await tab.button('Create client app').click()
    const refused = tab.page.locator('.field-error', { hasText: 'https://' })
    await refused.waitFor()
    const words = await tab.errorOf('Allowed origins')
    t.match(words, '“http://books.example”: Must begin with https://', 'the service’s own word too')
    t.equal(await tab.field('Name').inputValue(), 'Book Shop', 'what was typed is kept')
    const names = (await parts.clientApps.list()).map(({ name }) => name)
    t.notOk(names.includes('Book Shop'))
  })

  t.test('a created app shows its secret once, and the secret works', async (t) => {
    const tab = await open(t)
    await tab.goTo('/client-apps')
    await tab.page.getByRole('link', { name: 'New client app' }).click()
    await tab.field('Name').fill('Tea Shop')
    await tab.field('Allowed origins').fill('https://tea.example')
    await tab.field('Allowed iframe parents').fill('https://tea.example')
    await twoClicks(tab.button('Create client app'))
    await tab.heading('The new secret of Tea Shop').waitFor()
    await tab.text('It will not be shown again').waitFor()
    await tab.screenshot('client-app-secret')
    const clientId = await tab.field('clientId').inputValue()
    const secret = await tab.field('clientSecret').inputValue()
    t.match(secret, /^sk_/)
    t.match(await parts.clientApps.authenticate(clientId, secret), { name: 'Tea Shop' })
    const teaShops = (await parts.clientApps.list()).filter(({ name }) => name === 'Tea Shop')
    t.equal(teaShops.length, 1, 'a double click makes one app')

    await tab.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await tab.button('Copy clientSecret').click()
    await tab.button('Copied clientSecret').waitFor()
    t.equal(await tab.page.evaluate('navigator.clipboard.readText()'), secret)
    const snippet = await tab.field('Snippet').inputValue()
    t.match(snippet, `clientId: '${clientId}'`)
    t.match(snippet, `<script src="${new URL(tab.page.url()).origin}/widget/loader.js">`)
    t.notMatch(snippet, secret, 'which is for the backend alone')
    const doctor = tab.page.getByRole('link', { name: 'Open the widget doctor' })
    t.equal(await doctor.getAttribute('href'), `/widget/doctor?clientId=${clientId}`)
    await tab.button('I have stored it').click()
    await tab.page.reload()
    await tab.heading('Tea Shop').waitFor()
    t.notMatch(await tab.page.content(), secret, 'and never again')
  })

  t.test('the list is searched as one types and sorted by its heads', async (t) => {
    const tab = await open(t)
    await tab.goTo('/client-apps')
    const names = () => tab.page.locator('tbody th a').allTextContents()
    await tab.page.locator('tbody tr').first().waitFor()
    const all = await names()
    t.same(
      all,
      all.toSorted((one, other) => one.localeCompare(other)),
      'by name at first',
    )
    await tab.page.getByRole('button', { name: 'Name' }).click()
    t.same(await names(), all.toReversed())
    t.equal(
      await tab.page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'),
      'descending',
    )
    await tab.field('Search client apps').fill('corner')
    t.same(await names(), ['Corner Shop'])
    t.match(await tab.page.getByRole('status').allTextContents(), [
      `1 of ${all.length} client apps`,
    ])
    await tab.field('Search client apps').fill('nothing like it')
    await tab.text('No client app has “nothing like it”').waitFor()
    await tab.page.getByRole('button', { name: /^Show all/ }).click()
    t.equal((await names()).length, all.length)
  })

  t.test('changes are saved, and a deactivation asks for the name', async (t) => {
    const { clientApp } = await parts.clientApps.create({
      name: 'Old Name',
      allowedOrigins: [],
      allowedIframeParents: [],
      scopes: ['wallet:read'],
    })
    const tab = await open(t)
    await tab.goTo(`/client-apps/${clientApp.clientId}`)
    await tab.button('Edit').click()
    await tab.field('Name').fill('New Name')
    await tab.page.getByLabel('wallet:write').check()
    await tab.button('Save changes').click()
    await tab.heading('New Name').waitFor()
    t.match(await parts.clientApps.find(clientApp.clientId), {
      name: 'New Name',
      scopes: ['wallet:read', 'wallet:write'],
    })
    await tab.button('Deactivate New Name').click()
    await tab.field('Name of the client app').fill('new name')
    await tab.field('Name of the client app').press('Enter')
    t.match(await tab.errorOf('Name of the client app'), 'This is not New Name. Nothing was done.')
    await tab.field('Name of the client app').fill('New Name')
    await tab.field('Name of the client app').press('Enter')
    await tab.button('Activate New Name').waitFor()
    t.match(await parts.clientApps.find(clientApp.clientId), { isActive: false })
    await tab.button('Activate New Name').click()
    await tab.button('Deactivate New Name').waitFor()
    t.match(await parts.clientApps.find(clientApp.clientId), { isActive: true })
  })
}

function secrets({ parts }: AdminSite, open: Open): void {
  t.test('a rotation overlaps, and the old secret is revoked by typing the name', async (t) => {
    const { clientApp, clientSecret } = await parts.clientApps.create({
      name: 'Rotating Shop',
      allowedOrigins: [],
      allowedIframeParents: [],
      scopes: ['wallet:read'],
    })
    const { clientId } = clientApp
    const tab = await open(t)
    await tab.goTo(`/client-apps/${clientId}`)
    await tab.button('Rotate secret').click()
    await tab.heading('The new secret of Rotating Shop').waitFor()
    const fresh = await tab.field('clientSecret').inputValue()
    t.ok(await parts.clientApps.authenticate(clientId, clientSecret), 'the old one works')
    t.ok(await parts.clientApps.authenticate(clientId, fresh), 'the new one works')
    t.equal(await tab.button('Rotate secret').count(), 0, 'a third is not offered')
    await tab.screenshot('client-app-rotated')

    const revoke = tab.page.getByRole('button', { name: /^Revoke the secret/ })
    t.equal(await revoke.count(), 2)
    await revoke.first().click()
    await tab.heading('Revoke a secret of Rotating Shop').waitFor()
    await tab.button('Revoke secret').click()
    t.match(await tab.errorOf('Name of the client app'), 'Nothing was done')
    t.equal((await parts.clientApps.find(clientId))?.secrets.length, 2)
    await tab.screenshot('client-app-revoke')
    await tab.field('Name of the client app').fill('Rotating Shop')
    await tab.button('Revoke secret').click()
    await tab.button('Rotate secret').waitFor()
    const left = (await parts.clientApps.find(clientId))?.secrets ?? []
    t.equal(left.length, 1)
    await tab.page.getByRole('status').getByText('is revoked').waitFor()
  })
}

function wallets({ parts, captured }: AdminSite, open: Open): void {
  t.test('a wallet is found by its email and its statement reads in words', async (t) => {
    const tab = await open(t)
    await tab.goTo('')
    await tab.choose('Wallets')
    await tab.field('Email, serviceUserId or wallet id').fill('nobody@example.com')
    await tab.text('No wallet has exactly this').waitFor()
    await tab.field('Email, serviceUserId or wallet id').fill(person.email)
    await tab.page.getByRole('link', { name: 'Ada Lovelace' }).click()
    await tab.heading('Statement').waitFor()
    const rows = await tab.page.locator('tbody tr').allInnerTexts()
    t.match(rows[0], /Order refund[\s\S]*Corner Shop[\s\S]*\+\$2\.50[\s\S]*\$40\.00/)
    t.match(rows[1], /Order payment[\s\S]*Debit declined: the balance was not sufficient/)
    t.match(rows[2], /Order payment[\s\S]*−\$12\.50/)
    t.match(rows[3], /Top-up[\s\S]*\+\$50\.00/)
    await tab.screenshot('wallet')

    const user = await parts.users.findByEmail(person.email)
    const id = user?.serviceUserId ?? 'unknown'
    await tab.page.goBack()
    t.equal(await tab.field('Email, serviceUserId or wallet id').inputValue(), person.email)
    await tab.field('Email, serviceUserId or wallet id').fill(id)
    await tab.button('Find').click()
    await tab.page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
    for (const secret of [id, person.email]) {
      t.notMatch(tab.page.url(), secret, 'never in the address')
      t.equal(await tab.page.evaluate('JSON.stringify(history.state)'), 'null')
      t.notMatch(captured.text, secret, 'nor in the log of the service')
    }
  })

  t.test('earlier entries are loaded by a button and added below', async (t) => {
    const user = await parts.users.findByEmail(busyPerson.email)
    const tab = await open(t)
    await tab.goTo(`/wallets/${user?.walletId}`)
    await tab.heading('Statement').waitFor()
    t.equal(await tab.page.locator('tbody tr').count(), 50)
    await tab.button('Load earlier entries').click()
    await tab.page.locator('tbody tr').nth(60).waitFor()
    t.equal(await tab.page.locator('tbody tr').count(), 67)
    t.equal(await tab.button('Load earlier entries').count(), 0)
    const references = await tab.page.locator('tbody .fixed').allTextContents()
    t.equal(new Set(references).size, 67, 'none of them twice')
  })

  t.test('a wallet is stopped with a reason and its name, and goes on with a reason', async (t) => {
    const user = await parts.users.create({ email: 'carl@example.com', firstName: 'Carl' })
    const tab = await open(t)
    await tab.goTo(`/wallets/${user.walletId}`)
    await tab.button('Deactivate wallet').click()
    const dialog = tab.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Deactivate wallet' }).click()
    t.match(await tab.errorOf('Reason'), 'Give a reason.')
    t.match(await tab.errorOf('Email of the wallet'), 'This is not carl@example.com.')
    await tab.field('Reason').fill('Asked by the person')
    await tab.field('Email of the wallet').fill('carl@example.com')
    await tab.screenshot('wallet-deactivate')
    await dialog.getByRole('button', { name: 'Deactivate wallet' }).click()
    await tab.text('Reason: Asked by the person').waitFor()
    const read = () => parts.reader.read(user.walletId, { limit: 0 })
    t.match(await read(), { isActive: false, statusReason: 'Asked by the person' })
    await tab.button('Reactivate wallet').click()
    await tab.field('Reason').fill('Back again')
    await tab.field('Reason').press('Enter')
    await tab.button('Deactivate wallet').waitFor()
    t.match(await read(), { isActive: true })
  })

  t.test('a bonus is granted once, however often the button is clicked', async (t) => {
    const user = await parts.users.create({ email: 'dora@example.com', firstName: 'Dora' })
    const tab = await open(t)
    await tab.goTo(`/wallets/${user.walletId}`)
    await tab.button('Grant a bonus').click()
    await tab.field('Amount in USD').fill('5.001')
    await tab.button('Grant bonus').click()
    t.match(await tab.errorOf('Amount in USD'), 'at most 2 decimals')
    await tab.field('Amount in USD').fill('5.25')
    await tab.field('What for (optional)').fill('For your patience')
    await tab.screenshot('wallet-bonus')
    await twoClicks(tab.button('Grant bonus'))
    await tab.text('A bonus of $5.25 is granted.').waitFor()
    await tab.page.locator('tbody tr').first().waitFor()
    t.match(await tab.page.locator('tbody tr').allInnerTexts(), [/Bonus[\s\S]*For your patience/])
    t.equal(await tab.fact('Balance').textContent(), '$5.25')
    t.match(await parts.reader.read(user.walletId, { limit: 10 }), { balanceMinor: 525 })
  })

  t.test(
    'an answer that is lost on the way is asked for again without a second bonus',
    async (t) => {
      const user = await parts.users.create({ email: 'emil@example.com', firstName: 'Emil' })
      const tab = await open(t)
      await tab.goTo(`/wallets/${user.walletId}`)
      await tab.button('Grant a bonus').click()
      await tab.field('Amount in USD').fill('7')
      await tab.page.route('**/bonus', async (route) => {
        await route.fetch()
        await route.abort()
      })
      await tab.button('Grant bonus').click()
      await tab.text('the bonus is granted once at most').waitFor()
      await tab.page.unroute('**/bonus')
      await tab.button('Grant bonus').click()
      await tab.text('was not granted twice').waitFor()
      t.match(await parts.reader.read(user.walletId, { limit: 10 }), { balanceMinor: 700 })
    },
  )

  t.test('a password link is made for a person and shown once', async (t) => {
    const user = await parts.users.findByEmail(busyPerson.email)
    const tab = await open(t)
    await tab.goTo(`/wallets/${user?.walletId}`)
    await tab.button('Make a password link').click()
    await tab.button('Make the link').click()
    await tab.field('Password link').waitFor()
    t.match(await tab.field('Password link').inputValue(), /\/widget\/reset#.+/)
    await tab.page.keyboard.press('Escape')
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' })
  })
}

function auditors({ parts, shopId }: AdminSite, open: Open): void {
  t.test('an auditor reads everything and is offered no act', async (t) => {
    const user = await parts.users.findByEmail(person.email)
    const tab = await open(t, { email: auditorEmail })
    const acts =
      /\b(New|Edit|Rotate|Revoke|Deactivate|Activate|Reactivate|Grant|Make|Create|Save)\b/
    const pages = ['/client-apps', `/client-apps/${shopId}`, `/wallets/${user?.walletId}`, '/log']
    for (const path of pages) {
      await tab.goTo(path)
      await tab.page.locator('h1:not(:text-is("Wallet")):not(:text-is("Client app"))').waitFor()
      await tab.page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
      const main = tab.page.getByRole('main')
      const offered = [
        ...(await main.getByRole('button').allTextContents()),
        ...(await main.locator('a.button').allTextContents()),
      ]
      t.same(
        offered.filter((name) => acts.test(name)),
        [],
        path,
      )
    }
    await tab.goTo('/client-apps/new')
    await tab.text('Only an admin can create a client app').waitFor()
  })
}
