/**
 * A process whose applications give one answer each: a right one, then others that are wrong in one
 * way. It prints what reached it as an uncaught error, which in a test file fails the test: what
 * holds answers to their schemas (held-answers.mjs) has complained about it.
 */
import { setImmediate } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import { buildApp, type App } from '../../src/http/app.js'
import { ApiError } from '../../src/http/errors.js'
import { answers } from '../../src/http/schemas/answers/error-bodies.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { quietLog } from './ledger.js'

const caught: Record<string, string> = {}
let current = ''
process.on('uncaughtException', ({ message }) => {
  caught[current] = message
})

const schema = { response: answers(Type.Object({ count: Type.Integer() })) }
const table = { response: answers({ content: { 'text/csv': { schema: Type.String() } } }) }

await answer('right', { count: 1 })
await answer('an unknown field', { count: 1, more: true })
await answer('a missing field', {})
await answer('another type', { count: '1' })
await answer('an unknown status', { count: 1 }, 201)
await tried('an error that is not listed', (app) => {
  app.get('/answer', { schema }, () => {
    throw new ApiError('NOT_FOUND')
  })
})
await tried('another content', (app) => {
  app.get('/answer', { schema: table }, (_request, reply) => {
    void reply.type('text/plain').send('1,2')
  })
})
process.stdout.write(JSON.stringify(caught))

/** Typed as if it were right: else the compiler would refuse it. */
async function answer(name: string, body: object, status = 200): Promise<void> {
  await tried(name, (app) => {
    app.get('/answer', { schema }, (_request, reply) => {
      void reply.code(status as 200).send(body as { count: number })
    })
  })
}

async function tried(name: string, addRoute: (app: App) => void): Promise<void> {
  current = name
  const app = buildApp({ log: quietLog, clock: systemClock, random: systemRandom })
  addRoute(app)
  await app.inject('/answer')
  await setImmediate()
  await app.close()
}
