/**
 * The promise that every answer of every test is held to its schema, tried in a process of its own;
 * and a debit whose answer meets a serialiser that fails.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { compileSerialiser } from '../../src/http/serialisation.js'
import { registerServerCommands } from '../../src/http/routes/server-commands.js'
import { Counters } from '../../src/platform/counters.js'
import { RollOut } from '../../src/platform/roll-out.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { childModule, programArgs } from '../support/child-program.js'
import { serve } from '../support/served-app.js'
import { WidgetService } from '../support/widget-service.js'

t.test('an answer that differs from its schema fails the test that asked for it', async (t) => {
  const caught = await complaints()
  t.match(caught['an unknown field'], /GET \/answer 200: \/more /)
  t.match(caught['a missing field'], /GET \/answer 200: \/count /)
  t.match(caught['another type'], /GET \/answer 200: \/count /)
  t.match(caught['an unknown status'], /GET \/answer 201: the status is not one of 200, /)
  t.match(caught['an error that is not listed'], /GET \/answer 404: the status is not one of/)
  t.match(caught['another content'], /the content is text\/plain, not text\/csv/)
  t.equal(Object.keys(caught).length, 6, 'and nothing about the right one')
})

/** Of a process that is started as a test file is, and gives wrong answers. */
async function complaints(): Promise<Record<string, string>> {
  const preload = childModule(new URL('../support/held-answers.mjs', import.meta.url))
  const program = programArgs(new URL('../support/wrong-answers.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', preload.href, ...program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(child, 'close')
  return JSON.parse(output) as Record<string, string>
}

t.test('a serialiser that fails leaves the answer of a booked debit as it is', async (t) => {
  const service = await WidgetService.open(t)
  const { ledger } = service
  const app = await service.makeApp()
  const user = await service.makePerson([app])
  const { origin, captured } = await serve(t, {}, (served) => {
    served.addHook('onRoute', (route) => {
      const impossible = Type.Object({ balance: Type.Number(), never: Type.String() })
      const place = { log: served.log, route: route.url, status: '200' }
      route.serializerCompiler = () => compileSerialiser(impossible, place)
    })
    registerServerCommands(served, {
      ...service.parts,
      writer: ledger.writer,
      clock: systemClock,
      random: systemRandom,
      counters: new Counters(),
      rollOut: new RollOut(ledger.pool),
      currency: { code: 'usd', decimals: 2, processorExponent: 2 },
      amountMaxMinor: 10 ** 8,
    })
  })
  const book = async (verb: string, amount: number) => {
    const answer = await fetch(`${origin}/api/server/wallet/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...app,
        serviceUserId: user.serviceUserId,
        amount,
        referenceType: 'ORDER',
        referenceId: verb,
      }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  t.same(await book('credit', 98_765.43), {
    status: 200,
    body: { balance: 98_765.43, message: 'Credit booked.' },
  })
  t.same(await book('debit', 2.5), {
    status: 200,
    body: { balance: 98_762.93, message: 'Debit booked.' },
  })
  t.match(await book('debit', 2.5), { status: 200, body: { balance: 98_762.93 } }, 'booked once')
  const lines = captured.lines.filter(({ level }) => level === 'error')
  t.equal(lines.length, 3)
  t.match(lines[1], {
    msg: 'an answer differs from its schema',
    route: '/api/server/wallet/debit',
    field: '/never',
  })
  t.notMatch(JSON.stringify(lines), /98762\.93|Debit booked/, 'no value in the log')
})
