/** The types of verify-bundle.mjs, for the page and the command line that run it. */
export interface BundleCrypto {
  sha256(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>
  sha1(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>
  verify(signed: {
    key: Uint8Array
    text: Uint8Array
    signature: Uint8Array
  }): boolean | Promise<boolean>
}

export interface BundleLine {
  readonly revision: number
  readonly type: string
  readonly time: string
  readonly balanceMinor: number
  readonly hash: string
  readonly changeMinor: number
  readonly amountMinor: number | null
  readonly code: string | null
  readonly referenceType: string | null
  readonly referenceId: string | null
  readonly issuer: string | null
  readonly reason: string | null
}

export interface ValidBundle {
  readonly isValid: true
  readonly walletId: string
  readonly currency: string
  readonly decimals: number
  readonly balanceMinor: number
  readonly events: number
  readonly lines: readonly BundleLine[]
  readonly checkpoint: {
    readonly number: number
    readonly time: string
    readonly walletCount: number
  }
  readonly oldestCheckpoint: number
  /** Those that a person signed after a loss. */
  readonly losses: readonly { readonly number: number; readonly lostNumber: number }[]
  readonly keyId: string
  readonly keptCompared: number
}

export interface InvalidBundle {
  readonly isValid: false
  readonly place: string
  readonly problem: string
  readonly revision: number | null
}

export class UnableError extends Error {}

/** Throws UnableError for a file that is no bundle at all. */
export function verifyBundle(
  bytes: Uint8Array,
  crypto: BundleCrypto,
  options?: { trustedKey?: string; keptCheckpoints?: unknown },
): Promise<ValidBundle | InvalidBundle>

export function webCrypto(): Promise<BundleCrypto>
export function nodeCrypto(): Promise<BundleCrypto>

/** Answers with the exit code. With --json `complain` is told why it is unable to look. */
export function main(
  args: readonly string[],
  say?: (line: string) => void,
  complain?: (line: string) => void,
): Promise<number>
