/**
 * What was given for an account, an admin or a client app is not as the rules want it. The message
 * is a sentence for people that names the field. Never: holds the value, which may be a password.
 */
export class InvalidFieldError extends Error {
  override readonly name = 'InvalidFieldError'
  /** Such as `email` or `allowedOrigins[2]`. */
  readonly field: string
  /** The end of the sentence. */
  readonly problem: string

  constructor(field: string, problem: string) {
    super(`${field} ${problem}`)
    this.field = field
    this.problem = problem
  }
}
