/**
 * What axe finds wrong on a page, one line each. Only what is wrong is asked for: to describe all
 * that is right took half of the time. Only for a page whose frames are not looked at.
 */
import { AxeBuilder } from '@axe-core/playwright'
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

export async function faultsOn(page: Page, looking: Looking = {}): Promise<string[]> {
  const { rules, seriousOnly = false, exclude } = looking
  const isThere = await page.evaluate<boolean>('window.axe !== undefined')
  // A page that has axe already need not read half a megabyte again.
  const source = isThere ? { axeSource: 'window.axe' } : {}
  // Legacy mode: no second tab for the report.
  const axe = new AxeBuilder({ page, ...source })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode()
  if (rules !== undefined) axe.withRules([...rules])
  if (exclude !== undefined) axe.exclude(exclude)
  const { violations } = await axe.analyze()
  return violations
    .filter(({ impact }) => !seriousOnly || impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
