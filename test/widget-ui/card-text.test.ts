// The card form's text: how it is grouped while typing, and what is said about mistakes.
import t from 'tap'
import '../../widget-ui/src/words/english-only.js'
import {
  caretAfter,
  faultsOf,
  formatCode,
  formatExpiry,
  formatNumber,
} from '../../widget-ui/src/topup/card-text.js'

const nowMs = Date.UTC(2026, 5, 15)
const good = { number: '4242 4242 4242 4242', expiry: '12 / 30', code: '123' }

t.test('a card number stands in groups, whatever was typed or pasted between them', async (t) => {
  t.equal(formatNumber('4242424242424242'), '4242 4242 4242 4242')
  t.equal(formatNumber('4242-42 42x4'), '4242 4242 4')
  t.equal(formatNumber('378282246310005'), '3782 822463 10005', 'as American Express prints it')
  t.equal(formatNumber('1'.repeat(40)).replaceAll(' ', '').length, 19)
  t.equal(formatNumber(''), '')
})

t.test('an expiry reads as month and year, also where a browser fills it in', async (t) => {
  t.equal(formatExpiry('1230'), '12 / 30')
  t.equal(formatExpiry('12/2030'), '12 / 30')
  t.equal(formatExpiry('1/30'), '01 / 30')
  t.equal(formatExpiry('4'), '04')
  t.equal(formatExpiry('1'), '1')
  t.equal(formatExpiry('12 / '), '12', 'the slash can be deleted')
  t.equal(formatExpiry('12 / 3'), '12 / 3')
  t.equal(formatCode('12345x'), '1234')
})

t.test('the caret stays behind the digit it was behind', async (t) => {
  t.equal(caretAfter('4242 4242', 0), 0)
  t.equal(caretAfter('4242 4242', 4), 4)
  t.equal(caretAfter('4242 4242', 5), 6)
  t.equal(caretAfter('4242 4242', 8), 9)
})

t.test('a good card has no fault', async (t) => {
  t.same(faultsOf(good, nowMs), {})
  t.same(faultsOf({ ...good, number: '3782 822463 10005', code: '1234' }, nowMs), {})
})

t.test('each mistake is named beside its own field', async (t) => {
  t.same(Object.keys(faultsOf({ number: '', expiry: '', code: '' }, nowMs)), [
    'number',
    'expiry',
    'code',
  ])
  t.match(faultsOf({ ...good, number: '4242 4242 4242 4241' }, nowMs), { number: /mistyped/ })
  t.match(faultsOf({ ...good, number: '4242' }, nowMs), { number: /too short/ })
  t.match(faultsOf({ ...good, expiry: '13 / 30' }, nowMs), { expiry: /01 to 12/ })
  t.match(faultsOf({ ...good, expiry: '12' }, nowMs), { expiry: /month and year/ })
  t.match(faultsOf({ ...good, code: '12' }, nowMs), { code: /3 or 4/ })
})

t.test('a card is good to the end of its month', async (t) => {
  t.match(faultsOf({ ...good, expiry: '05 / 26' }, nowMs), { expiry: /expired/ })
  t.same(faultsOf({ ...good, expiry: '06 / 26' }, nowMs), {})
  t.same(faultsOf({ ...good, expiry: '06 / 26' }, Date.UTC(2026, 5, 30, 23)), {})
  t.match(faultsOf({ ...good, expiry: '06 / 26' }, Date.UTC(2026, 6, 2)), { expiry: /expired/ })
})
