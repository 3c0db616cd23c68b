/**
 * The pages that browser tests serve: those that the whole run has built already, or, when a single
 * file is started by hand, built anew from the sources as they are.
 */
import type { Test } from 'tap'
import { buildPages } from '../../../widget-ui/build.mjs'

/** The folder that holds them. */
export async function builtPages(t: Test): Promise<string> {
  const built = process.env['WALLET_TEST_PAGES']
  if (built !== undefined) return built
  const folder = t.testdir({})
  await buildPages({ folder })
  return folder
}
