// New kinds of events wait for the switch of the roll-out: on a database of the release before the
// paths of holds answer 503 until `upgrade finish`; a fresh one has nothing to wait for.
import t from 'tap'
import { ensureReadSchema, ReadModelsVersionError } from '../../projections/read-schema.js'
import { migrations } from '../../src/compose/database.js'
import { migrate } from '../../src/platform/migrations.js'
import { createPool } from '../../src/platform/postgres.js'
import { finishRollOut, RollOut } from '../../src/platform/roll-out.js'
import { runCommand } from '../support/command-line.js'
import { freshDatabase } from '../support/database.js'
import { WidgetService } from '../support/widget-service.js'

t.test('until the upgrade is finished holds are refused, and nothing else is', async (t) => {
  const service = await WidgetService.open(t)
  const { pool, url } = service.ledger
  // As a database of the release before is left by the migrations.
  await pool.query("delete from service.settings where name = 'event-kinds'")
  const app = await service.makeApp()
  const { serviceUserId, walletId } = await service.makePerson([app])
  const call = (verb: string, referenceId: string, fields: object) =>
    service.post(`/api/server/wallet/${verb}`, {
      ...{ ...app, serviceUserId, referenceType: 'ORDER', referenceId },
      ...fields,
    })
  const holdOf = { referenceType: 'ORDER', referenceId: 'H-1' }
  const calls = () =>
    Promise.all([
      call('hold', 'H-1', { amount: 5 }),
      call('hold/capture', 'K-1', { holdOf }),
      call('hold/release', 'X-1', { holdOf }),
    ])
  t.match(await call('credit', 'C-1', { amount: 10 }), { status: 200 })
  for (const { status, headers, body } of await calls()) {
    t.match({ status, body }, { status: 503, body: { code: 'UPGRADE_UNFINISHED' } })
    t.match(body['error'], /wallet upgrade finish/, 'the text says what to do')
    t.ok(headers.get('retry-after'))
  }
  const wrong = { ...app, clientSecret: 'sk_wrong' }
  t.match(await call('hold', 'H-1', { amount: 5, ...wrong }), { status: 401 }, 'credentials first')
  t.match(await call('hold', 'H-1', { amount: 0 }), { status: 400 }, 'then the fields')
  const types = await service.ledger.events()
  t.same(
    types.filter(({ stream }) => stream.endsWith(walletId)).map(({ type }) => type),
    ['WalletOpened', 'WalletCredited'],
    'nothing was written that an old process cannot read',
  )
  const finished = await runCommand(t, ['upgrade', 'finish', '--json'], { DATABASE_URL: url })
  t.same(JSON.parse(finished.stdout), { finished: true, changed: true })
  const again = await runCommand(t, ['upgrade', 'finish'], { DATABASE_URL: url })
  t.equal(again.stdout, 'The upgrade was finished before.\n')
  const held = { balance: 10, available: 5, held: 5 }
  t.match(await call('hold', 'H-1', { amount: 5 }), { status: 200, body: held }, 'at once')
  t.match((await calls()).map(({ status }) => status).sort(), [200, 200, 409], 'and all of them')
})

t.test('a fresh database is finished, one of the release before is not', async (t) => {
  const pools = await Promise.all([1, 2].map(() => freshDatabase(t)))
  const [fresh, old] = pools.map(({ url }) =>
    createPool({ url, max: 2, applicationName: 'test', onIdleError: () => undefined }),
  )
  if (fresh === undefined || old === undefined) throw new Error('two databases')
  t.teardown(() => Promise.all([fresh.end(), old.end()]))
  await migrate(fresh, migrations)
  t.equal(await new RollOut(fresh).isFinished(), true)
  await migrate(
    old,
    migrations.filter(({ name }) => name < '0025'),
  )
  await migrate(old, migrations)
  const rollOut = new RollOut(old)
  t.equal(await rollOut.isFinished(), false)
  t.equal(await finishRollOut(old), true)
  t.equal(await rollOut.isFinished(), true, 'it asks until it is')
  await old.query("update service.settings set value = '9' where name = 'event-kinds'")
  t.equal(await finishRollOut(old), false, 'what a later release has finished stays')
  t.equal(await rollOut.isFinished(), true)
})

t.test('read models of the release before ask for a rebuild, which makes them new', async (t) => {
  const service = await WidgetService.open(t)
  const { pool, url } = service.ledger
  await pool.query('update read.checkpoint set version = 1')
  await pool.query('alter table read.wallets drop column holds')
  await t.rejects(ensureReadSchema(pool), ReadModelsVersionError)
  const refused = await runCommand(t, ['serve'], { DATABASE_URL: url })
  t.match(refused, { code: 1, stderr: /wallet -- rebuild/ })
  t.equal((await runCommand(t, ['rebuild'], { DATABASE_URL: url })).code, 0)
  await ensureReadSchema(pool)
})
