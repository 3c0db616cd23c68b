// What the top-up page says: what happened, whether money moved, and what comes next.
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import '../../widget-ui/src/words/english-only.js'
import { refusalWords } from '../../widget-ui/src/topup/refusal.js'
import { stateWords } from '../../widget-ui/src/topup/state-words.js'
import type { Stage } from '../../widget-ui/src/topup/top-up-flow.js'

const money = (amount: number): string => `$${amount.toFixed(2)}`
const context = { money, amount: 25, hadSession: true, inactiveReason: null }

function said(stage: Stage): string {
  const { title, sentences } = stateWords(stage, context)
  return [title, ...sentences].join(' ')
}

t.test('a failure says why and that no money was taken, each once', async (t) => {
  const failed = { name: 'failed', isDecline: true } as const
  const words = (reason: string) => stateWords({ ...failed, reason }, context).sentences
  const expected = ['Your card was declined.', 'No money was taken.']
  t.same(words('Your card was declined'), expected)
  t.same(words('Your card was declined. No money was taken.'), expected)
})

t.test('an ended session says "failed" in no case, and tells where the money goes', async (t) => {
  const paying = said({ name: 'expired', wasPaying: true })
  t.match(paying, /will appear in your wallet/)
  t.notMatch(paying, /fail|not paid|no money/i)
  t.match(said({ name: 'expired', wasPaying: false }), /Nothing was paid/)
  const none = stateWords({ name: 'expired', wasPaying: false }, { ...context, hadSession: false })
  t.match(none.title, /from the shop/)
})

t.test('processing says that it is safe to close the page', async (t) => {
  t.match(said({ name: 'processing', isLate: false }), /safe to close/)
  t.match(said({ name: 'processing', isLate: true }), /need not pay again/)
})

t.test('the end names the amount and the new balance', async (t) => {
  t.match(said({ name: 'booked', amount: 25, balance: 30 }), /\$25\.00.*\$30\.00/)
})

t.test('a wallet that is not active says the reason that the service gives', async (t) => {
  const reason = { ...context, inactiveReason: 'A dispute is being looked into' }
  const { sentences } = stateWords({ name: 'unavailable', why: 'inactive' }, reason)
  t.same(sentences.at(-1), 'A dispute is being looked into.')
})

t.test('a refused amount is explained with the numbers of the service', async (t) => {
  const refusal = (body: Record<string, unknown>, code = 'TOPUP_LIMIT') =>
    refusalWords({ code, message: 'The service said no.', body }, money)
  t.match(refusal({ minimum: 1, maximum: 500, dayLeft: 40 }), /\$40\.00 more/)
  t.match(refusal({ minimum: 1, maximum: 500, dayLeft: 0 }), /tomorrow/)
  t.match(refusal({ minimum: 1, maximum: 500 }), /\$1\.00 to \$500\.00/)
  t.match(refusal({}), /The service said no\. No money was taken\./)
  t.match(refusal({}, 'UNAVAILABLE'), /The service said no\. No money was taken\./)
})

t.test('a client app’s secret is named nowhere in the widget but where Stripe.js wants it', (t) => {
  const root = new URL('../../widget-ui/src/', import.meta.url)
  const named = ['topup', 'wallet', 'widget', 'loader', 'shared'].flatMap((folder) =>
    filesOf(new URL(`${folder}/`, root)).flatMap((text) => text.match(/clientSecret.{18}/g) ?? []),
  )
  // That of one payment, and the type of it.
  const given = (text: string) => /^clientSecret: (of\.paymentSecret|string)/.test(text)
  t.same(
    named.filter((text) => !given(text)),
    [],
  )
  t.end()
})

function filesOf(folder: URL): string[] {
  return readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
}
