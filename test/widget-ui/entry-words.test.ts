// The entries of a wallet in words, under the days of the person's own zone.
import t from 'tap'
import '../../widget-ui/src/words/english-only.js'
import {
  entryLabel,
  entryTitle,
  groupByDay,
  signedAmount,
} from '../../widget-ui/src/wallet/entry-words.js'

t.test('a label is said in words', async (t) => {
  const label = (referenceType: string | null, appName: string | null, type: 'credit' | 'debit') =>
    entryLabel({ referenceType, appName, type })
  t.equal(label('ORDER_PAYMENT', 'Corner Shop', 'debit'), 'Order payment')
  t.equal(label('subscription-charge', 'Corner Shop', 'debit'), 'Subscription charge')
  t.equal(label('___', 'Corner Shop', 'debit'), '___', 'what has no words stays as it is')
  t.equal(label('TOPUP', null, 'credit'), 'Top-up')
  t.equal(label('TOPUP', 'Corner Shop', 'credit'), 'Topup', 'an app’s own label is its word')
  t.equal(label('TOPUP_REFUND', null, 'debit'), 'Top-up refunded to your card')
  t.equal(label('TOPUP_REFUND', null, 'credit'), 'Top-up restored')
  t.equal(label('TOPUP_DISPUTE', null, 'debit'), 'Top-up disputed with your bank')
  t.equal(label('BONUS', null, 'credit'), 'Bonus')
})

t.test('of what another app did only the direction is said', async (t) => {
  const hidden = { referenceType: null, appName: null }
  t.equal(entryLabel({ ...hidden, type: 'debit' }), 'Payment in another app')
  t.equal(entryLabel({ ...hidden, type: 'credit' }), 'Credit from another app')
})

t.test('what was bought comes first, and nothing of what other apps did', async (t) => {
  const named = { referenceType: 'ORDER_PAYMENT', appName: 'Corner Shop', type: 'debit' } as const
  const own = { ...named, isOtherApp: false }
  t.equal(entryTitle({ ...own, description: 'Two teapots' }), 'Two teapots')
  t.equal(entryTitle({ ...own, description: ' ' }), 'Order payment')
  t.equal(entryTitle({ ...own, description: null }), 'Order payment')
  const other = { ...named, isOtherApp: true, description: 'A poster' }
  t.equal(entryTitle(other), 'Payment in another app', 'also after a login')
})

t.test('a debit is negative, a credit positive', async (t) => {
  t.equal(signedAmount({ type: 'debit', amount: 12.5 }), -12.5)
  t.equal(signedAmount({ type: 'credit', amount: 12.5 }), 12.5)
})

t.test('entries stand under today, yesterday and the days before', async (t) => {
  const nowMs = Date.parse('2026-03-05T10:00:00Z')
  const at = (createdAt: string) => ({ createdAt })
  const entries = [
    at('2026-03-05T09:00:00Z'),
    at('2026-03-05T00:30:00Z'),
    at('2026-03-04T23:30:00Z'),
    at('2026-03-01T12:00:00Z'),
    at('2025-12-31T12:00:00Z'),
  ]
  const titles = (timeZone: string, language = 'en-US') =>
    groupByDay(entries, { nowMs, language, timeZone }).map(
      ({ title, entries: of }) => `${title}: ${of.length}`,
    )
  t.same(titles('UTC'), ['Today: 2', 'Yesterday: 1', 'Sunday, March 1: 1', 'December 31, 2025: 1'])
  t.same(
    titles('America/New_York').slice(0, 2),
    ['Today: 1', 'Yesterday: 2'],
    'half past midnight in London is yesterday evening in New York',
  )
  t.same(titles('UTC', 'de').slice(0, 3), ['Heute: 2', 'Gestern: 1', 'Sonntag, 1. März: 1'])
})

t.test('yesterday is yesterday also over a change of the clocks', async (t) => {
  const nowMs = Date.parse('2026-03-29T22:30:00Z')
  const options = { nowMs, language: 'en-GB', timeZone: 'Europe/Berlin' }
  const [day] = groupByDay([{ createdAt: '2026-03-29T20:30:00Z' }], options)
  t.match(day, { title: 'Yesterday', key: '2026-03-29' })
})
