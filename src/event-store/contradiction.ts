/**
 * The one test for a contradiction: a rule of the domain is broken, or the log contradicts itself.
 * Repeating cannot help then: whoever meets one stops what it concerns, loudly, and a person looks.
 */
import { InvariantError } from '../domain/invariant.js'
import { StoreCorruptError } from './event-store.js'

export function isContradiction(error: unknown): error is InvariantError | StoreCorruptError {
  return error instanceof InvariantError || error instanceof StoreCorruptError
}

/** An event that cannot be read: its data are no JSON, or break a rule. */
export function isUnreadable(error: unknown): error is InvariantError | SyntaxError {
  return error instanceof InvariantError || error instanceof SyntaxError
}
