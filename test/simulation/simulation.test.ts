// Simulated worlds: a share of what `npm run simulate` does, bounded by work and not by time.
import t from 'tap'
import type { Test } from 'tap'
import { propertySeed } from '../support/property.js'
import { textOf } from '../support/repository.js'
import { plantedBugs } from './planted-bug-list.js'
import { plantedWebhookBugs } from './planted-webhook-bugs.js'
import { findPlanted } from './planting.js'
import { simulate } from './world.js'

const commands = 100

/** Seeds that once found a bug, planted or real, and the first ones. */
const corpus = [
  ...Array.from({ length: 100 }, (_, index) => index + 1),
  ...[105, 143, 277, 450, 1_755, 2_496, 6_411, 1_653_985_283],
]

t.test('no seed of the corpus breaks an invariant', (t) => runSeeds(t, corpus))

t.test('no new seed breaks an invariant', async (t) => {
  const first = propertySeed(t)
  await runSeeds(
    t,
    Array.from({ length: 60 }, (_, index) => first + index),
  )
})

t.test('a seed repeats every step of its world', async (t) => {
  for (const seed of [3, 5, 91]) {
    const lines: string[][] = [[], []]
    const [one, other] = [
      await simulate(seed, { commands, onTrace: (line) => lines[0]?.push(line) }),
      await simulate(seed, { commands, onTrace: (line) => lines[1]?.push(line) }),
    ]
    t.equal(one.digest, other.digest)
    t.same(one, other)
    t.ok((lines[0]?.length ?? 0) > 100)
    t.equal(lines[0]?.join('\n'), lines[1]?.join('\n'))
  }
  const [three, four] = [await simulate(3, { commands }), await simulate(4, { commands })]
  t.not(three.digest, four.digest, 'another seed is another world')
})

t.test('bugs that are planted are found; planted-bugs.ts plants them all', async (t) => {
  for (const name of ['answer before append', 'no revision check in the store']) {
    const bug = plantedBugs.find((planted) => planted.name === name)
    if (bug === undefined) throw new Error(`there is no bug "${name}"`)
    t.match(await findPlanted(bug, 20), /^VIOLATION at seed \d+/, name)
  }
})

t.test('every planted bug has its one place in the sources', (t) => {
  for (const { name, changes } of [...plantedBugs, ...plantedWebhookBugs])
    for (const { file, from } of changes) t.equal(textOf(file).split(from).length, 2, name)
  t.end()
})

async function runSeeds(t: Test, seeds: readonly number[]): Promise<void> {
  let sent = 0
  const faults = new Set<string>()
  for (const seed of seeds) {
    const report = await simulate(seed, { commands })
    sent += report.commands
    for (const name of report.faults.keys()) faults.add(name)
    if (report.violation !== undefined)
      t.fail(`seed ${seed}: ${report.violation}; again with npm run simulate -- --seed ${seed}`)
    // tap needs a turn now and then.
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.ok(sent >= seeds.length * commands * 0.9, `${sent} commands`)
  t.ok(faults.size >= 10, `${faults.size} kinds of faults: ${[...faults].sort().join(', ')}`)
}
