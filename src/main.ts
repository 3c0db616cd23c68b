/**
 * The entry point: the command line of the service. `npm start` is `serve`; everything else is
 * `npm run -s wallet -- <command>`. Exit codes: 0 done, 1 it did not work, 2 wrong usage.
 */
import { Command, CommanderError } from 'commander'
import { registerAdmin } from './cli/admin.js'
import { registerAudit } from './cli/audit.js'
import { registerClientApps } from './cli/client-apps.js'
import { registerDemo } from './cli/demo.js'
import { registerReadModels } from './cli/read-models.js'
import { registerSandbox } from './cli/sandbox.js'
import { registerSeed } from './cli/seed.js'
import { registerServe } from './cli/serve.js'
import { explain, notice, OutputLostError, watchOutput } from './cli/terminal.js'
import { registerUpgrade } from './cli/upgrade.js'
import { registerUsers } from './cli/users.js'
import { registerWallets } from './cli/wallets.js'
import { registerWebhooks } from './cli/webhooks.js'

const program = new Command('wallet')
  .description('The wallet service and its tools.')
  .showHelpAfterError('(add --help for the commands and options)')
  .exitOverride()

registerServe(program)
registerDemo(program)
registerReadModels(program)
registerUpgrade(program)
registerWallets(program)
registerClientApps(program)
registerWebhooks(program)
registerUsers(program)
registerAdmin(program)
registerSeed(program)
registerSandbox(program)
registerAudit(program)

watchOutput()
try {
  await program.parseAsync(process.argv)
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else fail(error)
}

function fail(error: unknown): void {
  if (error instanceof OutputLostError) return
  process.exitCode = 1
  const lines = explain(error)
  if (lines !== undefined) for (const line of lines) notice(line)
  else notice(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
