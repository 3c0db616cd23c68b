/**
 * `npm test`: format, types, lint, build, then every test on one PostgreSQL that is started for
 * this run and stopped with it. `npm run check` (--fast) runs only the tests that need no database:
 * test/domain/, test/writing/, test/tidy.test.ts and test/config*.test.ts. With file names as
 * arguments: only those tests. The very last line is `N passed, N failed`: tap's own counts of
 * assertions, plus one failure for each other step that failed.
 * Test files run in processes that are started here and not by tap's own runner: that one loads its
 * recorder of coverage into every Node process, also into those that tests start, which took a
 * fifth of the processor time of all tests. Several files share a process (test-process.mjs).
 * Plain JavaScript: it runs before anything is installed. Talks to loopback only.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { build } from '../src/launch/build.mjs'
import { install, installedState, nodeVersionFault } from '../src/launch/install.mjs'
import { javascriptOf, removeJavascript, transpileAll } from './support/typescript/transpile.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const fastTests = [/^domain\//, /^writing\//, /^tidy\.test\.ts$/, /^config[^/]*\.test\.ts$/]

/** Started first: what takes longest must not be what is left at the end. */
const longest = /^(browser|cli|docs|simulation|spec)\//

/** Four files at a time on the two cores of the CI: tests in a browser wait more than they work. */
const filesAtOnce = 4

/** Far more than any takes: only what hangs meets them, not a busy machine. */
const stepLimitMs = 10 * 60_000
const fileLimitMs = 5 * 60_000

/** Enough to warm up once for many, few enough that nothing piles up. */
const filesInOneProcess = 40
const processLimitMs = 30 * 60_000

/** Process groups that must not outlive this one. */
const running = new Set()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    for (const child of running) killGroup(child)
    removeJavascript()
    process.exit(1)
  })

const outcome = await runAll(process.argv.slice(2)).catch((error) => {
  console.log(error instanceof Error ? error.message : String(error))
  return { passed: 0, failed: 1 }
})
removeJavascript()
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
  const files = chosen.length > 0 ? await chosenFiles(chosen) : await testFiles(isFast)
  const checks = chosen.length === 0 ? staticChecks() : []
  const made = [
    await step('build', () => resultOf(build(root))),
    await step('transpile', () => resultOf(transpileAll())),
  ]
  const tests = isFast ? await runTests(files, {}) : await runTestsWithDatabase(files)
  return summary([...made, ...(await Promise.all(checks))], tests)
}

/** The compiler and the linter are one program, so that the types are worked out once for both. */
function staticChecks() {
  return [
    step('format', () => command(bin('oxfmt'), ['--check', '.'])),
    step('types and lint', () => command(bin('oxlint'), ['--deny-warnings'])),
  ]
}

async function testFiles(isFast) {
  const names = await readdir(path.join(root, 'test'), { recursive: true })
  return names
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => !isFast || fastTests.some((pattern) => pattern.test(name)))
    .sort((one, other) => longest.test(other) - longest.test(one) || (one < other ? -1 : 1))
    .map((name) => `test/${name}`)
}

/** Files and folders by their names. */
async function chosenFiles(args) {
  const all = await testFiles(false)
  return args.flatMap((arg) => {
    const name = path.relative(root, path.resolve(arg)).split(path.sep).join('/')
    const found = all.filter((file) => file === name || file.startsWith(`${name}/`))
    if (found.length === 0) throw new Error(`${arg} is no test file and no folder with tests`)
    return found
  })
}

async function step(name, work) {
  const startedMs = Date.now()
  const { isOk, output } = await work()
  const seconds = secondsSince(startedMs)
  console.log(`${isOk ? 'ok  ' : 'FAIL'}  ${name}  ${seconds}`)
  if (!isOk && output !== '') console.log(output)
  return { name, isOk }
}

async function resultOf(work) {
  return work.then(
    () => ({ isOk: true, output: '' }),
    (error) => ({ isOk: false, output: String(error) }),
  )
}

