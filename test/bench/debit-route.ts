/**
 * What the two services that ours is compared with have in common: the debit's schemas (the fields
 * and answer of POST /api/server/wallet/debit) and how they start and end.
 */
import type { AddressInfo } from 'node:net'
import { Type, type Static } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'

const text = Type.String({ minLength: 1, maxLength: 200 })

const debitBody = Type.Object({
  clientId: text,
  clientSecret: text,
  serviceUserId: text,
  amount: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
  referenceType: text,
  referenceId: text,
  description: Type.Optional(Type.String({ maxLength: 500 })),
})

export type DebitBody = Static<typeof debitBody>

export const debitSchema = {
  body: debitBody,
  response: { 200: Type.Object({ balance: Type.Number(), message: Type.String() }) },
}

/** Says where it listens; ends with its input, so that it never outlives the benchmark. */
export async function listen(app: FastifyInstance): Promise<void> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${port}` })}\n`)
  process.stdin.on('close', () => process.exit(0)).resume()
}
