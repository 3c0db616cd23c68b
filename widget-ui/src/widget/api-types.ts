/**
 * What the widget's calls answer, as the service spells it. Types only, so that tests of the pages'
 * words need no browser.
 */
export interface Transaction {
  readonly id: string
  readonly type: 'credit' | 'debit'
  readonly amount: number
  readonly balanceAfter: number
  readonly referenceType: string | null
  readonly referenceId: string | null
  readonly description: string | null
  readonly createdAt: string
  /** Null for the service's own flows and for what the session may not see. */
  readonly appName: string | null
}

export interface Wallet {
  readonly balance: number
  /** The last ten, newest first. */
  readonly transactions: readonly Transaction[]
  readonly isActive: boolean
  readonly inactiveReason: string | null
  readonly user: { readonly firstName: string; readonly lastName: string }
  readonly expiresAt: string
  readonly currency: string
  /** −1 for a wallet that nothing has happened to yet. */
  readonly revision: number
}

export interface LoggedIn {
  readonly serviceUserId: string
  readonly sessionToken: string
  readonly expiresAt: string
  readonly linkProof: string
}
