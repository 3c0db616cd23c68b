/**
 * `upgrade finish`: says that no process of the release before runs any more, so that the kinds of
 * events which this release added may be written. There is no way back: once they are in the log,
 * the release before cannot read it.
 */
import type { Command } from 'commander'
import { finishRollOut } from '../platform/roll-out.js'
import { withDatabase } from './opened-database.js'
import { print, printJson } from './terminal.js'

export function registerUpgrade(program: Command): void {
  const upgrade = program.command('upgrade').description('the steps of a new release')
  upgrade
    .command('finish')
    .description('switch on what this release added, once no process of the one before runs')
    .option('--json', 'print the result as JSON')
    .action(finish)
}

async function finish({ json }: { readonly json?: true }): Promise<void> {
  await withDatabase(async ({ database: { pool } }) => {
    const isNew = await finishRollOut(pool)
    if (json) printJson({ finished: true, changed: isNew })
    else if (isNew) print('The upgrade is finished: holds may be placed from now on.')
    else print('The upgrade was finished before.')
  })
}
