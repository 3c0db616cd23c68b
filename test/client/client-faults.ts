/**
 * `npm run client-faults`: ten thousand debits through the client, over a way full of faults, to a
 * real service that is killed (SIGKILL) and started again meanwhile; then the verdict, read from
 * the service. `-- --debits 1000 --seed 7` for other runs. Exit code 1 when anything is wrong.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, promisify } from 'node:util'
import { root } from '../support/repository.js'
import { runWithFaults } from './fault-run.js'

const options = { debits: { type: 'string' }, seed: { type: 'string' } } as const
const { values } = parseArgs({ options })
const debits = Number(values.debits ?? 10_000)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const users = 8
const main = join(root, 'dist', 'src', 'main.js')

/** The service in a folder of its own, as an operator would run it. */
class Service {
  readonly #environment: NodeJS.ProcessEnv
  #child: ChildProcess | undefined

  constructor(folder: string) {
    this.#environment = { ...process.env, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error' }
  }

  /** Where it listens. */
  async start(): Promise<number> {
    const child = spawn(process.execPath, [main, 'serve', '--json'], {
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    for await (const line of createInterface({ input: child.stdout })) {
      const { origin } = JSON.parse(line) as { origin?: string }
      if (origin !== undefined) return Number(new URL(origin).port)
    }
    throw new Error('the service did not start')
  }

  async stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  async run<Result>(...args: readonly string[]): Promise<Result> {
    const call = promisify(execFile)(process.execPath, [main, ...args, '--json'], {
      env: this.#environment,
    })
    return JSON.parse((await call).stdout) as Result
  }
}

const folder = await mkdtemp(join(tmpdir(), 'client-faults-'))
// Run by root, PostgreSQL is another user, who must reach it.
await chmod(folder, 0o755)
const service = new Service(folder)
const startedMs = performance.now()
try {
  const port = await service.start()
  const credentials = await service.run<{ clientId: string; clientSecret: string }>(
    ...['client-apps', 'create', '--name', 'Faults'],
  )
  const people = []
  for (let number = 1; number <= users; number += 1)
    people.push(
      await service.run<{ serviceUserId: string }>(
        ...['users', 'create', '--email', `user-${number}@example.com`],
        ...['--password', 'correct horse battery', '--first-name', 'Ada', '--last-name', 'Byron'],
        ...['--link', credentials.clientId],
      ),
    )
  console.log(`${debits} debits, seed ${seed}`)
  const verdict = await runWithFaults({
    ...{ seed, debits, credentials, port, timeoutMs: 1_000 },
    atOnce: 64,
    restarts: 5,
    users: people.map(({ serviceUserId }) => serviceUserId),
    restart: async () => {
      await service.stop('SIGKILL')
      return service.start()
    },
  })
  const areExact = verdict.balances.every((each, index) => each === verdict.expectedBalances[index])
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  console.log(JSON.stringify({ ...verdict, wrong: verdict.wrong.slice(0, 20), seconds }, null, 2))
  const isRight = verdict.wrong.length === 0 && areExact
  console.log(isRight ? 'each was booked once, none is unknown' : 'WRONG')
  process.exitCode = isRight ? 0 : 1
} finally {
  await service.stop('SIGTERM')
  await rm(folder, { recursive: true, force: true })
}
