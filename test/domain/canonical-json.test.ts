/**
 * What is stored and hashed of an event is its canonical JSON, to the byte: entries are written by
 * a template, which must never say anything else than the general rule.
 */
import fc from 'fast-check'
import t from 'tap'
import type { EntryId, Issuer } from '../../src/domain/ids.js'
import type { EntryEvent, SealedText } from '../../src/domain/wallet-events.js'
import { canonicalJson, decodeEvent, encodeData, signOf } from '../../src/domain/wallet-events.js'
import { entryOf } from '../support/given.js'
import { runProperty } from '../support/property.js'

/** Every kind of character that JSON treats in a way of its own. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '"',
      '\\',
      '/',
      '\n',
      '\u0000',
      '\u001f',
      '\u007f',
      '\u0080',
      '\u2028',
      'é',
      '😀',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((unit) => unit.isWellFormed()),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
})
const reference = { referenceId: text, referenceType: text }
const minor = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, -0, 1, -1, 2 ** 53 - 1))

const entryEvent = fc.record({
  type: fc.constantFrom(...(Object.keys(signOf) as EntryEvent['type'][])),
  data: fc.record(
    {
      time: text,
      ...reference,
      refundOf: fc.oneof(fc.record(reference), fc.constant(undefined)),
      issuer: text as fc.Arbitrary<Issuer>,
      entryId: fc.oneof(text, fc.uuid()) as fc.Arbitrary<EntryId>,
      description: fc.oneof(text as fc.Arbitrary<SealedText>, fc.constant(undefined)),
      expiresAt: fc.oneof(text, fc.constant(undefined)),
      heldMinor: fc.oneof(minor, fc.constant(undefined)),
      holdOf: fc.oneof(fc.record(reference), fc.constant(undefined)),
      releasedMinor: fc.oneof(minor, fc.constant(undefined)),
      code: fc.constantFrom('VOIDED', 'INSUFFICIENT_BALANCE', undefined),
      balanceMinor: minor,
      amountMinor: minor,
    },
    {
      requiredKeys: [
        ...(['amountMinor', 'balanceMinor', 'entryId', 'issuer'] as const),
        ...(['referenceId', 'referenceType', 'time'] as const),
      ],
    },
  ),
}) as fc.Arbitrary<EntryEvent>

t.test('the text of an entry is its canonical JSON, whatever it holds', (t) => {
  const property = fc.property(entryEvent, (event) => {
    const text = encodeData(event)
    return text === canonicalJson(event.data) && text === encodeData(read(event, text))
  })
  runProperty(t, property, 3_000)
  t.end()
})

function read(event: EntryEvent, text: string): EntryEvent {
  return { type: event.type, data: JSON.parse(text) as never }
}

t.test('what no event may hold is refused by the template too', (t) => {
  const data = {
    amountMinor: 1,
    balanceMinor: 1,
    entryId: entryOf('O-1'),
    issuer: 'service' as const,
    referenceId: 'O-1',
    referenceType: 'ORDER',
    time: '2025-01-01T00:00:00.000Z',
  }
  const encode = (change: object) => () =>
    encodeData({ type: 'WalletDebited', data: { ...data, ...change } })
  t.doesNotThrow(encode({}))
  t.same(decodeEvent('WalletDebited', encode({})()).data, data)
  for (const amountMinor of [0.5, NaN, Infinity, 2 ** 53])
    t.throws(encode({ amountMinor }), /safe integer/)
  for (const referenceId of ['\ud800', 'x\udc00y']) t.throws(encode({ referenceId }), /well-formed/)
  t.end()
})
