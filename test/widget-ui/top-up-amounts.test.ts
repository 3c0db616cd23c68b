// Which amounts the top-up page offers, and what it says about those that are typed.
import t from 'tap'
import {
  amountOf,
  chipsWithin,
  startingChoice,
  type Choice,
} from '../../widget-ui/src/topup/amounts.js'

const limits = { minimum: 1, maximum: 500 }

/** As the page reads them: digits with at most two decimals. */
function read(text: string): number | undefined {
  return /^\d+(\.\d{1,2})?$/.test(text.trim()) ? Number(text) : undefined
}

const start = (asked: string | null, within = limits) =>
  startingChoice({ asked, limits: within, read, decimals: 2 })

const typed = (text: string) => amountOf({ kind: 'other', text }, { limits, read })

t.test('three round amounts are offered, and none that the service would refuse', async (t) => {
  t.same(chipsWithin(limits), [10, 25, 50])
  t.same(chipsWithin({ minimum: 20, maximum: 500 }), [25, 50])
  t.same(chipsWithin({ minimum: 1, maximum: 30 }), [10, 25])
  t.same(chipsWithin({ minimum: 100, maximum: 50_000 }), [100, 250, 500], 'as yen are counted')
  t.same(chipsWithin({ minimum: 7, maximum: 8 }), [], 'then only the field is left')
})

t.test('without a wish of the host the middle amount is chosen', async (t) => {
  t.same(start(null), { choice: { kind: 'chip', amount: 25 }, adjustment: undefined })
  t.same(start('a lot').choice, { kind: 'chip', amount: 25 }, 'nonsense is no wish')
  t.same(start(null, { minimum: 7, maximum: 8 }).choice, { kind: 'other', text: '' })
})

t.test('what the host asked for is chosen, exactly', async (t) => {
  t.same(start('50').choice, { kind: 'chip', amount: 50 })
  t.same(start('12.34'), { choice: { kind: 'other', text: '12.34' }, adjustment: undefined })
  t.same(start('34.5').choice, { kind: 'other', text: '34.50' }, 'as money is written')
  t.same(start('34').choice, { kind: 'other', text: '34' })
})

t.test('a wish outside the limits is moved to the limit, and the page can say so', async (t) => {
  t.same(start('0.4'), {
    choice: { kind: 'other', text: '1' },
    adjustment: { asked: 0.4, why: 'below' },
  })
  t.same(start('900'), {
    choice: { kind: 'other', text: '500' },
    adjustment: { asked: 900, why: 'above' },
  })
})

t.test('a typed amount is taken exactly, or its fault is named', async (t) => {
  const chosen: Choice = { kind: 'chip', amount: 10 }
  t.same(amountOf(chosen, { limits, read }), { amount: 10 })
  t.same(typed('1'), { amount: 1 }, 'the limits themselves are allowed')
  t.same(typed('500'), { amount: 500 })
  t.same(typed('  '), { fault: 'missing' })
  t.same(typed('ten'), { fault: 'unreadable' })
  t.same(typed('0.000'), { fault: 'unreadable' })
  t.same(typed('12.345'), { fault: 'decimals' })
  t.same(typed(' 12,345 '), { fault: 'decimals' })
  t.same(typed('0.99'), { fault: 'below' })
  t.same(typed('500.01'), { fault: 'above' })
})
