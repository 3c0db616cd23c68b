/**
 * An answer of the shop that is no success: thrown anywhere, sent as `{ error, code }` by
 * server.mjs. The text is for people: what happened, whether money moved, what to do next.
 */
export class ShopError extends Error {
  constructor(status, code, message, fields = {}) {
    super(message)
    this.status = status
    this.code = code
    this.fields = fields
  }
}
