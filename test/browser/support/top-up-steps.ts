/** What a person does on the top-up page, as the steps of the tests. */
import type { FrameLocator, Locator, Page } from 'playwright-core'
import { complaints } from './widget-tab.js'

/** Where the top-up page is: a tab, a frame or a window that another page opened. */
export interface Place {
  readonly wallet: FrameLocator | Page
  field(label: string): Locator
  button(name: string): Locator
  heading(name: string): Locator
}

/** A window that another page opened. */
export function windowOf(page: Page): Place & { readonly page: Page } {
  page.on('pageerror', (error) => complaints.push(error.message))
  return {
    page,
    wallet: page,
    field: (label) => page.getByLabel(label, { exact: true }),
    button: (name) => page.getByRole('button', { name, exact: true }),
    heading: (name) => page.getByRole('heading', { name, exact: true }),
  }
}

export const cards = {
  success: '4242424242424242',
  declined: '4000000000000002',
  bankCheck: '4000002500003155',
  processing: '4000000000000077',
  networkFailure: '4000000000000119',
  laterRefund: '4000000000005126',
  laterDispute: '4000000000000259',
  bankCheckAlways: '4000002760003184',
  declinedOnceSaved: '4000000000000341',
} as const

/** From the opened page to the card form. */
export async function chooseAmount(tab: Place, chip = '$25'): Promise<void> {
  await tab.wallet.getByLabel(chip, { exact: true }).check()
  await continueToCard(tab)
}

export async function continueToCard(tab: Place): Promise<void> {
  await tab.wallet.getByRole('button', { name: /^Continue/ }).click()
  await tab.wallet.getByRole('heading', { name: /^Pay \$/ }).waitFor()
}

/** With an ended session: the page may hear of the end first, and take the button away. */
export async function continueOrHear(tab: Place): Promise<void> {
  const button = tab.wallet.getByRole('button', { name: /^Continue/ })
  await button.click({ timeout: 2_000 }).catch(() => undefined)
}

export async function fillCard(tab: Place, number: string): Promise<void> {
  await tab.field('Card number').fill(number)
  await tab.field('Expiry').fill('12/34')
  await tab.field('Security code').fill('123')
}

export async function pay(tab: Place): Promise<void> {
  await tab.wallet.getByRole('button', { name: /^Pay \$/ }).click()
}

export async function payWith(tab: Place, number: string): Promise<void> {
  await fillCard(tab, number)
  await pay(tab)
}
