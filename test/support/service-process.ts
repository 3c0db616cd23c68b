/**
 * The built service as a process of its own, with its data in a folder of its own: for programs
 * that kill it or watch its memory. Its PostgreSQL is the embedded one, unless the settings name
 * one; of this build, unless they name the folder of another.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { root } from './repository.js'

export class ServiceProcess {
  readonly #folder: string
  readonly #environment: NodeJS.ProcessEnv
  readonly #main: string
  #child: ChildProcess | undefined

  private constructor(folder: string, settings: Readonly<Record<string, string>>, built: string) {
    this.#folder = folder
    this.#main = join(built, 'dist', 'src', 'main.js')
    const place = { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error' }
    this.#environment = { ...process.env, ...place, ...settings }
  }

  static async prepare(
    settings: Readonly<Record<string, string>> = {},
    built: string = root,
  ): Promise<ServiceProcess> {
    // Whoever runs a program of these has perhaps changed something since the last build.
    const launcher = join(built, 'src', 'launch', 'launch.mjs')
    if (built === root) await promisify(execFile)(process.execPath, [launcher, '--help'])
    const folder = await mkdtemp(join(tmpdir(), 'wallet-service-'))
    // Run by root, PostgreSQL is another user, who must reach it.
    await chmod(folder, 0o755)
    return new ServiceProcess(folder, settings, built)
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Resolves when it listens, with its address. */
  async start(): Promise<string> {
    const child = spawn(process.execPath, [this.#main, 'serve', '--json'], {
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    for await (const line of createInterface({ input: child.stdout })) {
      const { origin } = JSON.parse(line) as { origin?: string }
      if (origin !== undefined) return origin
    }
    throw new Error('the service did not start')
  }

  async stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  /** A command on the same data; what it prints. */
  async run<Result>(...args: readonly string[]): Promise<Result> {
    return JSON.parse(await this.text(...args, '--json')) as Result
  }

  /** What a command prints, byte for byte. */
  async text(...args: readonly string[]): Promise<string> {
    const options = { env: this.#environment, maxBuffer: 64 * 1024 * 1024 }
    return (await promisify(execFile)(process.execPath, [this.#main, ...args], options)).stdout
  }

  /** Ends it, and forgets its data. */
  async remove(): Promise<void> {
    await this.stop('SIGTERM')
    await rm(this.#folder, { recursive: true, force: true })
  }
}
