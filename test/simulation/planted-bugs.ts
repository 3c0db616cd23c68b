/**
 * Whether the simulation finds what it is for: bugs are planted one by one, each as a change of a
 * few lines in a copy of the sources, and seeds are run until one finds it. Prints a table of bugs,
 * the seed that found each and how; exits with 1 when one is not found within the seeds.
 * `node --import tsx test/simulation/planted-bugs.ts [--seeds 1000] [--only name]`
 */
import { parseArgs } from 'node:util'
import { plantedBugs } from './planted-bug-list.js'
import { findPlanted } from './planting.js'
import { plantedWebhookBugs } from './planted-webhook-bugs.js'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '1000' }, only: { type: 'string' } },
})

let missed = 0
for (const bug of [...plantedBugs, ...plantedWebhookBugs]) {
  if (values.only !== undefined && !bug.name.includes(values.only)) continue
  const found = await findPlanted(bug, Number(values.seeds))
  if (found === undefined) missed += 1
  console.log(`${found === undefined ? 'MISSED' : 'found '}  ${bug.name}`)
  if (found !== undefined) console.log(`        ${found}`)
}
console.log(missed === 0 ? 'every planted bug was found' : `${missed} planted bugs were not found`)
process.exitCode = missed === 0 ? 0 : 1
