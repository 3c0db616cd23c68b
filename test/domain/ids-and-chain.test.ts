// Ids and hashes are for ever: the literal values here may never change.
import { createHash } from 'node:crypto'
import t from 'tap'
import {
  decodeHash,
  encodeHash,
  eventIdOf,
  firstHash,
  nextHash,
} from '../../src/domain/hash-chain.js'
import { entryIdOf, uuidBytes, uuidV5, walletIdOf } from '../../src/domain/ids.js'
import { reference } from '../../src/domain/reference.js'
import { emptyWallet, open } from '../../src/domain/wallet.js'
import type { Wallet } from '../../src/domain/wallet.js'
import { canonicalJson, decodeEvent, encodeData } from '../../src/domain/wallet-events.js'
import { readNext, writeNext } from '../../src/domain/wallet-stream.js'
import { credit, debit, time, walletId } from '../support/given.js'

const issuer = 'client-app:shop'

t.test('UUIDv5 is the one of RFC 9562', (t) => {
  const dns = uuidBytes('6ba7b810-9dad-11d1-80b4-00c04fd430c8')
  const name = Buffer.concat([dns, Buffer.from('www.example.com')])
  t.equal(uuidV5(name), '2ed6657d-e927-568b-95e1-2665a8aea6a2')
  t.end()
})

t.test('the entry id of a reference never changes', (t) => {
  const pair = reference('ORDER_PAYMENT', '4711')
  t.equal(entryIdOf({ issuer, walletId, reference: pair }), '91b7407a-e629-5365-86bf-77c04db2dafb')
  t.end()
})

t.test('the entry id tells apart issuer, wallet, label and id, wherever the parts are cut', (t) => {
  const other = walletIdOf('99999999-2222-4333-8444-555555555555')
  const ids = [
    entryIdOf({ issuer, walletId, reference: reference('ab', 'c') }),
    entryIdOf({ issuer, walletId, reference: reference('a', 'bc') }),
    entryIdOf({ issuer: 'service', walletId, reference: reference('ab', 'c') }),
    entryIdOf({ issuer, walletId: other, reference: reference('ab', 'c') }),
    entryIdOf({ issuer, walletId, reference: reference('AB', 'c') }),
  ]
  t.equal(new Set(ids).size, ids.length)
  t.end()
})

t.test('the chain is SHA-256 over the previous hash and the canonical JSON', (t) => {
  const first = createHash('sha256').update(walletId).digest()
  t.equal(firstHash(walletId), first.toString('hex'))
  const link = { walletId, revision: 0, type: 'WalletOpened', data: '{"a":1}' }
  const json = `{"data":{"a":1},"revision":0,"type":"WalletOpened","walletId":"${walletId}"}`
  const expected = createHash('sha256').update(first).update(json).digest('hex')
  t.equal(nextHash(firstHash(walletId), link), expected)
  t.equal(
    nextHash(firstHash(walletId), link),
    'afb153447168508be0fb7106c34404829d5b0b55f71174a17580abc8ca94d00f',
  )
  const later = { ...link, revision: 7 }
  const text = json.replace('"revision":0', '"revision":7')
  const covered = createHash('sha256').update(first).update(text).digest('hex')
  t.equal(nextHash(firstHash(walletId), later), covered, 'its place is covered too')
  t.end()
})

t.test('metadata holds the hash and nothing else', (t) => {
  const hash = firstHash(walletId)
  t.same(decodeHash(encodeHash(hash)), hash)
  for (const text of ['{}', '{"hash":"00"}', encodeHash(hash) + ' ', '{"hash":1}'])
    t.throws(() => decodeHash(text), text)
  t.end()
})

t.test('data is canonical JSON: sorted keys, integers and well-formed strings only', (t) => {
  t.equal(
    canonicalJson({ b: 1, a: { d: 'x', c: -2 }, e: undefined }),
    '{"a":{"c":-2,"d":"x"},"b":1}',
  )
  for (const value of [1.5, NaN, true, null, [], '\ud800', 2 ** 60])
    t.throws(() => canonicalJson({ value }), String(value))
  t.end()
})

t.test('an unknown event type, a missing field and data that is not canonical are loud', (t) => {
  const data = encodeData(open(emptyWallet(walletId), { currency: 'usd', time }))
  t.equal(decodeEvent('WalletOpened', data).type, 'WalletOpened')
  t.throws(() => decodeEvent('WalletRenamed', data), {
    message: /unknown event type WalletRenamed/,
  })
  t.throws(() => decodeEvent('WalletDebited', data), { message: /holds amountMinor/ })
  t.throws(() => decodeEvent('WalletOpened', data.replace(':', ': ')), { message: /canonical/ })
  t.throws(() => decodeEvent('WalletOpened', '[]'))
  t.end()
})

t.test('what is written reads back, and any change of a stored event is found', (t) => {
  const { stored, wallet } = stream()
  let read: Wallet = emptyWallet(walletId)
  for (const event of stored) read = readNext(read, event).wallet
  t.same(read, wallet)

  const [opened, credited, debited] = stored
  if (opened === undefined || credited === undefined || debited === undefined) throw new Error()
  const afterOpened = readNext(emptyWallet(walletId), opened).wallet
  const changes = {
    data: { ...credited, data: credited.data.replace('ORDER', 'ordER') },
    type: { ...credited, type: 'WalletToppedUp' },
    id: { ...credited, id: debited.id },
    metadata: { ...credited, metadata: debited.metadata },
    revision: { ...credited, revision: 2 },
    order: debited,
  }
  for (const [what, changed] of Object.entries(changes))
    t.throws(() => readNext(afterOpened, changed), { name: 'InvariantError' }, what)
  t.end()
})

t.test('two streams cannot be exchanged', (t) => {
  const other = walletIdOf('99999999-2222-4333-8444-555555555555')
  const [opened] = stream().stored
  if (opened === undefined) throw new Error()
  t.throws(() => readNext(emptyWallet(other), opened), { name: 'InvariantError' })
  t.end()
})

t.test('the event id covers reference, content and place', (t) => {
  const entryId = entryIdOf({ issuer, walletId, reference: reference('a', 'b') })
  const [one, two] = [firstHash(walletId), nextHash(firstHash(walletId), link('x'))]
  t.not(eventIdOf(entryId, one), eventIdOf(entryId, two))
  t.not(eventIdOf(entryId, one), eventIdOf(walletId, one))
  const name = Buffer.concat([uuidBytes(entryId), Buffer.from(one, 'hex')])
  t.equal(eventIdOf(entryId, one), uuidV5(name))
  t.end()
})

function link(text: string) {
  return { walletId, revision: 0, type: 'WalletOpened', data: JSON.stringify({ text }) }
}

function stream() {
  let wallet: Wallet = emptyWallet(walletId)
  const stored = []
  const { reference: creditPair, ...credited } = credit(500, 'C-1')
  const { reference: debitPair, ...debited } = debit(200, 'D-1')
  const events = [
    open(wallet, { currency: 'usd', time }),
    {
      type: 'WalletCredited',
      data: { ...without(credited), ...creditPair, balanceMinor: 500, time },
    },
    { type: 'WalletDebited', data: { ...without(debited), ...debitPair, balanceMinor: 300, time } },
  ] as const
  for (const event of events) {
    const next = writeNext(wallet, event)
    stored.push({ ...next.stored, revision: wallet.revision + 1 })
    wallet = next.wallet
  }
  return { stored, wallet }
}

function without<Command extends { type: string }>(command: Command): Omit<Command, 'type'> {
  const { type: _, ...rest } = command
  return rest
}
