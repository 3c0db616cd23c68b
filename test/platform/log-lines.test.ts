/**
 * The lines of the log are written together, and none is lost: not those before an error, and not
 * the last ones of a process, however it ends.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { logTextLengthMax, logWaitMs } from '../../src/limits.js'
import { createLog } from '../../src/platform/log.js'
import { LogLines } from '../../src/platform/log-lines.js'
import { childModule, evalArgs } from '../support/child-program.js'
import { FakeClock } from '../support/fake-clock.js'

const run = promisify(execFile)

function gathered() {
  const clock = new FakeClock(Date.UTC(2025, 0, 1))
  const writes: string[] = []
  const lines = new LogLines({ write: (text) => writes.push(text) }, clock)
  const log = createLog({ level: 'info', destination: lines })
  const texts = () => writes.map((text) => [...text.matchAll(/"msg":"(\w+)"/g)].map((m) => m[1]))
  return { clock, lines, log, writes, texts }
}

t.test('lines wait for each other, and none longer than its moment', async (t) => {
  const { clock, log, texts } = gathered()
  log.info('one')
  await clock.advance(logWaitMs - 1)
  log.info('two')
  t.same(texts(), [])
  await clock.advance(1)
  t.same(texts(), [['one', 'two']])
  log.info('three')
  await clock.advance(logWaitMs)
  t.same(texts(), [['one', 'two'], ['three']])
  await clock.advance(10 * logWaitMs)
  t.equal(texts().length, 2, 'nothing is written while nothing is logged')
})

t.test('many lines do not wait', async (t) => {
  const { lines, writes } = gathered()
  const line = `${'x'.repeat(1_000)}\n`
  const count = Math.ceil(logTextLengthMax / line.length)
  for (let index = 1; index < count; index += 1) lines.write(line)
  t.equal(writes.length, 0)
  lines.write(line)
  t.same(writes, [line.repeat(count)])
})

t.test('a warning or an error goes out at once, behind everything before it', async (t) => {
  const { log, lines, texts } = gathered()
  log.info('one')
  log.warn('two')
  log.child({ part: 'p' }).error('three')
  t.same(texts(), [['one', 'two'], ['three']])
  lines.write('{"msg":"four"}\n')
  log.info('five')
  t.equal(texts().length, 2, 'what follows a warning waits again')
})

const log = childModule(new URL('../../src/platform/log.ts', import.meta.url))
const ends = {
  'by itself': { code: '', status: 0 },
  'by process.exit': { code: 'process.exit(0)', status: 0 },
  'by an error that nobody catches': { code: 'throw new Error("broken")', status: 1 },
}

for (const [how, { code, status }] of Object.entries(ends))
  t.test(`a process that ends ${how} leaves all its lines behind`, async (t) => {
    const program = `
      import { createLog } from '${log.href}'
      const log = createLog({ level: 'info' })
      for (let count = 0; count < 100; count += 1) log.info({ count }, 'counted')
      ${code}`
    const ended = await run(process.execPath, evalArgs(program)).then(
      ({ stdout }) => ({ stdout, code: 0 }),
      (error: unknown) => error as { readonly stdout: string; readonly code: number },
    )
    t.equal(ended.code, status)
    const counts = ended.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { count: number }).count)
    t.same(counts, [...Array(100).keys()])
  })
