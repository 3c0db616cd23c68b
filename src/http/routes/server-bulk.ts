/**
 * Many debits, credits and holds in one request. Promises: each is checked, decided and answered as
 * its own route would do it; commands of one wallet are decided in the order of the list; one that
 * is refused holds back no other. So a repeat of the whole list is as safe as that of each command.
 * Never: begins a part of a list: either the app's share has room for all of it, or for none.
 */
import type { FastifyRequest } from 'fastify'
import type { ClientApp } from '../../identity/client-apps.js'
import type { LinkedUser } from '../../identity/links.js'
import type { App } from '../app.js'
import { authenticateClient, findUserFor } from '../client-auth.js'
import { orderOf, type Wish } from '../command-order.js'
import { checked, uncheckedField, type RequestOf } from '../contract.js'
import type { ErrorCode } from '../error-table.js'
import { errorBody, invalidField, logFault, toApiError } from '../errors.js'
import { bulkBodyBytesMax, bulkBodyValuesMax } from '../limits.js'
import { describeOutcome } from '../outcome-answer.js'
import type { BulkAnswer, BulkResult } from '../schemas/answers/wallets.js'
import type { AmountLimits } from '../schemas/fields.js'
import type { BulkCommand, BulkSchema } from '../schemas/server-bulk.js'
import { bulkCommandSchemas, bulkSchema } from '../schemas/server-bulk.js'
import { compileValidator } from '../validation.js'
import type { CommandParts } from './server-commands.js'
import { isOfHold, replayHeaders, requireFinished } from './server-commands.js'

export function registerServerBulk(app: App, parts: CommandParts): void {
  const limits = { currency: parts.currency, maxMinor: parts.amountMaxMinor }
  const options = {
    schema: bulkSchema(limits),
    bodyLimit: bulkBodyBytesMax,
    config: { bodyValuesMax: bulkBodyValuesMax },
  }
  const read = commandReader(limits)
  app.post('/api/server/wallet/bulk', options, (request) => bulk(parts, request, read))
}

/** A command of a list as its schema says; throws what is wrong with it. */
type ReadCommand = (command: unknown) => BulkCommand

function commandReader(limits: AmountLimits): ReadCommand {
  const schemas = Object.entries(bulkCommandSchemas(limits))
  const byVerb = new Map<unknown, ReturnType<typeof compileValidator>>(
    schemas.map(([verb, schema]) => [verb, compileValidator({ schema, httpPart: 'body' })]),
  )
  const verbs = [...byVerb.keys()].join(', ')
  return (command) => {
    const validate = byVerb.get(uncheckedField(command, 'verb'))
    if (validate === undefined) throw invalidField('verb', `must be one of ${verbs}`)
    const valid = validate(command)
    if (valid !== true && 'error' in valid) throw valid.error
    return command as BulkCommand
  }
}

/** A command whose fields are right, on a user who is there. */
interface Line {
  readonly wish: Wish
  readonly user: LinkedUser
}

async function bulk(
  parts: CommandParts,
  request: RequestOf<BulkSchema>,
  read: ReadCommand,
): Promise<BulkAnswer> {
  const arrivedMs = parts.clock.now()
  const clientApp = await authenticateClient(parts.clientApps, request, 'wallet:write')
  const { commands } = checked(request).body
  const share = parts.shares.of(clientApp)
  share.beginCommands(commands.length)
  try {
    const lineOf = async (given: unknown): Promise<Line> => {
      const wish = wishIn(read(given))
      if (isOfHold(wish)) await requireFinished(parts.rollOut)
      return { wish, user: await findUserFor(parts.links, clientApp, wish) }
    }
    const lines = await Promise.allSettled(commands.map(lineOf))
    const refusal = refusals(request)
    // Everything reaches its lane within this tick, in the order of the list.
    const results = lines.map(async (line): Promise<BulkResult> => {
      if (line.status === 'rejected') return refusal(line.reason)
      return book(parts, { clientApp, request, arrivedMs }, line.value).catch(refusal)
    })
    return { results: await Promise.all(results) }
  } finally {
    share.endCommands(commands.length)
  }
}

function wishIn(fields: BulkCommand): Wish {
  switch (fields.verb) {
    case 'debit':
      return { verb: 'debit', fields }
    case 'credit':
      return { verb: 'credit', fields }
    case 'hold':
      return { verb: 'hold', fields }
  }
}

interface Call {
  readonly clientApp: ClientApp
  readonly request: FastifyRequest
  readonly arrivedMs: number
}

async function book(
  parts: CommandParts,
  { clientApp, request, arrivedMs }: Call,
  { wish, user }: Line,
): Promise<BulkResult> {
  const { command, sent } = orderOf(parts, { clientApp, user }, wish)
  const { outcome, replayed } = await parts.writer.execute(user.walletId, command, arrivedMs)
  const { status, answer: body } = describeOutcome(outcome, parts.currency)
  if (!replayed) return { status, body }
  return { status, body, headers: replayHeaders(parts, request, sent, outcome) }
}

/** Every code is logged once, however many commands of the list have it. */
function refusals(request: FastifyRequest): (error: unknown) => BulkResult {
  const logged = new Set<ErrorCode>()
  return (error) => {
    const answer = toApiError(error)
    const { code, headers, status } = answer
    if (!logged.has(code)) logFault(answer, request)
    logged.add(code)
    return { status, body: errorBody(answer), ...('retry-after' in headers && { headers }) }
  }
}
