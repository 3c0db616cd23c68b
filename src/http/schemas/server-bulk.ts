/**
 * The schemas of many commands in one request. The list as a whole is checked by `bulkSchema`, each
 * command in it by the schema of its verb, which has the fields of that verb's own route: one that
 * is wrong is told beside the others.
 */
import { Type, type Static } from '@sinclair/typebox'
import { bulkCommandsMax } from '../limits.js'
import { answers } from './answers/error-bodies.js'
import { bulkAnswerSchema } from './answers/wallets.js'
import * as field from './fields.js'
import {
  bookingFields,
  clientCodes,
  clientCredentials,
  creditFields,
  holdFields,
} from './server-wallet.js'

export type BulkCommandSchemas = ReturnType<typeof bulkCommandSchemas>
export type BulkVerb = keyof BulkCommandSchemas
export type BulkCommand = Static<BulkCommandSchemas[BulkVerb]>

/** By verb. */
export function bulkCommandSchemas(limits: field.AmountLimits) {
  return {
    debit: field.input({ verb: Type.Literal('debit'), ...bookingFields(limits) }),
    credit: field.input({ verb: Type.Literal('credit'), ...creditFields(limits) }),
    hold: field.input({ verb: Type.Literal('hold'), ...holdFields(limits) }),
  }
}

export type BulkSchema = ReturnType<typeof bulkSchema>

export function bulkSchema(limits: field.AmountLimits) {
  return {
    summary: 'Many debits, credits and holds at once, each answered as by its own route',
    body: field.input({ ...clientCredentials, commands: commandList(limits) }),
    response: answers(bulkAnswerSchema, clientCodes, { isCommand: true }),
  }
}

/** Its items are anything until each was read by its own schema. */
function commandList(limits: field.AmountLimits) {
  const problem = `must be a list of 1 to ${bulkCommandsMax} commands`
  return field.field<readonly unknown[]>(
    {
      type: 'array',
      minItems: 1,
      maxItems: bulkCommandsMax,
      items: Type.Union(Object.values(bulkCommandSchemas(limits))),
    },
    (value) => {
      const count = Array.isArray(value) ? value.length : 0
      return count >= 1 && count <= bulkCommandsMax ? undefined : problem
    },
  )
}
