import { once } from 'node:events'
import { connect as connectSocket, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { ChangeFeed } from '../../src/platform/change-feed.js'
import type { ChangeFeedBounds } from '../../src/platform/change-feed.js'
import { systemClock } from '../../src/platform/clock.js'
import { createPool, transaction } from '../../src/platform/postgres.js'
import type { Pool } from '../../src/platform/postgres.js'
import { freshDatabase } from '../support/database.js'
import { CapturedLog } from '../support/served-app.js'

/** Quick, so that a test need not wait; the product's bounds are only larger. */
const quick = {
  changeFeedHeartbeatMs: 10,
  changeFeedAnswerMs: 5_000,
  retryPauseMinMs: 1,
  retryPauseMaxMs: 20,
}

async function openPool(t: Test): Promise<{ url: string; pool: Pool }> {
  const { url } = await freshDatabase(t)
  const pool = createPool({ url, max: 2, applicationName: 'test', onIdleError: () => undefined })
  t.teardown(() => pool.end())
  return { url, pool }
}

function makeFeed(t: Test, url: string, bounds: Partial<ChangeFeedBounds> = quick) {
  const captured = new CapturedLog()
  const feed = new ChangeFeed({ url, clock: systemClock, log: captured.log }, bounds)
  t.teardown(() => feed.close())
  return { feed, captured, lost: () => captured.line((line) => line['level'] === 'warn') }
}

function nextChange(feed: ChangeFeed): Promise<void> {
  return new Promise((resolve) => feed.onChange(resolve))
}

t.test('a change is heard in every process, the one that made it too', async (t) => {
  const { url, pool } = await openPool(t)
  const [one, two] = [makeFeed(t, url).feed, makeFeed(t, url).feed]
  await Promise.all([one.start(), two.start()])
  const heard = Promise.all([nextChange(one), nextChange(two)])
  await one.announce(pool)
  await heard
  t.pass('both heard it')
})

t.test('a change is told at the commit, and never after a rollback', async (t) => {
  const { url, pool } = await openPool(t)
  const { feed } = makeFeed(t, url)
  await feed.start()
  const heard: string[] = []
  let state = 'rolled back'
  feed.onChange(() => heard.push(state))
  const failing = transaction(pool, async (client) => {
    await feed.announce(client)
    throw new Error('no')
  })
  await t.rejects(failing, { message: 'no' })
  state = 'open'
  await transaction(pool, async (client) => {
    await feed.announce(client)
    // Something else on the way, so that an early notification would have come by now.
    await feed.announce(client)
    state = 'committing'
  })
  state = 'afterwards'
  const later = nextChange(feed)
  await feed.announce(pool)
  await later
  t.notOk(heard.includes('rolled back') || heard.includes('open'), heard.join())
  t.ok(heard.length <= 2, 'told twice in one transaction is told once')
})

t.test('it listens from its start to its close', async (t) => {
  const { url, pool } = await openPool(t)
  const { feed } = makeFeed(t, url)
  let flushes = 0
  feed.onChange(() => {
    flushes += 1
    t.equal(feed.isListening, false, 'what was remembered before goes first')
  })
  t.equal(feed.isListening, false)
  await feed.start()
  t.equal(feed.isListening, true)
  t.equal(flushes, 1)
  await feed.close()
  t.equal(feed.isListening, false)
  const { rows } = await pool.query<{ count: number }>(
    'select count(*)::int as count from pg_stat_activity ' +
      "where datname = current_database() and application_name = 'wallet-service changes'",
  )
  t.strictSame(rows, [{ count: 0 }], 'its connection is closed')
})

t.test('a broken connection is replaced, and listeners run before it counts again', async (t) => {
  const { url, pool } = await openPool(t)
  const { feed, lost } = makeFeed(t, url)
  await feed.start()
  const states: boolean[] = []
  const flushed = new Promise<void>((resolve) =>
    feed.onChange(() => {
      states.push(feed.isListening)
      resolve()
    }),
  )
  await pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity ' +
      "where datname = current_database() and application_name = 'wallet-service changes'",
  )
  await lost()
  await flushed
  t.strictSame(states, [false])
  const heard = nextChange(feed)
  await feed.announce(pool)
  await heard
  t.equal(feed.isListening, true)
})

