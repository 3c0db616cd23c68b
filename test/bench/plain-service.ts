/**
 * What most teams would write: Fastify, `pg` and one transaction a debit that locks the wallet's
 * row (SELECT … FOR UPDATE), remembers the reference and moves the balance. Honest: durable,
 * idempotent, prepared statements, credentials compared in memory, nothing else slow in it.
 * Arguments: database URL, client id, client secret. Prints `{"origin":…}`, ends with its input.
 */
import fastify from 'fastify'
import pg from 'pg'
import { debitPath } from './load.js'
import { debitSchema, listen, type DebitBody } from './debit-route.js'

const [url = '', clientId = '', clientSecret = '', poolMax = '16'] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: url, max: Number(poolMax) })

const statements = {
  lock: 'select balance_minor from plain.wallets where service_user_id = $1 for update',
  remember:
    'insert into plain.entries ' +
    '(service_user_id, reference_type, reference_id, amount_minor, balance_minor) ' +
    'values ($1, $2, $3, $4, $5) on conflict do nothing',
  earlier:
    'select balance_minor from plain.entries ' +
    'where service_user_id = $1 and reference_type = $2 and reference_id = $3',
  move: 'update plain.wallets set balance_minor = $2 where service_user_id = $1',
} as const

const app = fastify()
app.post<{ Body: DebitBody }>(debitPath, { schema: debitSchema }, async ({ body }, reply) => {
  if (body.clientId !== clientId || body.clientSecret !== clientSecret)
    return reply.code(401).send({ error: 'Bad credentials', code: 'INVALID_CLIENT' })
  const balanceMinor = await debit(body)
  if (balanceMinor === 'unknown') return reply.code(404).send({ code: 'USER_NOT_FOUND' })
  if (balanceMinor === 'short') return reply.code(400).send({ code: 'INSUFFICIENT_BALANCE' })
  return { balance: balanceMinor / 100, message: 'Debited' }
})
await listen(app)

async function debit(body: DebitBody): Promise<number | 'unknown' | 'short'> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await debitInside(client, body)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function debitInside(
  client: pg.PoolClient,
  body: DebitBody,
): Promise<number | 'unknown' | 'short'> {
  const { serviceUserId, referenceType, referenceId } = body
  const amountMinor = Math.round(body.amount * 100)
  const locked = await run(client, 'lock', [serviceUserId])
  const [wallet] = locked.rows
  if (wallet === undefined) return 'unknown'
  const balanceMinor = Number(wallet.balance_minor) - amountMinor
  if (balanceMinor < 0) return 'short'
  const pair = [serviceUserId, referenceType, referenceId]
  const remembered = await run(client, 'remember', [...pair, amountMinor, balanceMinor])
  if (remembered.rowCount === 0) {
    const { rows } = await run(client, 'earlier', pair)
    return Number(rows[0]?.balance_minor)
  }
  await run(client, 'move', [serviceUserId, balanceMinor])
  return balanceMinor
}

function run(client: pg.PoolClient, name: keyof typeof statements, values: readonly unknown[]) {
  return client.query<{ balance_minor: string }>({
    name,
    text: statements[name],
    values: [...values],
  })
}
