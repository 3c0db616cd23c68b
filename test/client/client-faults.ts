/**
 * `npm run client-faults`: ten thousand debits through the client, over a way full of faults, to a
 * real service that is killed (SIGKILL) and started again meanwhile; then the verdict, read from
 * the service. `-- --debits 1000 --seed 7` for other runs. Exit code 1 when anything is wrong.
 */
import { parseArgs } from 'node:util'
import { ServiceProcess } from '../support/service-process.js'
import { runWithFaults } from './fault-run.js'

const options = { debits: { type: 'string' }, seed: { type: 'string' } } as const
const { values } = parseArgs({ options })
const debits = Number(values.debits ?? 10_000)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const users = 8

const service = await ServiceProcess.prepare()
const startedMs = performance.now()
try {
  const port = portOf(await service.start())
  const credentials = await service.run<{ clientId: string; clientSecret: string }>(
    ...['client-apps', 'create', '--name', 'Faults'],
  )
  const people = []
  for (let number = 1; number <= users; number += 1)
    people.push(
      await service.run<{ serviceUserId: string }>(
        ...['users', 'create', '--email', `user-${number}@example.com`],
        ...['--password', 'correct horse battery', '--first-name', 'Ada', '--last-name', 'Byron'],
        ...['--link', credentials.clientId],
      ),
    )
  console.log(`${debits} debits, seed ${seed}`)
  const verdict = await runWithFaults({
    ...{ seed, debits, credentials, port, timeoutMs: 1_000 },
    atOnce: 64,
    restarts: 5,
    users: people.map(({ serviceUserId }) => serviceUserId),
    restart: async () => {
      await service.stop('SIGKILL')
      return portOf(await service.start())
    },
  })
  const areExact = verdict.balances.every((each, index) => each === verdict.expectedBalances[index])
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  console.log(JSON.stringify({ ...verdict, wrong: verdict.wrong.slice(0, 20), seconds }, null, 2))
  const isRight = verdict.wrong.length === 0 && areExact
  console.log(isRight ? 'each was booked once, none is unknown' : 'WRONG')
  process.exitCode = isRight ? 0 : 1
} finally {
  await service.remove()
}

function portOf(origin: string): number {
  return Number(new URL(origin).port)
}
