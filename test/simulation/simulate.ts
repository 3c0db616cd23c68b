/**
 * `npm run simulate -- --seed N --runs M`: the seeds N, N+1, … one after the other. Prints what was
 * done and every violation with its seed; `--trace` prints every line of what happened, for one
 * seed. Exits with 1 when anything was not as it must be.
 */
import { parseArgs } from 'node:util'
import { simulate } from './world.js'
import type { Report } from './world.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    runs: { type: 'string', default: '100' },
    commands: { type: 'string', default: '100' },
    trace: { type: 'boolean', default: false },
    'stop-at-first': { type: 'boolean', default: false },
  },
})
const firstSeed = wholeNumber('--seed', values.seed ?? String(Date.now() % 2 ** 31))
const runs = wholeNumber('--runs', values.runs)
const commands = wholeNumber('--commands', values.commands)
const onTrace = values.trace ? (line: string): void => console.log(line) : undefined

const totals = { commands: 0, answers: 0, events: 0, steps: 0, violations: 0 }
const faults = new Map<string, number>()
const startedMs = Date.now()
let toldMs = startedMs

console.log(`seeds ${firstSeed} to ${firstSeed + runs - 1}, ${commands} commands each`)
for (let run = 0; run < runs; run += 1) {
  const report = await simulate(firstSeed + run, { commands, onTrace })
  count(report)
  if (report.violation !== undefined) tellViolation(report)
  if (report.violation !== undefined && values['stop-at-first']) break
  if (runs === 1) console.log(`digest ${report.digest}`)
  if (Date.now() - toldMs > 10_000) {
    toldMs = Date.now()
    console.log(`… ${run + 1} seeds, ${totals.commands} commands, ${totals.violations} violations`)
  }
  // A turn of the event loop, so that Ctrl-C is heard.
  await new Promise((resolve) => setImmediate(resolve))
}
const seconds = (Date.now() - startedMs) / 1_000
const told = [...faults].sort(([one], [other]) => one.localeCompare(other))
console.log(
  `${totals.commands} commands, ${totals.answers} answers, ${totals.events} events, ` +
    `${totals.steps} steps in ${seconds.toFixed(1)} s: ` +
    `${Math.round(totals.commands / seconds)} commands a second`,
)
console.log(`faults: ${told.map(([name, times]) => `${times} ${name}`).join(', ')}`)
console.log(`${totals.violations} violations`)
process.exitCode = totals.violations === 0 ? 0 : 1

function count(report: Report): void {
  totals.commands += report.commands
  totals.answers += report.answers
  totals.events += report.events
  totals.steps += report.steps
  if (report.violation !== undefined) totals.violations += 1
  for (const [name, times] of report.faults) faults.set(name, (faults.get(name) ?? 0) + times)
}

function tellViolation({ seed, violation, digest }: Report): void {
  console.log(`VIOLATION at seed ${seed} (digest ${digest}): ${violation ?? ''}`)
  console.log(`  again: npm run simulate -- --seed ${seed} --runs 1 --commands ${commands} --trace`)
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number
  console.error(`${name} is a whole number, not "${text}"`)
  process.exit(2)
}
