/**
 * The entry point: the command line of the service. `npm start` is `serve`; everything else is
 * `npm run -s wallet -- <command>`. Exit codes: 0 done, 1 it did not work, 2 wrong usage.
 */
import { Command, CommanderError } from 'commander'
import { notice, OutputLostError, watchOutput } from './cli/terminal.js'

/** In the order of the help. Only the file of the command that is named is loaded. */
const commands: readonly {
  readonly names: readonly string[]
  readonly load: () => Promise<(program: Command) => void>
}[] = [
  { names: ['serve', 'project'], load: async () => (await import('./cli/serve.js')).registerServe },
  { names: ['demo'], load: async () => (await import('./cli/demo.js')).registerDemo },
  {
    names: ['migrate', 'rebuild'],
    load: async () => (await import('./cli/read-models.js')).registerReadModels,
  },
  { names: ['upgrade'], load: async () => (await import('./cli/upgrade.js')).registerUpgrade },
  { names: ['wallets'], load: async () => (await import('./cli/wallets.js')).registerWallets },
  {
    names: ['client-apps'],
    load: async () => (await import('./cli/client-apps.js')).registerClientApps,
  },
  { names: ['webhooks'], load: async () => (await import('./cli/webhooks.js')).registerWebhooks },
  { names: ['users'], load: async () => (await import('./cli/users.js')).registerUsers },
  { names: ['admin'], load: async () => (await import('./cli/admin.js')).registerAdmin },
  { names: ['seed'], load: async () => (await import('./cli/seed.js')).registerSeed },
  { names: ['sandbox'], load: async () => (await import('./cli/sandbox.js')).registerSandbox },
  { names: ['audit'], load: async () => (await import('./cli/audit.js')).registerAudit },
]

const program = new Command('wallet')
  .description('The wallet service and its tools.')
  .showHelpAfterError('(add --help for the commands and options)')
  .exitOverride()

const [, , named = ''] = process.argv
const known = commands.filter(({ names }) => names.includes(named))
// For the help, and for a name that is none: it says which there are.
for (const { load } of known.length > 0 ? known : commands) (await load())(program)

watchOutput()
try {
  await program.parseAsync(process.argv)
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else await fail(error)
}

async function fail(error: unknown): Promise<void> {
  if (error instanceof OutputLostError) return
  process.exitCode = 1
  const { explain } = await import('./cli/explained-errors.js')
  const lines = explain(error)
  if (lines !== undefined) for (const line of lines) notice(line)
  else notice(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