t.test('a connection that says nothing any more is noticed and replaced', async (t) => {
  const { url, pool } = await openPool(t)
  const proxy = await openProxy(t, url)
  const { feed, lost } = makeFeed(t, proxy.url, { ...quick, changeFeedAnswerMs: 200 })
  await feed.start()
  const flushed = nextChange(feed)
  proxy.freeze()
  t.match((await lost())['err'], { message: /did not answer in time/ })
  await flushed
  const heard = nextChange(feed)
  await feed.announce(pool)
  await heard
  t.ok(proxy.accepted() >= 2, 'by a new connection')
})

t.test('a healthy connection outlives many heartbeats', async (t) => {
  const { url } = await openPool(t)
  const proxy = await openProxy(t, url)
  const { feed, captured } = makeFeed(t, proxy.url, { ...quick, changeFeedAnswerMs: 10_000 })
  await feed.start()
  await proxy.received(20)
  t.equal(feed.isListening, true)
  t.equal(proxy.accepted(), 1)
  t.notOk(captured.lines.some((line) => line['level'] === 'warn'))
})

t.test('a database that is away at the start is listened to when it comes', async (t) => {
  const { url, pool } = await openPool(t)
  const proxy = await openProxy(t, url)
  await proxy.close()
  const { feed, captured, lost } = makeFeed(t, proxy.url)
  await feed.start()
  t.equal(feed.isListening, false)
  await lost()
  const flushed = nextChange(feed)
  await proxy.reopen()
  await flushed
  const heard = nextChange(feed)
  await feed.announce(pool)
  await heard
  t.equal(feed.isListening, true)
  t.notMatch(captured.text, /postgres:\/\/[^[]*:[^[]*@/, 'no password in the log')
})

t.test('closing is quick whatever the connection does', async (t) => {
  const { url } = await openPool(t)
  const proxy = await openProxy(t, url)
  const { feed } = makeFeed(t, proxy.url, {
    ...quick,
    changeFeedHeartbeatMs: 60_000,
    changeFeedAnswerMs: 200,
  })
  await feed.start()
  proxy.freeze()
  await feed.close()
  t.equal(feed.isListening, false)

  const { feed: never } = makeFeed(t, url)
  await never.close()
  t.equal(never.isListening, false)
})

/** A way to the database that can be closed, or go silent without being closed. */
async function openProxy(t: Test, url: string) {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let server = createServer()
  let accepted = 0
  let chunks = 0
  let onChunk: () => void = () => undefined
  const accept = (socket: Socket): void => {
    accepted += 1
    const upstream = connectSocket(Number(target.port), target.hostname)
    for (const end of [socket, upstream]) {
      sockets.add(end)
      end.on('error', () => undefined)
    }
    socket.on('data', () => {
      chunks += 1
      onChunk()
    })
    socket.pipe(upstream).pipe(socket)
  }
  const listen = async (port: number): Promise<Server> => {
    server = createServer(accept).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  const port = ((await listen(0)).address() as AddressInfo).port
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  t.teardown(close)
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String(port)
  return {
    url: through.href,
    accepted: () => accepted,
    close,
    reopen: () => listen(port),
    /** The connections that are there fall silent; new ones work. */
    freeze: (): void => {
      for (const socket of sockets) socket.unpipe().pause()
    },
    /** Resolves when the client has sent so many further pieces. */
    received: (count: number): Promise<void> =>
      new Promise((resolve) => {
        const enough = chunks + count
        onChunk = () => {
          if (chunks >= enough) resolve()
        }
      }),
  }
}
