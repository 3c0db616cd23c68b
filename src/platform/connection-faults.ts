/**
 * Faults of listening and connecting, told apart: Node gives a taken port, an unknown host and a
 * database that is away much the same errors.
 */

/** HOST and PORT cannot be listened on. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly code: unknown

  constructor(cause: Error & { readonly code?: unknown }) {
    super(cause.message, { cause })
    this.code = cause.code
  }
}

/** A name that nobody knows looks like a database that is away, unless it is told here. */
export function throwListenError(error: unknown): never {
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined
  if (error instanceof Error && (syscall === 'listen' || syscall === 'getaddrinfo'))
    throw new ListenError(error)
  throw error
}

/** A host of several addresses fails with all their errors at once, and says nothing itself. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0)
    return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
