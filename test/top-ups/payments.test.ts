/**
 * The whole service with its sandbox, as `npm start` runs it: a person signs up, pays with test
 * cards, and the sandbox's own webhooks bring the money, the refund and the dispute. Then the same
 * data under a new process.
 */
import t from 'tap'

import { loadConfig } from '../../src/config.js'
import { startService } from '../../src/compose.js'
import { openDatabase } from '../../src/compose/database.js'
import { openIdentity } from '../../src/compose/identity.js'
import { dataFolderOf, freshDatabase } from '../support/database.js'
import { anApp } from '../support/identity.js'
import { quietLog } from '../support/ledger.js'
import { cheapPasswords } from '../support/passwords.js'
import { success } from '../support/top-ups.js'

const surroundings = { log: quietLog, notice: () => undefined, passwords: cheapPasswords }

t.test('test cards fill, refund and dispute a wallet, over a restart too', async (t) => {
  const { url } = await freshDatabase(t)
  const place = { DATABASE_URL: url, DATA_DIR: dataFolderOf(url) }
  const config = loadConfig({ ...place, PORT: '0', NODE_ENV: 'test' })
  const clientId = await makeApp(config)
  const first = await startService(config, surroundings)
  const account = { email: 'ada@example.com', password: 'a long enough password', clientId }
  const person = { ...account, firstName: 'Ada', lastName: 'Lovelace' }
  const session = String(
    (await post(first.origin, '/api/widget/auth/signup', person))['sessionToken'],
  )

  await pay(first.origin, session, '4242424242424242')
  t.equal((await walletWith(first.origin, session, 1)).balance, 10)
  for (const later of ['4000000000005126', '4000000000000259', '4000000000000077'])
    await pay(first.origin, session, later)
  // What is still to come is in the rows, not in the process.
  await first.close()

  const second = await startService(config, surroundings)
  t.teardown(() => second.close())
  const wallet = await walletWith(second.origin, session, 6)
  t.equal(wallet.balance, 20)
  t.same(wallet.transactions.map(({ referenceType }) => referenceType).sort(), [
    'TOPUP',
    'TOPUP',
    'TOPUP',
    'TOPUP',
    'TOPUP_DISPUTE',
    'TOPUP_REFUND',
  ])
})

async function makeApp(config: ReturnType<typeof loadConfig>): Promise<string> {
  const database = await openDatabase(config, surroundings)
  const identity = openIdentity(database, config, surroundings)
  const { clientApp } = await identity.clientApps.create(anApp)
  await identity.close()
  await database.close()
  return clientApp.clientId
}

/** Nobody confirms: the webhook alone must do it. */
async function pay(origin: string, session: string, cardNumber: string): Promise<void> {
  const created = await post(origin, `/api/widget/topup/create-intent?session=${session}`, {
    amount: 10,
  })
  const { paymentIntentId, paymentSecret } = created
  const card = { ...success, cardNumber, paymentIntentId, paymentSecret }
  const { status } = await post(origin, '/api/sandbox/pay', card)
  if (status !== 'succeeded' && status !== 'processing') throw new Error(`it is ${String(status)}`)
}

interface Wallet {
  readonly balance: number
  readonly transactions: readonly { readonly referenceType: string }[]
}

/** Waits for so many entries, by asking: the test's own time limit is the end. */
async function walletWith(origin: string, session: string, entries: number): Promise<Wallet> {
  for (;;) {
    const answer = await fetch(`${origin}/api/widget/wallet?session=${session}`)
    const wallet = (await answer.json()) as Wallet
    if (wallet.transactions.length === entries) return wallet
  }
}

async function post(origin: string, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await answer.json()) as Record<string, unknown>
}
