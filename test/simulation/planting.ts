/**
 * Plants one bug in a copy of the sources and runs seeds on the copy until one finds it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PlantedBug } from './planted-bug-list.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const copied = ['src', 'projections', 'test/support', 'test/simulation', 'package.json']

/** The line that tells the seed and the violation. */
export async function findPlanted(bug: PlantedBug, seeds: number): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'wallet-planted-'))
  try {
    for (const name of copied) await cp(join(root, name), join(folder, name), { recursive: true })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const { file, from, to } of bug.changes) await change(join(folder, file), from, to)
    const output = await run(folder, seeds)
    return output.split('\n').find((line) => line.startsWith('VIOLATION'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function change(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  // A bug that cannot be planted any more would be "found" by nobody and missed by nobody.
  if (text.split(from).length !== 2) throw new Error(`${file} has not exactly one: ${from}`)
  await writeFile(
    file,
    text.replace(from, () => to),
  )
}

async function run(folder: string, seeds: number): Promise<string> {
  const program = join('test', 'simulation', 'simulate.ts')
  const options = ['--seed', '1', '--runs', String(seeds), '--stop-at-first']
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
  return Buffer.concat(chunks).toString('utf8')
}
