// The journal's totals against the log, wherever the two stand when they are compared.
import t from 'tap'
import { TotalsCheck } from '../../src/audit/verifying/journal-totals.js'
import { decodeEvent } from '../../src/domain/wallet-events.js'
import type { RecordedEvent } from '../../src/event-store/event-store.js'
import { AuditedLedger } from '../support/audited-ledger.js'
import { service } from '../support/given.js'

function checkOf(events: readonly RecordedEvent[]): TotalsCheck {
  const check = new TotalsCheck()
  for (const { type, data } of events) check.add(decodeEvent(type, data))
  return check
}

t.test('totals are compared where they stand, however far the sums have gone', async (t) => {
  const audited = await AuditedLedger.open(t)
  const { ledger } = audited
  const [, of] = audited.wallets
  // Two events that the totals do not hold yet.
  await ledger.send(of, service('TopUp', 5, 'pi_8', of))
  await ledger.send(of, service('GrantBonus', 7, 'bonus_9', of))
  const events = await ledger.events()
  const between = async function* (after: bigint, until: bigint) {
    yield* events.filter(({ position }) => position > after && position <= until)
  }
  for (const count of [0, 1, 10, 21, 22, 23]) {
    const last = events[count - 1]?.position ?? 0n
    const check = checkOf(events.slice(0, count))
    await t.resolves(check.compare(ledger.pool, last, between), `${count} of 23 events`)
    const shifted = checkOf([...events.slice(0, count), ...events.slice(1, 2)])
    await t.rejects(shifted.compare(ledger.pool, last, between), {
      name: 'DivergenceError',
      message: /^the journal's total of account (wallet|client-app:shop): is kept as/,
    })
  }
})
