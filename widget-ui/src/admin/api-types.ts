/** What the admin API answers with, as docs/reference/admin-api.md says it. Types only. */
import type { Currency } from '../shared/formats.js'
import type { LogEntry } from './log-words.js'

export interface Admin {
  readonly adminId: string
  readonly email: string
  readonly role: 'admin' | 'auditor'
}

export interface Me {
  readonly admin: Admin
  readonly csrfToken: string
  readonly currency: Currency
  readonly environment: 'development' | 'production' | 'test'
}

export interface Tally {
  readonly count: number
  readonly amount: number
}

export interface Movements {
  readonly debits: Tally
  readonly credits: Tally
  readonly topUps: Tally
  readonly reversals: Tally
  readonly reinstatements: Tally
  readonly bonuses: Tally
  readonly declines: Tally
}

export interface Day extends Movements {
  readonly day: string
  readonly heldBalance: number
}

export interface Owed {
  readonly clientId: string
  readonly name: string
  readonly amount: number
}

export interface Overview {
  readonly heldBalance: number
  readonly today: Movements
  readonly days: readonly Day[]
  readonly projectionLagMs: number
  readonly owed: readonly Owed[]
  readonly wallets: { readonly count: number; readonly inactive: number }
  /** Null until the first check of the whole ledger has ended. */
  readonly integrity: {
    readonly endedAt: string
    readonly events: number
    readonly divergence: { readonly place: string; readonly problem: string } | null
  } | null
  readonly lostEvents: LostEvents
}

/** What the event store has lost after it was acknowledged, and nobody has seen yet. */
export interface LostEvents {
  readonly unseen: number
  /** The oldest of them. */
  readonly events: readonly LostEvent[]
}

/** Null wherever it is not known. */
export interface LostEvent {
  readonly lostId: number
  readonly walletId: string
  readonly revision: number
  readonly type: string | null
  readonly time: string | null
  readonly referenceType: string | null
  readonly referenceId: string | null
  readonly amount: number | null
  readonly noticedAt: string
}

export type Scope = 'wallet:read' | 'wallet:write'

export interface ClientSecret {
  readonly secretId: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

export interface ClientAppInput {
  readonly name: string
  readonly allowedOrigins: readonly string[]
  readonly allowedIframeParents: readonly string[]
  readonly scopes: readonly Scope[]
  readonly brandName: string | null
  /** `#rrggbb` */
  readonly accentColor: string | null
}

export interface ClientApp extends ClientAppInput {
  readonly clientId: string
  readonly isActive: boolean
  readonly createdAt: string
  readonly secrets: readonly ClientSecret[]
}

export interface FoundWallet {
  readonly walletId: string
  readonly serviceUserId: string
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly balance: number
  readonly isActive: boolean
}

export interface Entry {
  readonly id: string
  readonly event: string
  readonly type: 'credit' | 'debit' | null
  readonly outcome: 'applied' | 'declined'
  readonly code: string | null
  readonly amount: number
  readonly balanceAfter: number
  readonly referenceType: string
  readonly referenceId: string
  readonly appName: string | null
  readonly description: string | null
  readonly createdAt: string
}

export interface Wallet extends FoundWallet {
  readonly erased: boolean
  readonly statusReason: string | null
  readonly entries: readonly Entry[]
  readonly nextCursor?: string
  readonly links: readonly { readonly clientId: string; readonly name: string }[]
}

/** An event of a wallet's stream, with the step of the fold that it is. */
export interface ExplainedEvent {
  readonly revision: number
  readonly eventId: string
  readonly hash: string
  readonly time: string
  readonly event: string
  readonly outcome: 'applied' | 'declined' | 'recorded'
  readonly referenceType: string | null
  readonly referenceId: string | null
  readonly issuer: string | null
  readonly appName: string | null
  readonly amount: number | null
  readonly balanceBefore: number
  readonly balanceAfter: number
  readonly rule: string
  readonly description: string | null
}

export interface EventsPage {
  readonly walletId: string
  readonly events: readonly ExplainedEvent[]
  readonly divergence: { readonly place: string; readonly problem: string } | null
  readonly nextCursor?: string
}

export interface LogPage {
  readonly entries: readonly LogEntry[]
  readonly nextCursor?: string
}
