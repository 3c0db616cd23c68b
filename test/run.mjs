/**
 * `npm test`: format, types, lint, build, then every test on one PostgreSQL that is started for
 * this run and stopped with it. `npm run check` (--fast) runs only the tests that need no database:
 * test/domain/, test/writing/, test/tidy.test.ts and test/config*.test.ts. With file names as
 * arguments: only those tests. The very last line is `N passed, N failed`: tap's own counts of
 * assertions, plus one failure for each other step that failed.
 * Plain JavaScript: it runs before anything is installed. Talks to loopback only.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { build } from '../src/launch/build.mjs'
import { install, installedState, nodeVersionFault } from '../src/launch/install.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const fastTests = [/^domain\//, /^writing\//, /^tidy\.test\.ts$/, /^config[^/]*\.test\.ts$/]

/** The whole run takes ten minutes on two cores; a run that hangs must still end by itself. */
const stepLimitMs = 10 * 60_000
const testsLimitMs = 60 * 60_000

/** Process groups that must not outlive this one. */
const running = new Set()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    for (const child of running) killGroup(child)
    process.exit(1)
  })

const outcome = await runAll(process.argv.slice(2)).catch((error) => {
  console.log(error instanceof Error ? error.message : String(error))
  return { passed: 0, failed: 1 }
})
console.log(`${outcome.passed} passed, ${outcome.failed} failed`)
process.exit(outcome.failed === 0 ? 0 : 1)

async function runAll(args) {
  const fault = nodeVersionFault()
  if (fault !== null) throw new Error(fault)
  const isFast = args.includes('--fast')
  const chosen = args.filter((arg) => arg !== '--fast')
  if ((await installedState(root)) !== 'complete') {
    console.log('Installing packages (npm ci) …')
    await install(root, { withDevelopment: true })
  }
  const steps = []
  if (chosen.length === 0) {
    // The linter takes as long as the others together, and each uses one processor.
    const linting = step('lint', async () => tool('eslint', ['.']))
    steps.push(await step('format', async () => tool('prettier', ['--check', '.'])))
    steps.push(await step('types', async () => tool('tsc', [])))
    steps.push(await step('types of the pages', async () => tool('tsc', ['-p', 'widget-ui'])))
    steps.push(await linting)
  }
  steps.push(await step('build', async () => buildHere()))
  steps.push(await step('test runner', async () => buildRunner()))
  steps.push(await step('transpile', async () => transpileHere()))
  const files = chosen.length > 0 ? chosen : await testFiles(isFast)
  const tests = isFast ? await runTests(files, {}) : await runTestsWithDatabase(files)
  return summary(steps, tests)
}

async function testFiles(isFast) {
  const names = await readdir(path.join(root, 'test'), { recursive: true })
  return names
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => !isFast || fastTests.some((pattern) => pattern.test(name)))
    .sort()
    .map((name) => `test/${name}`)
}

async function step(name, work) {
  const startedMs = Date.now()
  const { isOk, output } = await work()
  const seconds = secondsSince(startedMs)
  console.log(`${isOk ? 'ok  ' : 'FAIL'}  ${name}  ${seconds}`)
  if (!isOk && output !== '') console.log(output)
  return { name, isOk }
}

async function buildHere() {
  return resultOf(build(root))
}

async function transpileHere() {
  // Only now: what it needs has been installed by this run.
  const { transpileAll } = await import('./support/typescript/transpile.mjs')
  return resultOf(transpileAll())
}

async function resultOf(work) {
  return work.then(
    () => ({ isOk: true, output: '' }),
    (error) => ({ isOk: false, output: String(error) }),
  )
}

/**
 * tap as npm installs it holds the loaders that .taprc leaves out. It would build itself
 * anew at its first run, but run that one still with them.
 */
async function buildRunner() {
  const made = path.join(root, 'node_modules', '@tapjs', 'test', 'test-built', 'dist', 'esm')
  const text = await readFile(path.join(made, 'index.js'), 'utf8').catch(() => '')
  const isAsWanted = !/@tapjs\/(typescript|mock)/.test(text)
  return isAsWanted ? { isOk: true, output: '' } : tool('tap', ['build'])
}

