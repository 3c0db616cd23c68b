/**
 * A process of the test run (run.mjs): takes the names of test files from its input, one a line,
 * and runs each when the one before has ended. Several files share a process because to load and
 * warm up the service takes longer than most files take.
 * Promises: a file finds the process as if it were alone: what it has opened for itself is closed
 * after it, and its folders of files are its own. After each file a line says its counts.
 */
import asyncHooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { endProcess, shareProcess } from './process-end.js'

// tap follows every promise back to its test, to say which one threw what nobody caught: a tenth
// of the time of all tests. Without it such an error ends the process, and its file has failed.
asyncHooks.createHook = () => ({ enable: () => undefined, disable: () => undefined })
syncBuiltinESMExports()
const { default: t } = await import('tap')

const home = process.env.WALLET_TEST_JAVASCRIPT ?? ''
let tests = []
let teardowns = []

const runTest = t.test.bind(t)
t.test = (...args) => {
  const test = runTest(...args)
  tests.push(test)
  return test
}
t.teardown = (work) => {
  teardowns.unshift(work)
}

shareProcess()
for await (const file of createInterface({ input: process.stdin })) await run(file)
await endProcess()

async function run(file) {
  const before = { ...t.counts }
  t.testdirName = path.resolve('.tap', 'fixtures', file.replaceAll(/[^a-z0-9.-]+/gi, '-'))
  try {
    await import(pathToFileURL(path.join(home, file.replace(/\.ts$/, '.js'))).href)
    // A test may add others to the file.
    for (let test = tests.shift(); test !== undefined; test = tests.shift()) await test
    for (let work = teardowns.shift(); work !== undefined; work = teardowns.shift()) await work()
  } catch (error) {
    await runTest(`${file} has broken off`, async (t) => t.error(error))
  }
  tests = []
  teardowns = []
  t.jobs = 1
  const since = (name) => t.counts[name] - before[name]
  const counts = { pass: since('pass'), fail: since('fail'), skip: since('skip') }
  // Not by tap, which keeps a comment back until something follows it.
  process.stdout.write(`# ended ${JSON.stringify(counts)}\n`)
}
