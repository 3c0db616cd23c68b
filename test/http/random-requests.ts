/**
 * `npm run random-requests`: twenty thousand requests made by chance from the checked-in document,
 * to the built service in a process of its own, with its memory after each quarter. Exit code 1
 * when an answer is not documented or a 5xx. `-- --requests 1000 --seed 7` for other runs.
 */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import type { OpenApi } from '../support/openapi.js'
import { RandomClient, requestsOf, settings } from '../support/random-requests.js'
import { textOf } from '../support/repository.js'
import { ServiceProcess } from '../support/service-process.js'

const options = { requests: { type: 'string' }, seed: { type: 'string' } } as const
const { values } = parseArgs({ options })
const count = Number(values.requests ?? 20_000)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const quarters = 4

/** More would wait in the line before the password hashes, and be told so with a 503. */
const clients = 8

const document = JSON.parse(textOf('docs/reference/openapi.json')) as OpenApi
const service = await ServiceProcess.prepare(settings)
try {
  const client = new RandomClient(await service.start(), document)
  console.log(`${count} requests, seed ${seed}`)
  const problems: string[] = []
  for (let quarter = 1; quarter <= quarters; quarter += 1) {
    const numRuns = Math.ceil(count / quarters)
    const waiting = fc.sample(requestsOf(document), { seed: seed + quarter, numRuns })
    const worker = async (): Promise<void> => {
      for (let request = waiting.pop(); request !== undefined; request = waiting.pop()) {
        const problem = await client.problemOf(request)
        if (problem !== undefined) problems.push(problem)
      }
    }
    await Promise.all(Array.from({ length: clients }, worker))
    console.log(`${quarter * numRuns} sent, ${await memoryOf(service.pid)}`)
  }
  console.log(Object.fromEntries([...client.statuses].sort(([one], [other]) => one - other)))
  console.log(`${client.operations.size} operations`)
  for (const problem of problems.slice(0, 20)) console.log(problem)
  console.log(problems.length === 0 ? 'only documented answers' : `${problems.length} PROBLEMS`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  await service.remove()
}

async function memoryOf(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return `resident ${/VmRSS:\s*(.*)/.exec(status)?.[1] ?? 'unknown'}`
}
