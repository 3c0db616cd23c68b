/**
 * The ceiling: a Fastify route with the debit's path and schemas that does nothing. No framework on
 * this machine answers a debit faster than this. Prints `{"origin":…}`, ends with its input.
 */
import fastify from 'fastify'
import { debitPath } from './load.js'
import { debitSchema, listen } from './debit-route.js'

const app = fastify()
app.post(debitPath, { schema: debitSchema }, async () => ({ balance: 1, message: 'Debited' }))
await listen(app)
