/**
 * A debit without our client, for those who write their own in whatever language: what a try that
 * got no answer means, and why the same reference goes again.
 *   node --env-file=shop.env docs/examples/plain-http.mjs
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

const { WALLET_URL, WALLET_CLIENT_ID, WALLET_CLIENT_SECRET, WALLET_USER_ID } = process.env

const { status, body } = await post('/api/server/wallet/debit', {
  clientId: WALLET_CLIENT_ID,
  clientSecret: WALLET_CLIENT_SECRET,
  serviceUserId: WALLET_USER_ID,
  amount: 0.01,
  referenceType: 'ORDER_PAYMENT',
  // Kept in your own records before it is sent: a crash can then only repeat it.
  referenceId: randomUUID(),
})
if (status === 200) console.log(body.message, body.balance)
else console.log(`Not booked: ${body.code} ${body.error}`)

/** The very same request until somebody answers: a repeat books nothing twice. */
async function post(path, fields) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await fetch(WALLET_URL + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fields),
        signal: AbortSignal.timeout(10_000),
      })
      const isFinal = answer.status < 500 && answer.status !== 429
      if (isFinal) return { status: answer.status, body: await answer.json() }
    } catch {
      // Lost on the way there or back: whether it was booked, only a repeat can tell.
    }
    if (attempt === 5)
      throw new Error('The outcome is unknown. Repeat it later with the very same reference.')
    await pause(2 ** attempt * 100)
  }
}
