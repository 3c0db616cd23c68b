/**
 * `serve` runs the service, `project` only its projections; both until a signal.
 * Promises: Ctrl-C, a closed terminal and a signal end cleanly (requests finish, lanes drain,
 * PostgreSQL stops), also during the start, and within `shutdownMs` in any case; a second one ends
 * at once.
 */
import type { Command } from 'commander'
import { openLedger } from '../compose/ledger.js'
import type { Service } from '../compose.js'
import type { Surroundings } from '../compose/parts.js'
import { readConfig } from '../config.js'
import type { Config } from '../config.js'
import { shutdownMs } from '../limits.js'
import { systemClock } from '../platform/clock.js'
import { reasonOf } from '../platform/connection-faults.js'
import { createLog } from '../platform/log.js'
import type { Log } from '../platform/log.js'
import { CommandError, notice, print, printJson } from './terminal.js'

export function registerServe(program: Command): void {
  program
    .command('serve')
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
  const watched = await openWatched(config, startService)
  if (watched === undefined) return
  const { opened: service, ending, log } = watched
  log.info({ origin: service.origin }, 'listening')
  if (options.json) printJson({ origin: service.origin })
  else if (config.environment !== 'production') print(banner(config, service))
  await endCleanly(await ending.reason, () => service.close(), log)
}

async function projectOnly(options: ServeOptions): Promise<void> {
  const config = readConfig()
  const watched = await openWatched(config, openLedger)
  if (watched === undefined) return
  const { opened: ledger, ending, log } = watched
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

/** Loaded only now: with all routes it is more than everything else, and the help needs none. */
export async function startService(config: Config, surroundings: Surroundings): Promise<Service> {
  return (await import('../compose.js')).startService(config, surroundings)
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

interface Ending {
  readonly reason: Promise<Error | undefined>
  /** Aborts when the end is asked for: a start that is under way gives up. */
  readonly signal: AbortSignal
  readonly fail: (error: Error) => void
}

/** Opens it with an eye on the end from the first moment; undefined when the end came first. */
export async function openWatched<Opened>(
  config: Config,
  open: (config: Config, surroundings: Surroundings) => Promise<Opened>,
): Promise<{ opened: Opened; ending: Ending; log: Log } | undefined> {
  const log = createLog({ level: config.logLevel })
  const ending = awaitEnd(log)
  const { signal, fail: onLost } = ending
  const opening = open(config, { log, notice, onLost, signal })
  const opened = await startedUnlessEnded(opening, ending, log)
  return opened === undefined ? undefined : { opened, ending, log }
}

/** A signal, or a loss that nothing can go on after; from then on `shutdownMs` count. */
function awaitEnd(log: Log): Ending {
  let fail: (error: Error) => void = () => undefined
  const starting = new AbortController()
  const reason = new Promise<Error | undefined>((resolve) => {
    const end = (error?: Error): void => {
      systemClock.after(shutdownMs, () => {
        log.error('parts did not stop in time')
        process.exit(1)
      })
      starting.abort()
      resolve(error)
    }
    fail = end
    const onSignal = (): void => {
      // The second one is not caught any more: it ends the process at once.
      for (const name of endSignals) process.removeListener(name, onSignal)
      end()
    }
    for (const name of endSignals) process.on(name, onSignal)
  })
  return { reason, signal: starting.signal, fail }
}

/** Undefined when the end came first; what had started is stopped again by then. */
async function startedUnlessEnded<T>(
  starting: Promise<T>,
  ending: Ending,
  log: Log,
): Promise<T | undefined> {
  try {
    return await starting
  } catch (error) {
    if (!ending.signal.aborted) throw error
    const reason = await ending.reason
    if (reason !== undefined) throw reason
    // Whatever else failed after the signal, such as a program that Ctrl-C reached too.
    if (error !== ending.signal.reason) log.warn({ reason: reasonOf(error) }, 'the start broke off')
    log.info('ended')
    return undefined
  }
}

export async function endCleanly(
  reason: Error | undefined,
  close: () => Promise<void>,
  log: Log,
): Promise<void> {
  await close()
  log.info('ended')
  if (reason !== undefined) throw reason
}

function banner(config: Config, service: Service): string {
  const events =
    config.eventStore.kind === 'database'
      ? 'in the same PostgreSQL'
      : 'EventStoreDB of EVENTSTORE_URL'
  const demoPort = config.listen.port === 3001 ? 3000 : 3001
  return [
    '',
    'The wallet service is running.',
    '',
    `  Admin     ${service.origin}/admin`,
    ...firstAdminLines(service),
    `  API       ${service.origin}/docs`,
    `  Health    ${service.origin}/health/ready`,
    `  Data      ${service.place}`,
    `  Events    ${events}`,
    `  Currency  ${config.currency.code.toUpperCase()}`,
    '',
    `Next: PORT=${demoPort} npm run demo (a shop, with a service of its own),`,
    '      or npm run -s wallet -- --help. Ctrl-C ends it.',
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
