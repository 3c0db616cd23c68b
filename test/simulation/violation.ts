/** Something in a simulated world is not as it must be: ends the run, with its words. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

export function hold(isTrue: boolean, otherwise: () => string): asserts isTrue {
  if (!isTrue) throw new Violation(otherwise())
}
