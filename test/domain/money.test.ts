import fc from 'fast-check'
import t from 'tap'
import { balanceMaxMinor, currencies, findCurrency } from '../../src/domain/money.js'
import { formatMoney, parseAmount, toMajor, toMinor } from '../../src/domain/money.js'
import type { Currency } from '../../src/domain/money.js'
import { runProperty } from '../support/property.js'

const usd = currencyOf('usd')
const jpy = currencyOf('jpy')
const rules = { currency: usd, maxMinor: 100_000_000 }

t.test('an amount is a JSON number in major units and becomes whole minor units', (t) => {
  const examples: [number, number][] = [
    [1, 100],
    [0.01, 1],
    [10.1, 1010],
    [19.99, 1999],
    [0.29, 29],
    [1.15, 115],
    [1_000_000, 100_000_000],
  ]
  for (const [value, minor] of examples) t.same(parseAmount(value, rules), { minor })
  t.same(parseAmount(500, { currency: jpy, maxMinor: 1000 }), { minor: 500 })
  t.end()
})

t.test('strings, booleans, null, lists and numbers that are none are refused', (t) => {
  for (const value of ['5', true, false, null, undefined, [5], { amount: 5 }, NaN, Infinity, 1e400])
    t.same(parseAmount(value, rules), { fault: 'not-a-number' })
  t.end()
})

t.test('zero and negative amounts are refused, zero is allowed where a rule says so', (t) => {
  for (const value of [0, -0, -0.01, -5])
    t.same(parseAmount(value, rules), { fault: 'not-positive' })
  t.same(parseAmount(0, { currency: usd, zeroAllowed: true }), { minor: 0 })
  t.end()
})

t.test('more decimals than the currency has are refused, never rounded', (t) => {
  for (const value of [0.001, 1.005, 1.0000001, 1e-7, 5e-324])
    t.same(parseAmount(value, rules), { fault: 'too-many-decimals' })
  t.same(parseAmount(1.5, { currency: jpy, maxMinor: 1000 }), { fault: 'too-many-decimals' })
  t.end()
})

t.test('an amount above the maximum is refused, the maximum itself is not', (t) => {
  t.same(parseAmount(1_000_000, rules), { minor: 100_000_000 })
  t.same(parseAmount(1_000_000.01, rules), { fault: 'too-large' })
  t.same(parseAmount(1e21, rules), { fault: 'too-large' })
  t.same(parseAmount(Number.MAX_VALUE, rules), { fault: 'too-large' })
  t.end()
})

t.test('any printable amount goes to the wire and back unchanged', (t) => {
  runProperty(
    t,
    fc.property(
      fc.integer({ min: 1, max: balanceMaxMinor }),
      fc.constantFrom(usd, jpy),
      (minor, currency) => {
        const wire: unknown = JSON.parse(JSON.stringify(toMajor(minor, currency)))
        const parsed = parseAmount(wire, { currency })
        return (
          'minor' in parsed && parsed.minor === minor && toMinor(wire as number, currency) === minor
        )
      },
    ),
  )
  t.end()
})

t.test('an amount is taken if and only if its shortest decimal has no more places', (t) => {
  const near = fc
    .tuple(fc.integer({ min: 1, max: balanceMaxMinor }), fc.integer({ min: -4, max: 4 }))
    .map(([minor, ulps]) => minor / 100 + ulps * 2 ** (Math.floor(Math.log2(minor / 100)) - 52))
  const anything = fc.double({ min: 0, max: 1e16, noNaN: true })
  const holds = fc.property(
    fc.oneof(near, anything),
    fc.constantFrom(usd, jpy),
    (value, currency) => {
      const parsed = parseAmount(value, { currency })
      const text = String(value)
      const [whole = '', fraction = ''] = text.split('.')
      const isFine = !text.includes('e') && fraction.length <= currency.decimals
      const minor = Number(whole + fraction.padEnd(currency.decimals, '0'))
      if (value > 0 && isFine && minor <= balanceMaxMinor)
        return 'minor' in parsed && parsed.minor === minor
      return 'fault' in parsed
    },
  )
  runProperty(t, holds, 3_000)
  t.end()
})

t.test('money for people names its currency', (t) => {
  t.equal(formatMoney(1230, usd), '12.30 USD')
  t.equal(formatMoney(-5, usd), '-0.05 USD')
  t.equal(formatMoney(1230, jpy), '1230 JPY')
  t.throws(() => toMajor(1.5, usd))
  t.throws(() => toMinor(1.005, usd))
  t.end()
})

t.test('the currency table is closed: three-decimal and odd currencies are not in it', (t) => {
  for (const code of ['kwd', 'bhd', 'isk', 'ugx', 'huf', 'twd', 'mga', 'USD', '', 'xxx'])
    t.equal(findCurrency(code), undefined, code)
  for (const currency of currencies.values())
    t.equal(currency.decimals, currency.processorExponent, currency.code)
  t.end()
})

function currencyOf(code: string): Currency {
  const currency = findCurrency(code)
  if (currency === undefined) throw new Error(`no currency ${code}`)
  return currency
}
