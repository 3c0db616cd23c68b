/**
 * What axe finds wrong on a page, one line each. Its report is put together in the page and only
 * what is wrong leaves it: to carry over all that is right took most of the time of these tests.
 * Only for a page whose frames are not looked at.
 */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What can differ between light and dark; everything else is the same in both. */
export const colourRules = ['color-contrast', 'link-in-text-block']

export interface Looking {
  /** Only these rules; left out: all. */
  readonly rules?: readonly string[]
  /** Only what axe calls serious or critical. */
  readonly seriousOnly?: boolean
  /** A selector of what is left out. */
  readonly exclude?: string
}

interface Fault {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly string[]
}

export async function faultsOn(page: Page, looking: Looking = {}): Promise<string[]> {
  const { rules, seriousOnly = false, exclude } = looking
  // A page that has axe already need not read half a megabyte again.
  if (!(await page.evaluate<boolean>('window.axe !== undefined'))) await page.evaluate(axe.source)
  const context = exclude === undefined ? 'document' : JSON.stringify({ exclude: [[exclude]] })
  const options = JSON.stringify({
    resultTypes: ['violations'],
    iframes: false,
    ...(rules !== undefined && { runOnly: { type: 'rule', values: rules } }),
  })
  const faults = await page.evaluate<Fault[]>(
    `axe.run(${context}, ${options}).then(({ violations }) => violations.map(
      ({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) })))`,
  )
  return faults
    .filter(({ impact }) => !seriousOnly || impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.join(' ')}`)
}
