// A statement is the stream, line by line.
import t from 'tap'
import type { StatementLine, StatementRange } from '../../src/audit/books/statement.js'
import { readStatement } from '../../src/audit/books/statement.js'
import { entryIdOf } from '../../src/domain/ids.js'
import { systemRandom } from '../../src/platform/random.js'
import { seal, sealingKeyBytes } from '../../src/platform/sealing.js'
import { credit, deactivate, debit } from '../support/given.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'

async function collect(lines: AsyncIterable<StatementLine>): Promise<StatementLine[]> {
  const all: StatementLine[] = []
  for await (const line of lines) all.push(line)
  return all
}

t.test('every event with its outcome, issuer and the balance after it', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const walletId = newWalletId()
  const of = { of: walletId }
  await ledger.send(walletId, credit(500, 'C-1', of))
  await ledger.send(walletId, debit(200, 'O-1', of))
  await ledger.send(walletId, debit(999, 'O-2', of))
  await ledger.send(walletId, deactivate)
  const read = (range?: StatementRange) =>
    collect(readStatement(ledger.store, { walletId, sealingKey: undefined }, range))
  const lines = await read()
  const summary = lines.map((line) => [
    line.event,
    line.outcome,
    line.code,
    line.changeMinor,
    line.balanceMinor,
    line.referenceId,
  ])
  t.same(summary, [
    ['WalletOpened', 'recorded', null, 0, 0, null],
    ['WalletCredited', 'applied', null, 500, 500, 'C-1'],
    ['WalletDebited', 'applied', null, -200, 300, 'O-1'],
    ['DebitDeclined', 'declined', 'INSUFFICIENT_BALANCE', 0, 300, 'O-2'],
    ['WalletDeactivated', 'recorded', null, 0, 300, null],
  ])
  t.equal(lines.at(-1)?.isActive, false)
  t.equal((await read({ throughRevision: 2 })).at(-1)?.balanceMinor, 300)
  const time = lines[2]?.time ?? ''
  t.ok((await read({ throughTime: time })).length >= 3)
  t.ok((await read({ from: time })).every((line) => line.time >= time))
  t.same(await read({ to: '2000-01-01T00:00:00.000Z' }), [])
})

t.test('a description is opened with the key, and says erased without it', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const walletId = newWalletId()
  const key = systemRandom.bytes(sealingKeyBytes)
  const command = credit(500, 'C-1', { of: walletId })
  const { issuer, reference } = command
  const entryId = entryIdOf({ issuer, walletId, reference })
  const description = seal('A gift for Ada', { key, entryId }, systemRandom)
  await ledger.send(walletId, { ...command, description })
  const read = async (sealingKey: Buffer | undefined) =>
    (await collect(readStatement(ledger.store, { walletId, sealingKey })))[1]?.description
  t.equal(await read(key), 'A gift for Ada')
  t.equal(await read(undefined), 'erased')
})

t.test('a statement stops at an event that was changed', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const walletId = newWalletId()
  await ledger.send(walletId, credit(500, 'C-1', { of: walletId }))
  await ledger.pool.query('alter table ledger.events disable trigger events_only_grow')
  await ledger.pool.query(
    `update ledger.events set data = replace(data, '"amountMinor":500', '"amountMinor":900')`,
  )
  const reading = collect(readStatement(ledger.store, { walletId, sealingKey: undefined }))
  await t.rejects(reading, { name: 'DivergenceError', message: /revision 1 / })
})
