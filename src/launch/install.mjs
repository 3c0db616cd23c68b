/**
 * Installs the npm packages that package-lock.json names, when what is installed differs from it.
 * Plain JavaScript without dependencies: it runs before there are any.
 * Promises: a signal meanwhile ends npm first, and us only when it has ended.
 * Never: removes development packages that are there, or prints to standard output.
 */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'

const installLimitMs = 10 * 60_000
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** The text says why, for the person who reads the log of a fresh machine. */
export function nodeVersionFault(version = process.versions.node) {
  if (Number.parseInt(version, 10) >= 20) return null
  return `This needs Node.js 20 or later; this is ${version}. See https://nodejs.org`
}

/** @returns {Promise<'complete' | 'without development packages' | 'incomplete'>} */
export async function installedState(root) {
  const wanted = await packagesOf(path.join(root, 'package-lock.json'))
  const present = await packagesOf(path.join(root, 'node_modules', '.package-lock.json'))
  let state = 'complete'
  for (const [name, { version, dev, optional, devOptional, link }] of Object.entries(wanted)) {
    // Optional packages are for one kind of machine each: most of them are rightly absent.
    if (name === '' || optional || devOptional || link) continue
    if (present[name]?.version === version) continue
    if (!dev) return 'incomplete'
    state = 'without development packages'
  }
  return state
}

export async function install(root, { withDevelopment }) {
  const keepsDevelopment = withDevelopment || (await hasDevelopment(root))
  const args = ['ci', '--no-audit', '--no-fund', ...(keepsDevelopment ? [] : ['--omit=dev'])]
  const { code, output, stoppedBy } = await run('npm', { args, cwd: root })
  if (stoppedBy !== undefined) throw new Error(`Stopped by ${stoppedBy} while installing packages.`)
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${output}`)
}

async function packagesOf(lockfile) {
  const text = await readFile(lockfile, 'utf8').catch(() => '{}')
  return JSON.parse(text).packages ?? {}
}

async function hasDevelopment(root) {
  const present = await packagesOf(path.join(root, 'node_modules', '.package-lock.json'))
  return Object.values(present).some((entry) => entry.dev && !entry.optional)
}

async function run(program, { args, cwd }) {
  return new Promise((resolve) => {
    let output = ''
    let stoppedBy
    // npm takes back what it has begun, and only then may anybody begin again. Ctrl-C reaches it
    // too, from the terminal. Listening begins before npm does: handlers run only after this.
    const stop = (signal) => {
      stoppedBy = signal
      if (signal !== 'SIGINT') child.kill(signal)
    }
    for (const signal of stopSignals) process.on(signal, stop)
    const child = spawn(program, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: installLimitMs,
      shell: process.platform === 'win32',
    })
    const end = (result) => {
      for (const signal of stopSignals) process.removeListener(signal, stop)
      resolve({ ...result, stoppedBy })
    }
    const keep = (chunk) => (output = (output + chunk).slice(-4_000))
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => end({ code: 1, output: error.message }))
    child.on('close', (code) => end({ code, output: output.trim() }))
  })
}
