/**
 * The guide to webhooks as a reader follows it: its receiver is started as it stands there, and its
 * commands are run in their order, with what they printed in place of $… and <…>.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { runJson } from '../cli/json-commands.js'
import { root, textOf } from '../support/repository.js'
import { startWholeService } from '../support/whole-service.js'

const guide = textOf('docs/guides/webhooks.md')
const commands = [...guide.matchAll(/^npm run -s wallet -- (webhooks .+)$/gm)].map(
  ([, command = '']) => command,
)

t.test('the receiver and the commands of the guide work together', async (t) => {
  const [, receiver = ''] = /```js receiver.mjs\n([\s\S]+?)```/.exec(guide) ?? []
  const { databaseUrl } = await startWholeService(t, { WEBHOOKS_ALLOW_PRIVATE: 'true' })
  const environment = { DATABASE_URL: databaseUrl }
  const create = ['client-apps', 'create', '--name', 'Reader']
  const app = await runJson<{ clientId: string }>(t, create, environment)
  const known = new Map([['$WALLET_CLIENT_ID', app.clientId]])
  const run = async (command: string): Promise<unknown> => {
    const words = command.replace(/ --json$| --env >> shop\.env$/, '').split(' ')
    const args = words.map((word) => known.get(word) ?? word)
    // A port of its own: somebody may have 4100.
    return runJson(
      t,
      args.map((arg) => arg.replace(':4100', `:${port}`)),
      environment,
    )
  }
  const { port, start } = await receiverOf(t, receiver)
  const taken = (name: string): string => {
    const found = commands.find((command) => command.startsWith(`webhooks ${name}`))
    if (found === undefined) t.fail(`the guide has no webhooks ${name}`)
    return found ?? ''
  }
  const made = (await run(taken('create'))) as { endpointId: string; secret: string }
  known.set('$WEBHOOK_ENDPOINT_ID', made.endpointId)
  const lines = await start(made.secret)
  t.match(await run(taken('test')), { state: 'delivered', answerStatus: 204 })
  t.match(await lines.next(), { value: /^webhook\.test/ })
  const [delivery] = (await run(taken('deliveries'))) as { deliveryId: number }[]
  known.set('<deliveryId>', String(delivery?.deliveryId))
  t.match(await run(taken('redeliver')), { state: 'waiting' })
  t.match(await run(taken('rotate')), { secrets: { length: 2 } })
  const [endpoint] = (await run(taken('list'))) as { secrets: { secretId: string }[] }[]
  known.set('<secretId>', endpoint?.secrets[0]?.secretId ?? '')
  t.match(await run(taken('revoke')), { secrets: { length: 1 } })
  t.same(
    commands
      .flatMap((command) => command.match(/[$<][\w>]+/g) ?? [])
      .filter((it) => !known.has(it)),
    [],
  )
})

/** The guide's own program, inside of this package, whose name it imports. */
async function receiverOf(t: Tap, program: string) {
  const folder = join(root, '.tap', 'guide')
  const port = 20_000 + (process.pid % 20_000)
  await mkdir(folder, { recursive: true })
  const file = join(folder, `receiver-${process.pid}.mjs`)
  await writeFile(file, program.replace('4100', String(port)))
  t.teardown(() => rm(file, { force: true }))
  const start = async (secret: string) => {
    const child = spawn(process.execPath, [file], {
      env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(async () => {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
    // Before anything is printed: what nobody listens to is lost.
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    await answers(port)
    return lines
  }
  return { port, start }
}

interface Tap {
  teardown(work: () => unknown): void
}

async function answers(port: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' }).catch(
      () => undefined,
    )
    if (answer?.status === 400) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
