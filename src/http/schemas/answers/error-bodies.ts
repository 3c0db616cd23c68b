/**
 * The bodies of errors: { error, code, requiresAuth? } and, for three codes, the figures that a
 * client needs to go on; and the answers of a route, which names the codes it may give.
 * Nothing but TypeBox and the table of codes is imported here: pages take their types from it.
 */
import { Type, type TSchema, type TUnsafe } from '@sinclair/typebox'
import { errorTable, type ErrorCode, type ErrorRow } from '../../error-table.js'

const moreFields = {
  INSUFFICIENT_BALANCE: {
    balance: Type.Number(),
    available: Type.Optional(Type.Number()),
    held: Type.Optional(Type.Number()),
    requiredAmount: Type.Number(),
    shortfall: Type.Number(),
  },
  TOPUP_LIMIT: {
    minimum: Type.Number(),
    maximum: Type.Number(),
    dayLeft: Type.Optional(Type.Number()),
  },
  WALLET_NOT_EMPTY: {
    balance: Type.Number(),
    held: Type.Number({ description: 'What open holds set aside' }),
    pendingTopUps: Type.Integer({ description: 'How many a bank still processes' }),
    openReturns: Type.Integer({ description: 'How many go back to cards and are not sent yet' }),
    refundable: Type.Number({ description: 'What of the balance can go back to cards' }),
  },
}

export interface ErrorBody {
  readonly error: string
  readonly code: ErrorCode
  readonly requiresAuth?: true
}

/** Exactly what an error of this code looks like. */
export function errorBodyOf(code: ErrorCode): TUnsafe<ErrorBody> {
  const row: ErrorRow = errorTable[code]
  const body = Type.Object({
    error: Type.String({ description: 'For people; may change', examples: [row.text] }),
    code: Type.Literal(code),
    ...(row.requiresAuth === true && { requiresAuth: Type.Literal(true) }),
    ...(code in moreFields && moreFields[code as keyof typeof moreFields]),
  })
  return Type.Unsafe<ErrorBody>(body)
}

/** What any route may have to say, whatever it is about. */
const everywhere = [
  'INVALID_REQUEST',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

export type Answers<Success> = { readonly 200: Success } & {
  readonly [Status in 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 500 | 503]: TUnsafe<ErrorBody>
}

/** All answers of a route by status: the success, and an error of each code that it may give. */
export function answers<Success>(
  success: Success,
  codes: readonly ErrorCode[] = [],
  { isCommand = false }: { readonly isCommand?: boolean } = {},
): Answers<Success> {
  const bodies = new Map<number, TSchema[]>()
  for (const code of new Set([...everywhere, ...codes])) {
    const row: ErrorRow = errorTable[code]
    const status = (isCommand ? row.commandStatus : undefined) ?? row.status
    bodies.set(status, [...(bodies.get(status) ?? []), errorBodyOf(code)])
  }
  const errors = [...bodies].map(([status, [first, ...more]]) => [
    status,
    more.length === 0 ? first : Type.Union([first, ...more].filter((body) => body !== undefined)),
  ])
  return { 200: success, ...Object.fromEntries(errors) } as Answers<Success>
}
