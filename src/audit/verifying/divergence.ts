/**
 * Where what is stored contradicts the streams: the first place, named precisely. A divergence is
 * an answer of an audit and no fault of it; being unable to read is a fault and thrown as such.
 */
export type DivergenceKind =
  | 'log'
  | 'event'
  | 'wallet-row'
  | 'transaction-row'
  | 'refunded-amount'
  | 'journal-total'
  | 'journal-view'
  | 'top-up'
  | 'checkpoint'
  | 'owner'
  | 'admin-log'

export interface Divergence {
  readonly kind: DivergenceKind
  /** Such as "wallet 1b4e…, revision 7 (position 4711)". */
  readonly place: string
  /** What is wrong there, as the rest of the sentence. */
  readonly problem: string
}

/** Ends a check at the first divergence. */
export class DivergenceError extends Error {
  override readonly name = 'DivergenceError'
  readonly divergence: Divergence

  constructor(divergence: Divergence) {
    super(`${divergence.place}: ${divergence.problem}`)
    this.divergence = divergence
  }
}

export function diverges(kind: DivergenceKind, place: string, problem: string): never {
  throw new DivergenceError({ kind, place, problem })
}
