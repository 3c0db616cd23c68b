/**
 * What must hold whatever anyone sends. A broken invariant stops the wallet it concerns, loudly;
 * it is never an answer to a client.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

export function invariant(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new InvariantError(sentence)
}

/** The end of an exhaustive switch: the compiler proves that nothing arrives here. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${JSON.stringify(value)}`)
}
