/**
 * `serve` runs the service, `project` only its projections; both until a signal.
 * Promises: Ctrl-C ends cleanly (requests finish, lanes drain, PostgreSQL stops), within
 * `shutdownMs` in any case; a second Ctrl-C ends at once.
 */
import type { Command } from 'commander'
import { openLedger, startService } from '../compose.js'
import type { Service } from '../compose.js'
import { readConfig } from '../config.js'
import type { Config } from '../config.js'
import { shutdownMs } from '../limits.js'
import { systemClock } from '../platform/clock.js'
import { createLog } from '../platform/log.js'
import type { Log } from '../platform/log.js'
import { CommandError, notice, print, printJson } from './terminal.js'

export function registerServe(program: Command): void {
  program
    .command('serve', { isDefault: true })
    .description('run the service: API, widget and projections')
    .option('--json', 'print one JSON object instead of the lines for people')
    .action(serve)
  program
    .command('project')
    .description('run only the projections, as a process of their own (PROJECTIONS=off elsewhere)')
    .option('--json', 'print one JSON object instead of the lines for people')
    .action(projectOnly)
}

interface ServeOptions {
  readonly json?: true
}

async function serve(options: ServeOptions): Promise<void> {
  const config = readConfig()
  const log = createLog({ level: config.logLevel })
  const ending = awaitEnd()
  const service = await startService(config, { log, notice, onLost: ending.fail })
  log.info({ origin: service.origin }, 'listening')
  if (options.json) printJson({ origin: service.origin })
  else if (config.environment !== 'production') print(banner(config, service))
  await endCleanly(await ending.reason, () => service.close(), log)
}

async function projectOnly(options: ServeOptions): Promise<void> {
  const config = readConfig()
  const log = createLog({ level: config.logLevel })
  const ending = awaitEnd()
  const ledger = await openLedger(config, { log, notice, onLost: ending.fail })
  ledger.runner.start()
  log.info('projecting')
  if (options.json) printJson({ projecting: true })
  else if (config.environment !== 'production')
    print(`Projecting, from ${ledger.place}. Ctrl-C ends it.`)
  void ledger.runner.ended().then(() => {
    const { contradiction } = ledger.runner
    if (contradiction !== undefined)
      ending.fail(
        new CommandError(`The projections have stopped: ${contradiction}.`, 'See the log.'),
      )
  })
  await endCleanly(await ending.reason, () => ledger.close(), log)
}

/** A signal, or a loss that nothing can go on after. */
export function awaitEnd(): { reason: Promise<Error | undefined>; fail: (error: Error) => void } {
  let fail: (error: Error) => void = () => undefined
  const reason = new Promise<Error | undefined>((resolve) => {
    fail = resolve
    const onSignal = (): void => {
      // The second one is not caught any more: it ends the process at once.
      process.removeListener('SIGINT', onSignal)
      process.removeListener('SIGTERM', onSignal)
      resolve(undefined)
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
  return { reason, fail }
}

export async function endCleanly(
  reason: Error | undefined,
  close: () => Promise<void>,
  log: Log,
): Promise<void> {
  systemClock.after(shutdownMs, () => {
    log.error('parts did not stop in time')
    process.exit(1)
  })
  await close()
  log.info('ended')
  if (reason !== undefined) throw reason
}

function banner(config: Config, service: Service): string {
  const events =
    config.eventStore.kind === 'database'
      ? 'in the same PostgreSQL'
      : 'EventStoreDB of EVENTSTORE_URL'
  return [
    '',
    'The wallet service is running.',
    '',
    `  Admin     ${service.origin}/admin`,
    ...firstAdminLines(service),
    `  Health    ${service.origin}/health/ready`,
    `  Data      ${service.place}`,
    `  Events    ${events}`,
    `  Currency  ${config.currency.code.toUpperCase()}`,
    '',
    'Next: npm run demo (a shop that uses it), or npm run -s wallet -- --help. Ctrl-C ends it.',
    '',
  ].join('\n')
}

export function firstAdminLines({ firstAdmin }: Service): string[] {
  if (firstAdmin === undefined) return []
  return [
    `            log in as ${firstAdmin.email} with ${firstAdmin.password}`,
    '            (made at this first start; the password is not shown again)',
  ]
}
