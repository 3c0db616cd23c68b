/**
 * Another commit of this project, installed and built in a folder of its own beside this one, so
 * that both can be measured in one run. Kept in the temporary folder: the next run finds it there.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The name of this checkout's commit, for people. */
export async function commitOf(name: string): Promise<string> {
  const { stdout } = await execute('git', ['rev-parse', '--short=12', name], { cwd: root })
  return stdout.trim()
}

/** The folder of the build. */
export async function buildOf(name: string): Promise<string> {
  const commit = await commitOf(name)
  const folder = join(tmpdir(), `wallet-bench-build-${commit}`)
  const ready = join(folder, 'bench-ready')
  if (existsSync(ready)) return folder
  await rm(folder, { recursive: true, force: true })
  await execute('git', ['clone', '-q', root, folder])
  await execute('git', ['-C', folder, 'checkout', '-q', commit])
  await execute('npm', ['ci', '--silent'], { cwd: folder })
  await execute('npm', ['run', '-s', 'build'], { cwd: folder })
  await writeFile(ready, '')
  return folder
}
