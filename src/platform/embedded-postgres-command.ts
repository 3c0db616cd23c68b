/**
 * Runs PostgreSQL's own programs, as another user where we are root (PostgreSQL refuses root).
 * Promises: a bounded time and a bounded amount of kept output; never throws for a failed program.
 */
import { spawn } from 'node:child_process'

/** The user that PostgreSQL runs as. `null` stands for the user of this process. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

export interface CommandResult {
  readonly isOk: boolean
  readonly output: string
}

const outputKeptChars = 4_000

export async function runCommand(
  program: string,
  options: {
    readonly args: readonly string[]
    readonly account: Account | null
    readonly timeoutMs: number
  },
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(program, options.args, {
      ...(options.account === null ? {} : { uid: options.account.uid, gid: options.account.gid }),
      ...(process.platform === 'win32' ? {} : { env: plainEnvironment }),
      // The other user may not enter our working directory, and initdb fails without one.
      cwd: process.platform === 'win32' ? undefined : '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    // Not spawn's own `timeout`: its timer goes on when the program could not even be started.
    const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs)
    const finish = (result: CommandResult): void => {
      clearTimeout(timer)
      resolve(result)
    }
    let output = ''
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-outputKeptChars)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => finish({ isOk: false, output: error.message }))
    child.on('close', (code) => finish({ isOk: code === 0, output: output.trim() }))
  })
}

// Settings such as PGDATA, PGPORT or LC_ALL of whoever starts us must not reach the server.
const plainEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
}
