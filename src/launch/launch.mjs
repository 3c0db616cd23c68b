/**
 * The first thing that `npm start` and `npm run wallet` run: makes a bare clone ready (packages,
 * build) and then becomes the service itself, in this same process, so that signals and exit codes
 * are the service's own. Plain JavaScript without dependencies.
 * Promises: standard output belongs to the command; two launches at once prepare one after the
 * other; nothing is written when nothing is stale.
 */
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { build, isBuilt } from './build.mjs'
import { install, installedState, nodeVersionFault } from './install.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..')
const lockFile = path.join(root, '.launch-lock')

/** npm ci on a slow line; after that the other launch is taken for dead. */
const lockLimitMs = 15 * 60_000

endWithNpm()
await prepareOrExit()
process.setSourceMapsEnabled(true)
const main = path.join(root, 'dist', 'src', 'main.js')
process.argv[1] = main
await import(pathToFileURL(main).href)

/**
 * The shell between npm and us may end at a signal without passing it on, and nothing would tell us
 * that we were meant: as soon as it is gone, we are told.
 */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return
  const shell = process.ppid
  const look = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(look)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  look.unref()
}

async function prepareOrExit() {
  const fault = nodeVersionFault()
  if (fault !== null) stopWith(fault)
  try {
    if (!(await isReady())) await alone(prepare)
  } catch (error) {
    stopWith(error instanceof Error ? error.message : String(error))
  }
}

async function isReady() {
  return (await installedState(root)) !== 'incomplete' && (await isBuilt(root))
}

async function prepare() {
  if ((await installedState(root)) === 'incomplete') {
    say('Installing packages (npm ci), once …')
    await install(root, { withDevelopment: false })
  }
  if (!(await isBuilt(root))) {
    say('Building …')
    await build(root)
  }
}

/** Two npm ci in one folder delete each other's files. */
async function alone(work) {
  const deadline = Date.now() + lockLimitMs
  while (!(await takeLock())) {
    if (Date.now() > deadline)
      throw new Error(`Another start still prepares this folder; else delete ${lockFile}`)
    await pause(100)
  }
  try {
    await work()
  } finally {
    await rm(lockFile, { force: true })
  }
}

async function takeLock() {
  try {
    const file = await open(lockFile, 'wx')
    await file.writeFile(String(process.pid))
    await file.close()
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  if (await isAbandoned()) {
    // Moved, not deleted: of two launches that see it abandoned only one succeeds.
    await rename(lockFile, `${lockFile}-${process.pid}`).catch(() => undefined)
    await rm(`${lockFile}-${process.pid}`, { force: true })
  }
  return false
}

async function isAbandoned() {
  try {
    const ageMs = Date.now() - (await stat(lockFile)).mtimeMs
    if (ageMs > lockLimitMs) return true
    // Between its creation and its content a lock is empty for a moment.
    const owner = Number.parseInt(await readFile(lockFile, 'utf8'), 10)
    if (Number.isNaN(owner)) return ageMs > 5_000
    process.kill(owner, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

function stopWith(line) {
  say(line)
  process.exit(1)
}
