/**
 * How another Node process runs a TypeScript file of this repository: from the JavaScript that the
 * run has made of it (`WALLET_TEST_JAVASCRIPT`, set by test/run.mjs), which starts at once; in a
 * test file that was started by hand, from the source by way of tsx, which takes a second longer.
 */
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const javascript = process.env['WALLET_TEST_JAVASCRIPT']
const root = fileURLToPath(new URL('../../', import.meta.url))

/** The arguments of node before those of the program. */
export function programArgs(source: URL): string[] {
  return [...loaderArgs, fileURLToPath(childModule(source))]
}

/** The arguments of node for a text that imports `childModule`s. */
export function evalArgs(text: string): string[] {
  return [...loaderArgs, '--input-type=module', '--eval', text]
}

/** What such a process imports for a source file. */
export function childModule(source: URL): URL {
  if (javascript === undefined) return source
  const name = relative(root, fileURLToPath(source)).replace(/\.ts$/, '.js')
  return pathToFileURL(join(javascript, name))
}

const loaderArgs = javascript === undefined ? ['--import', import.meta.resolve('tsx')] : []
