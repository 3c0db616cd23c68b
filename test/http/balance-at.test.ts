// When the balance at a date can be relied on: not while a command of before may be under way.
import t from 'tap'
import { findCurrency } from '../../src/domain/money.js'
import { registerServerReads } from '../../src/http/routes/server-reads.js'
import { balanceFinalMs } from '../../src/limits.js'
import { serve } from '../support/served-app.js'
import { WidgetService } from '../support/widget-service.js'

t.test('the balance at a date is final once 20 seconds have passed since then', async (t) => {
  const service = await WidgetService.open(t)
  const { clock, ledger, parts } = service
  const { reader, writer } = ledger
  const currency = findCurrency('usd')
  if (currency === undefined) throw new Error('no such currency')
  const { origin } = await serve(t, {}, (app) =>
    registerServerReads(app, { ...parts, reader, writer, currency }),
  )
  const app = await service.makeApp()
  const { serviceUserId } = await service.makePerson([app])
  const at = new Date(clock.now()).toISOString()
  const query = new URLSearchParams({ ...app, serviceUserId, at }).toString()
  const read = async () => (await fetch(`${origin}/api/server/wallet?${query}`)).json()

  t.equal(balanceFinalMs, 20_000, 'as the documentation says')
  t.match(await read(), { at, balance: 0, final: false }, 'at this very moment')
  await clock.advance(balanceFinalMs)
  t.match(await read(), { at, final: false }, 'still within the time of a late command')
  await clock.advance(1)
  t.match(await read(), { at, final: true })
})
