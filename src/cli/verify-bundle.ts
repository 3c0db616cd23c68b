/**
 * `verify-bundle`: checks a wallet's history with its proof, offline, with the very script that
 * auditors run on their own machines. Exit codes: 0 it holds, 1 it does not, 2 unable to look.
 * Never: opens the service's data.
 */
import type { Command } from 'commander'
import type * as Script from '../verify-bundle/verify-bundle.mjs'
import { notice, print } from './terminal.js'

export function registerVerifyBundle(program: Command): void {
  program
    .command('verify-bundle <file>')
    .description('check an audit bundle offline; exit 0 it holds, 1 it does not, 2 unable')
    .option('--checkpoints <file>', 'compare with checkpoints that you have kept')
    .option('--key <key>', 'trust only this key: its id, its PEM, or a file with that')
    .option('--json', 'print the result as JSON')
    .action(verifyBundle)
}

interface BundleOptions {
  readonly checkpoints?: string
  readonly key?: string
  readonly json?: true
}

async function verifyBundle(file: string, options: BundleOptions): Promise<void> {
  const { main } = (await import(scriptPlace.href)) as typeof Script
  const { checkpoints, key, json } = options
  const args = [
    file,
    ...(checkpoints === undefined ? [] : ['--checkpoints', checkpoints]),
    ...(key === undefined ? [] : ['--key', key]),
    ...(json === true ? ['--json'] : []),
  ]
  process.exitCode = await main(args, print, notice)
}

/** Beside dist/src lies the build's copy; the sources, run as they are, use the original. */
const scriptPlace = new URL(
  import.meta.url.endsWith('.ts')
    ? '../verify-bundle/verify-bundle.mjs'
    : '../../widget-ui/verify-bundle.mjs',
  import.meta.url,
)