/** A command of node_modules/.bin; its output is shown only when it fails. */
async function tool(name, args) {
  const child = start(name, { args, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  const code = await endOf(child, stepLimitMs)
  return { isOk: code === 0, output: Buffer.concat(output).toString('utf8').trimEnd() }
}

function start(name, { args, stdio, env = {} }) {
  const program = path.join(root, 'node_modules', '.bin', name)
  const child = spawn(program, args, {
    cwd: root,
    stdio,
    env: { ...process.env, ...env },
    // A group of its own, so that a hanging test's own children can be ended with it.
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32',
  })
  running.add(child)
  return child
}

async function endOf(child, limitMs) {
  const timer = setTimeout(() => {
    console.log(`FAIL  gave up after ${limitMs / 60_000} minutes`)
    killGroup(child)
  }, limitMs)
  const code = await Promise.race([
    once(child, 'close').then(([closedWith]) => closedWith ?? 1),
    once(child, 'error').then(() => 1),
  ])
  clearTimeout(timer)
  // Whatever a test started and left behind ends here, and only that: the group is ours.
  killGroup(child)
  running.delete(child)
  return code
}

function killGroup(child) {
  if (child.pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

async function runTestsWithDatabase(files) {
  const database = await startDatabase()
  if (database === null) return { counts: null, code: 1 }
  try {
    return await runTests(files, {
      WALLET_TEST_DATABASE_URL: database.url,
      WALLET_TEST_MAIN: path.join(root, 'dist', 'src', 'main.js'),
      WALLET_TEST_PAGES: path.join(root, 'dist', 'widget-ui'),
    })
  } finally {
    await database.stop()
  }
}

/** The server ends when its input does, so it also ends when this process is killed. */
async function startDatabase() {
  const program = path.join(root, 'test', 'support', 'database-server.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const [url] = await Promise.race([once(lines, 'line'), ended.then(() => [null])])
  if (url === null) {
    console.log('FAIL  the PostgreSQL for the tests did not start')
    return null
  }
  const stop = async () => {
    child.stdin.end()
    await ended
  }
  return { url, stop }
}

async function runTests(files, env) {
  if (files.length === 0) return { counts: null, code: 1 }
  const child = start('tap', {
    args: ['run', '--reporter=tap', ...files],
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  const counts = report(createInterface({ input: child.stdout }))
  const code = await endOf(child, testsLimitMs)
  return { counts: await counts, code }
}

/** One line a test file; of a failed one also what failed. Answers with tap's final counts. */
async function report(lines) {
  let counts = null
  let block = []
  for await (const line of lines) {
    const final = /^# \{ total: .*\}$/.test(line)
    const result = /^(not )?ok \d+ - (.*?)(?: # time=([\d.]+)ms)?$/.exec(line)
    if (final) counts = countsIn(line)
    if (/^# Subtest: /.test(line)) block = []
    if (result === null) block.push(line)
    if (result === null) continue
    const [, failed, name, timeMs] = result
    const seconds = timeMs === undefined ? '' : `  ${(Number(timeMs) / 1_000).toFixed(1)} s`
    console.log(`${failed ? 'FAIL' : 'ok  '}  ${name}${seconds}`)
    for (const text of failed ? block.filter(isTelling) : block.filter(isSkip)) console.log(text)
    block = []
  }
  return counts
}

function countsIn(line) {
  const numberOf = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(line)?.[1] ?? 0)
  return { pass: numberOf('pass'), fail: numberOf('fail'), skip: numberOf('skip') }
}

function isTelling(line) {
  return isSkip(line) || !/^\s*(ok \d+|1\.\.\d+|# Subtest: |$)/.test(line)
}

function isSkip(line) {
  return /^\s*ok \d+ .* # SKIP/.test(line)
}

function summary(steps, { counts, code }) {
  const failedSteps = steps.filter(({ isOk }) => !isOk).map(({ name }) => name)
  const { pass, fail, skip } = counts ?? { pass: 0, fail: 0, skip: 0 }
  // A run that broke off without a failed assertion is a failure all the same.
  const brokenOff = fail === 0 && (code !== 0 || counts === null) ? 1 : 0
  console.log('')
  if (failedSteps.length > 0) console.log(`failed: ${failedSteps.join(', ')}`)
  if (brokenOff > 0) console.log('failed: the tests did not run to their end')
  if (skip > 0) console.log(`${skip} skipped, each with its reason above`)
  return { passed: pass, failed: fail + failedSteps.length + brokenOff }
}

function secondsSince(startedMs) {
  return `${((Date.now() - startedMs) / 1_000).toFixed(1)} s`
}
