/**
 * The log's second line of defence: what reaches it by mistake does not leave it, and what a reader
 * needs is still there.
 */
import t from 'tap'
import { systemClock } from '../../src/platform/clock.js'
import { createLog, requestLines, type Log } from '../../src/platform/log.js'

type Line = Record<string, unknown>

function capture(): { log: Log; lines: Line[]; text: () => string } {
  const written: string[] = []
  const lines: Line[] = []
  const write = (line: string): void => {
    written.push(line)
    lines.push(JSON.parse(line) as Line)
  }
  return {
    log: createLog({ level: 'info', destination: { write } }),
    lines,
    text: () => written.join(''),
  }
}

const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e'

t.test('a line is one JSON object with an ISO time, a level by name and the fields', async (t) => {
  const { log, lines } = capture()
  log.info({ count: 3, position: 12n, nested: { list: [1, 'two'] }, at: new Date(0) }, 'hello')
  log.debug('below the level')
  t.equal(lines.length, 1)
  t.match(lines[0], {
    level: 'info',
    time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    msg: 'hello',
    count: 3,
    position: 12,
    nested: { list: [1, 'two'] },
    at: '1970-01-01T00:00:00.000Z',
  })
})

t.test(
  'fields with the name of a secret are blanked at every depth and in child logs',
  async (t) => {
    const { log, lines, text } = capture()
    const fields = {
      clientSecret: 's3cr3t',
      Password: 's3cr3t',
      query: { session: 's3cr3t', list: [{ sessionToken: 's3cr3t' }] },
      headers: { Authorization: 's3cr3t', 'set-cookie': ['s3cr3t'], accept: 'kept' },
      serviceUserId: { inner: 's3cr3t' },
    }
    log.info(fields, 'tried')
    log.child({ serviceUserId: 's3cr3t', part: 'kept' }).info('from a child')
    t.notMatch(text(), /s3cr3t/)
    t.match(lines[0], { clientSecret: '[redacted]', headers: { accept: 'kept' } })
    t.match(lines[1], { serviceUserId: '[redacted]', part: 'kept' })
    t.equal(fields.clientSecret, 's3cr3t', 'the object of the caller stays as it is')
  },
)

t.test('tokens, user ids and passwords in addresses are blanked inside any text', async (t) => {
  const { log, text } = capture()
  log.info(`session ws_${uuid} of usr_${uuid.toUpperCase()} ended`)
  const secret = 'A-_z'.repeat(10) + 'xyz'
  for (const prefix of ['sk', 'lp', 'rst']) log.warn(`${prefix}_${secret} was used`)
  const key = 'Az09'.repeat(25)
  for (const prefix of ['sk_live', 'rk_test', 'whsec', 'pi_3Abc_secret'])
    log.warn(`${prefix}_${key} was used`)
  log.info(
    { note: `tried ws_${uuid}` },
    'postgres://wallet:s3cr3t/with@slash@db:5432/wallet is away',
  )
  log.error(new Error(`esdb://admin:s3cr3t@node1:2113,node2:2113 and usr_${uuid}`))
  t.notMatch(text(), /s3cr3t/)
  t.notMatch(text().toLowerCase(), uuid)
  t.match(text(), /session ws_\[redacted\] of usr_\[redacted\] ended/)
  t.notMatch(text(), secret)
  t.notMatch(text(), 'Az09')
  t.match(text(), /sk_\[redacted\] was used/)
  t.match(text(), /postgres:\/\/\[redacted\]@db:5432/)
})

t.test(
  'an error shows type, message, code, stack and causes, and nothing a driver adds',
  async (t) => {
    const { log, lines, text } = capture()
    const cause = Object.assign(new RangeError('inner'), { code: '23505', detail: 'Key (s3cr3t)' })
    const error = Object.assign(new Error('outer', { cause }), { rawPacket: Buffer.from('s3cr3t') })
    log.error({ err: error, other: cause }, 'failed')
    t.match(lines[0], {
      err: {
        type: 'Error',
        message: 'outer',
        stack: /log\.test\.[jt]s/,
        cause: { type: 'RangeError', message: 'inner', code: '23505' },
      },
      other: { type: 'RangeError', code: '23505' },
    })
    t.notMatch(text(), /s3cr3t|rawPacket|detail/)
  },
)

t.test('errors that name each other as causes end somewhere', async (t) => {
  const { log, lines } = capture()
  const error = new Error('round')
  error.cause = error
  log.error({ err: error })
  t.equal(lines.length, 1)
})

t.test('requests shrink to method and route, objects of a class to their name', async (t) => {
  const { log, lines, text } = capture()
  class Pool {
    readonly options = { password: 's3cr3t', user: 's3cr3t' }
  }
  const req = { method: 'GET', url: '/x?clientSecret=s3cr3t', routeOptions: { url: '/x' } }
  log.info({ req, res: { statusCode: 200, body: 's3cr3t' }, pool: new Pool() }, 'tried')
  t.match(lines[0], {
    req: { method: 'GET', route: '/x' },
    res: { statusCode: 200 },
    pool: '[Pool]',
  })
  t.notMatch(text(), /s3cr3t/)
})

t.test('the line of a request is what the log itself would write', async (t) => {
  const { log, lines, text } = capture()
  const fields = { method: 'POST', route: '/api/:id', status: 200, durationMs: 12.3 }
  const write = requestLines(log)
  write({ ...fields, requestId: 'r-1', isAborted: false })
  log.child({ requestId: 'r-1' }).info(fields, 'request')
  write({ ...fields, requestId: 'r-2', isAborted: true })
  log.child({ requestId: 'r-2' }).info({ ...fields, aborted: true }, 'request')
  const [own, others, ownAborted, othersAborted] = lines.map(withoutTime)
  t.strictSame(own, others)
  t.strictSame(ownAborted, othersAborted)
  t.strictSame(Object.keys(lines[0] ?? {}), Object.keys(lines[1] ?? {}), 'in the same order')
  write({ ...fields, requestId: `ws_${uuid}`, isAborted: false })
  t.notMatch(text(), uuid, 'a client that takes its token for an id')
})

function withoutTime({ time, ...fields }: Line): Line {
  const lagMs = Date.now() - Date.parse(String(time))
  t.ok(lagMs >= 0 && lagMs < 60_000, 'the time is that of the line')
  return fields
}

t.test('times go on over the end of a second, and when the clock is set back', async (t) => {
  const { log, lines } = capture()
  const clock = t.capture(systemClock, 'now', () => times.shift() ?? 0)
  const times = [1_999, 2_000, 2_001, 2_999, 3_000, 999, 1_000]
  const expected = times.map((ms) => new Date(ms).toISOString())
  for (let left = times.length; left > 0; left -= 1) log.info('now')
  clock.restore()
  t.strictSame(
    lines.map(({ time }) => time),
    expected,
  )
})