/** Its output is shown only when it fails. */
async function command(program, args) {
  const child = start(program, { args, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  const code = await endOf(child, stepLimitMs)
  return { isOk: code === 0, output: Buffer.concat(output).toString('utf8').trimEnd() }
}

function bin(name) {
  return path.join(root, 'node_modules', '.bin', name)
}

function start(program, { args, stdio, env = {} }) {
  const child = spawn(program, args, {
    cwd: root,
    stdio,
    env: { ...process.env, ...env },
    // A group of its own, so that a hanging test's own children can be ended with it.
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32' && program !== process.execPath,
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
  if (database === null) return [{ pass: 0, fail: 1, skip: 0 }]
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
  const child = spawn(process.execPath, [javascriptOf('test/support/database-server.ts')], {
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
  const waiting = [...files]
  const results = []
  const worker = async () => {
    while (waiting.length > 0) results.push(...(await runInOneProcess(waiting, env)))
  }
  await Promise.all(Array.from({ length: filesAtOnce }, worker))
  return results
}

/** Takes from what waits, until the process has had its share of files or has broken off. */
async function runInOneProcess(waiting, env) {
  const child = start(process.execPath, {
    args: ['--max-semi-space-size=64', '--import', heldAnswers(), testProcess()],
    stdio: ['pipe', 'pipe', 'inherit'],
    // tap has a limit of its own for the whole process; ours ends also what tap cannot.
    env: {
      ...env,
      WALLET_TEST_JAVASCRIPT: javascriptOf(''),
      TAP_TIMEOUT: String(processLimitMs / 1_000),
    },
  })
  const ended = endOf(child, processLimitMs)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const results = []
  while (waiting.length > 0 && results.length < filesInOneProcess) {
    const file = waiting.shift()
    const result = await runFile(file, child, lines)
    results.push(result)
    if (result.hasBrokenOff) break
  }
  child.stdin.end()
  const rest = []
  for (let next = await lines.next(); !next.done; next = await lines.next()) rest.push(next.value)
  const code = await ended
  // What fails after the last file has ended belongs to none of them.
  if (code !== 0 && results.every(({ fail }) => fail === 0)) {
    console.log(['FAIL  a process of tests', ...rest.filter(isTelling)].join('\n'))
    results.push({ pass: 0, fail: 1, skip: 0 })
  }
  return results
}

/** One line a test file; of a failed one also what failed. Answers with tap's counts. */
async function runFile(file, child, lines) {
  const startedMs = Date.now()
  const timer = setTimeout(() => killGroup(child), fileLimitMs)
  child.stdin.write(`${file}\n`)
  const seen = []
  let counts
  while (counts === undefined) {
    const { done, value } = await lines.next()
    if (done) break
    counts = countsIn(value)
    seen.push(value)
  }
  clearTimeout(timer)
  const isOk = counts !== undefined && counts.fail === 0 && counts.pass > 0
  console.log(`${isOk ? 'ok  ' : 'FAIL'}  ${file}  ${secondsSince(startedMs)}`)
  for (const text of seen.filter(isOk ? isSkip : isTelling)) console.log(text)
  if (counts === undefined) return { pass: 0, fail: 1, skip: 0, hasBrokenOff: true }
  return { ...counts, fail: isOk ? 0 : Math.max(counts.fail, 1) }
}

function testProcess() {
  return javascriptOf('test/support/test-process.mjs')
}

/** Holds every answer in every test to the schemas of its route. */
function heldAnswers() {
  return pathToFileURL(javascriptOf('test/support/held-answers.mjs')).href
}

/** What test-process.mjs says when a file has ended. */
function countsIn(line) {
  const found = /^# ended (\{.*\})$/.exec(line)?.[1]
  return found === undefined ? undefined : JSON.parse(found)
}

function isTelling(line) {
  return isSkip(line) || !/^\s*(ok \d+|1\.\.\d+|# Subtest: |$)/.test(line)
}

function isSkip(line) {
  return /^\s*ok \d+ .* # SKIP/.test(line)
}

function summary(steps, tests) {
  const failedSteps = steps.filter(({ isOk }) => !isOk).map(({ name }) => name)
  const sumOf = (name) => tests.reduce((sum, counts) => sum + counts[name], 0)
  const skipped = sumOf('skip')
  console.log('')
  if (failedSteps.length > 0) console.log(`failed: ${failedSteps.join(', ')}`)
  if (skipped > 0) console.log(`${skipped} skipped, each with its reason above`)
  // No test at all is no success.
  const missing = tests.length === 0 ? 1 : 0
  return { passed: sumOf('pass'), failed: sumOf('fail') + failedSteps.length + missing }
}

function secondsSince(startedMs) {
  return `${((Date.now() - startedMs) / 1_000).toFixed(1)} s`
}
