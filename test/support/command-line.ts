/**
 * The command line as a person uses it: a process of its own, its output and its exit code.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { dataFolderOf } from './database.js'

// The run has built dist already, which starts in a tenth of the time; a single file started by
// hand takes the sources as they are.
const built = process.env['WALLET_TEST_MAIN']
const program =
  built === undefined
    ? ['--import', 'tsx', fileURLToPath(new URL('../../src/main.ts', import.meta.url))]
    : [built]

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export type Environment = Readonly<Record<string, string>>

/** Starts the command; it ends with the test at the latest. */
export function startCommand(t: Test, args: readonly string[], environment: Environment) {
  const child = spawn(process.execPath, [...program, ...args], {
    // Only what the test says: a variable of the developer's shell must not decide.
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      DATA_DIR: dataFolderOf(environment['DATABASE_URL'] ?? ''),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const closed = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await closed
  })
  const ended = async (): Promise<CommandResult> => {
    const [code] = (await closed) as [number | null]
    return { code, stdout, stderr }
  }
  /** Resolves when stdout holds a match; fails when the command ends before. */
  const says = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(stdout)
        if (match !== null) resolve(match)
      }
      child.stdout.on('data', look)
      look()
      void closed.then(() => reject(new Error(`ended without ${pattern}: ${stdout}${stderr}`)))
    })
  return { child, ended, says }
}

export function runCommand(t: Test, args: readonly string[], environment: Environment) {
  return startCommand(t, args, environment).ended()
}
