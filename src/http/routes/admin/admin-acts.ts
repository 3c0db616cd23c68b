/**
 * An act of an admin with its lines in the log: ordered before it begins, its outcome added when it
 * has ended and before the answer. Promises: no act goes unlogged; when the order cannot be written
 * nothing is done. When only the outcome cannot be written, the act stands as `unknown` and is
 * answered all the same: a repeat would do it twice.
 */
import type { FastifyRequest } from 'fastify'
import type { AdminAct, AdminActOutcome, AdminLog } from '../../../identity/admin-log.js'
import { InvalidFieldError } from '../../../identity/invalid-field-error.js'
import type { AdminGuard } from '../../admin-session.js'
import { ApiError, routeOf, toApiError } from '../../errors.js'

export type OrderedAct = Omit<AdminAct, 'adminId'>

export class AdminActs {
  readonly #adminLog: AdminLog
  readonly #guard: AdminGuard

  constructor(parts: { adminLog: AdminLog; guard: AdminGuard }) {
    this.#adminLog = parts.adminLog
    this.#guard = parts.guard
  }

  /** `describe` says what the log shall know that only the act could tell. */
  async perform<Result>(
    request: FastifyRequest,
    order: OrderedAct,
    work: () => Promise<Result>,
    describe: (result: Result) => Omit<AdminActOutcome, 'outcome'> = () => ({}),
  ): Promise<Result> {
    const act = { ...order, adminId: this.#guard.sessionOf(request).admin.adminId }
    const orderId = await this.#adminLog.order(act)
    const finish = (ended: AdminActOutcome): Promise<void> =>
      this.#adminLog.finish(orderId, act, ended).catch((err: unknown) => {
        const route = routeOf(request)
        request.log.error({ err, route, orderId }, 'the outcome of an admin act is not logged')
      })
    try {
      const result = await work()
      await finish({ outcome: 'done', ...describe(result) })
      return result
    } catch (error) {
      const refusal = refusalOf(error)
      // Anything else may have happened or not: the order stands as `unknown`.
      if (refusal === undefined) throw error
      await finish({ outcome: 'refused', details: { code: refusal.code } })
      throw refusal
    }
  }
}

/** What says for certain that nothing was done. */
function refusalOf(error: unknown): ApiError | undefined {
  const isRefusal = error instanceof ApiError || error instanceof InvalidFieldError
  return isRefusal ? toApiError(error) : undefined
}
