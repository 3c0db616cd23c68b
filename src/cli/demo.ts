/**
 * `demo`: the service on its embedded default and the example shop of docs/example-shop beside it,
 * until a signal. Everything lies in DATA_DIR/demo, apart from the data of `serve`.
 * Promises: the shop's client app is made once and its secret kept in a file of mode 0600; both
 * parts end together; a port that is taken is said before anything is started.
 */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import type { Service } from '../compose.js'
import { readDemoConfig } from '../config.js'
import type { Config } from '../config.js'
import { demoShopStartMs, demoShopStopMs } from '../limits.js'
import { systemClock } from '../platform/clock.js'
import { throwListenError } from '../platform/connection-faults.js'
import { ensureShop } from './demo-shop.js'
import type { ShopCredentials } from './demo-shop.js'
import { endCleanly, firstAdminLines, openWatched, startService } from './serve.js'
import { CommandError, print, printJson } from './terminal.js'

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('run the service and an example shop that uses it, with data of their own')
    .option('--shop-port <port>', 'the port of the shop; 0 takes a free one', portOf, 4_000)
    .option('--json', 'print one JSON object instead of the lines for people')
    .action(demo)
}

interface DemoOptions {
  readonly shopPort: number
  readonly json?: true
}

type DemoConfig = ReturnType<typeof readDemoConfig>

async function demo(options: DemoOptions): Promise<void> {
  const config = readDemoConfig()
  if (!existsSync(shopProgram))
    throw new CommandError(
      'The example shop is not part of this installation.',
      'Run the demo in a clone of the repository.',
    )
  await requireFreePort(config)
  const shopPort = await freeShopPort(options.shopPort)
  const shopOrigin = `http://localhost:${shopPort}`
  const watched = await openWatched(config, startService)
  if (watched === undefined) return
  const { opened: service, ending, log } = watched
  const shop = new Shop(ending.fail)
  const close = async (): Promise<void> => {
    await shop.stop()
    await service.close()
  }
  try {
    const credentials = await ensureShop(config, { log, folder: config.folder, shopOrigin })
    const environment = shopEnvironment({ config, service, credentials, shopOrigin, shopPort })
    await Promise.race([shop.start(environment), ending.reason])
  } catch (error) {
    await close()
    throw error
  }
  if (options.json) printJson({ shop: shopOrigin, service: service.origin })
  else print(banner({ config, service, shopOrigin }))
  await endCleanly(await ending.reason, close, log)
}

/** Beside src in a clone; from dist/src one folder further up. */
const shopProgram = fileURLToPath(
  new URL(
    `${import.meta.url.endsWith('.ts') ? '../..' : '../../..'}/docs/example-shop/server.mjs`,
    import.meta.url,
  ),
)

/** The shop as a process of its own, as an integrator's backend is one. */
class Shop {
  readonly #onLost: (error: Error) => void
  #child: ChildProcess | undefined
  #isStopping = false

  constructor(onLost: (error: Error) => void) {
    this.#onLost = onLost
  }

  /** Resolves when it answers. */
  async start(environment: Record<string, string>): Promise<void> {
    // Only what it needs: not a variable of the person's shell.
    const child = fork(shopProgram, {
      env: environment,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Ctrl-C reaches only us, and we stop it; should we be killed, it sees the channel close.
      detached: process.platform !== 'win32',
    })
    this.#child = child
    const cancel = systemClock.after(demoShopStartMs, () => child.kill('SIGKILL'))
    const ended = new CommandError('The example shop has ended.', 'What it said stands above.')
    child.once('exit', () => {
      if (!this.#isStopping) this.#onLost(ended)
    })
    const early = once(child, 'exit').then(() => Promise.reject(ended))
    await Promise.race([once(child, 'message'), early]).finally(cancel)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const cancel = systemClock.after(demoShopStopMs, () => child.kill('SIGKILL'))
    await ended
    cancel()
  }
}

function shopEnvironment(demo: {
  readonly config: Config & { readonly folder: string }
  readonly service: Service
  readonly credentials: ShopCredentials
  readonly shopOrigin: string
  readonly shopPort: number
}): Record<string, string> {
  const { config, service, credentials, shopOrigin, shopPort } = demo
  return {
    WALLET_URL: service.origin,
    WALLET_CLIENT_ID: credentials.clientId,
    WALLET_CLIENT_SECRET: credentials.clientSecret,
    SHOP_ORIGIN: shopOrigin,
    SHOP_PORT: String(shopPort),
    SHOP_DATA: join(config.folder, 'shop.json'),
    SHOP_CURRENCY: config.currency.code,
  }
}

/** Port 0 is any free one. */
async function requireFreePort({ listen: { host, port } }: DemoConfig): Promise<void> {
  if ((await listenOnce(host, port)) !== undefined) return
  throw new CommandError(
    `The port ${port} of the service is taken.`,
    'Stop what runs there (perhaps npm start), or choose another: PORT=3001 npm run demo',
  )
}

async function freeShopPort(port: number): Promise<number> {
  const free = await listenOnce('127.0.0.1', port)
  if (free !== undefined) return free
  throw new CommandError(
    `The port ${port} of the shop is taken.`,
    `Stop what runs there, or choose another: npm run demo -- --shop-port ${port + 1}`,
  )
}

/** The port that was free a moment ago; undefined when it is taken. */
async function listenOnce(host: string, port: number): Promise<number | undefined> {
  const server = createServer()
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') return undefined
    return throwListenError(error)
  }
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}

function portOf(text: string): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}

function banner(demo: {
  readonly config: DemoConfig
  readonly service: Service
  readonly shopOrigin: string
}): string {
  const { config, service, shopOrigin } = demo
  return [
    '',
    `Open ${shopOrigin}`,
    '',
    '  1. Register in the shop and buy something.',
    '  2. Make a wallet in the frame: the wallet service asks, not the shop.',
    '  3. Top up what is missing with the test card 4242 4242 4242 4242, any date to come,',
    '     any three digits. Then pay, look at the order, get the money back.',
    '',
    `  Service   ${service.origin}, admin area at /admin`,
    ...firstAdminLines(service),
    `  Data      ${config.folder}; delete it to begin anew`,
    '',
    'Ctrl-C ends both.',
    '',
  ].join('\n')
}
