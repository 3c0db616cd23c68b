/**
 * What durability alone costs: Fastify, balances in memory, and one row a debit in PostgreSQL, as
 * many rows a commit as have arrived. No wallet service: it knows no repeat, no credentials, no
 * chain and no read models, and forgets its balances. Nothing that answers only what is on disk can
 * be much faster here. Arguments: database URL. Prints `{"origin":…}`, ends with its input.
 */
import fastify from 'fastify'
import pg from 'pg'
import { debitSchema, listen, type DebitBody } from './debit-route.js'
import { debitPath } from './load.js'

const [url = ''] = process.argv.slice(2)
const client = new pg.Client({ connectionString: url })
await client.connect()

const balancesMinor = new Map<string, number>()
let waiting: { readonly text: string; readonly written: () => void }[] = []
let isWriting = false

const app = fastify()
app.post<{ Body: DebitBody }>(debitPath, { schema: debitSchema }, async ({ body }) => {
  const { serviceUserId, amount, referenceType, referenceId } = body
  const balanceMinor = (balancesMinor.get(serviceUserId) ?? 1e11) - Math.round(amount * 100)
  balancesMinor.set(serviceUserId, balanceMinor)
  const text = JSON.stringify({ serviceUserId, amount, referenceType, referenceId, balanceMinor })
  await new Promise<void>((written) => {
    waiting.push({ text, written })
    if (!isWriting) void write()
  })
  return { balance: balanceMinor / 100, message: 'Debited' }
})
await listen(app)

async function write(): Promise<void> {
  isWriting = true
  while (waiting.length > 0) {
    // What arrived in this turn shares the commit.
    await new Promise((resolve) => setImmediate(resolve))
    const group = waiting
    waiting = []
    await client.query({
      name: 'write',
      text: "insert into bare.log (data) select string_to_table($1, E'\\n')",
      values: [group.map(({ text }) => text).join('\n')],
    })
    for (const { written } of group) written()
  }
  isWriting = false
}
