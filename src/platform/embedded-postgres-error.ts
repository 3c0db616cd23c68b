/**
 * What can go wrong with the embedded PostgreSQL, as one class with a code for the program and text
 * for the person: what happened (`message`, one line), how to mend it (`remedy`, one line) and,
 * where there is more to see, what PostgreSQL itself said (`detail`, several lines or empty).
 */
export type EmbeddedPostgresFault =
  | 'NOT_WRITABLE'
  | 'SECOND_INSTANCE'
  | 'BINARIES_MISSING'
  | 'START_FAILED'

export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
  readonly code: EmbeddedPostgresFault
  readonly remedy: string
  readonly detail: string

  constructor(
    code: EmbeddedPostgresFault,
    text: {
      readonly message: string
      readonly remedy: string
      readonly detail?: string
      readonly cause?: unknown
    },
  ) {
    super(text.message, { cause: text.cause })
    this.code = code
    this.remedy = text.remedy
    this.detail = text.detail ?? ''
  }
}
