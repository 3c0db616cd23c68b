/** One client app's long searches leave the database to everybody else. */
import pg from 'pg'
import t from 'tap'
import { searchesAtOnceMax, searchesWaitingMax } from '../../src/http/limits.js'
import { startOwnService } from '../spec/support/own-service.js'

t.test('searches that take long leave connections for everybody else', async (t) => {
  const on = await startOwnService(t, 'PostgreSQL')
  const account = await on.account(10)
  const holder = new pg.Client({ connectionString: on.control.environment['DATABASE_URL'] })
  await holder.connect()
  t.teardown(() => holder.end())
  // As long as the table is locked a search takes for ever.
  await holder.query('begin; lock table read.transactions in access exclusive mode')
  const searches = Array.from({ length: searchesAtOnceMax + searchesWaitingMax + 5 }, () =>
    account.wallet({ type: 'debit' }),
  )
  for (const refused of await firstOf(searches, 5))
    t.match(refused, { status: 429, body: { code: 'TOO_MANY_REQUESTS' } }, 'more than may wait')
  // Any call that needs a connection and not that table.
  const { clientId, clientSecret } = on.second
  const proof = { clientId, clientSecret, linkProof: 'unknown' }
  const verified = await on.api.post('/api/server/links/verify', proof)
  t.ok(verified.status < 500, `another app is answered meanwhile: ${verified.status}`)
  await holder.query('rollback')
  const statuses = (await Promise.all(searches)).map(({ status }) => status)
  t.equal(statuses.filter((status) => status === 429).length, 5)
  t.equal(statuses.filter((status) => status === 200).length, statuses.length - 5)
})

/** The first few answers, in the order in which they came. */
function firstOf<T>(work: readonly Promise<T>[], count: number): Promise<T[]> {
  const found: T[] = []
  return new Promise((resolve, reject) => {
    for (const promise of work)
      promise.then((answer) => {
        found.push(answer)
        if (found.length === count) resolve([...found])
      }, reject)
  })
}
