/**
 * From what a client backend asks for to the command that its wallet's lane decides: the one place
 * where the fields of a request become a command, for a route by itself and for many at once.
 * Promises: takes checked fields; the issuer is the caller, whatever was sent.
 * Never: waits, or asks anybody.
 */
import { holdSecondsStandard } from '../domain/holds.js'
import { entryIdOf } from '../domain/ids.js'
import type { EntryId, Issuer, WalletId } from '../domain/ids.js'
import { toMinor, type Currency } from '../domain/money.js'
import type { Reference } from '../domain/reference.js'
import type { EntryCommand } from '../domain/wallet.js'
import type { SealedText } from '../domain/wallet-events.js'
import type { ClientApp } from '../identity/client-apps.js'
import type { LinkedUser } from '../identity/links.js'
import type { Random } from '../platform/random.js'
import { seal } from '../platform/sealing.js'
import type { SentCommand } from './outcome-answer.js'

interface Fields extends Reference {
  readonly serviceUserId: string
  readonly description?: string | undefined
}

interface BookingFields extends Fields {
  readonly amount: number
}

/** Only a credit refunds: on a debit `refundOf` is a field that nobody knows. */
export type Wish =
  | { readonly verb: 'debit'; readonly fields: BookingFields }
  | { readonly verb: 'credit'; readonly fields: BookingFields & { readonly refundOf?: Reference } }
  | {
      readonly verb: 'hold'
      readonly fields: BookingFields & { readonly expiresInSeconds?: number }
    }
  | {
      readonly verb: 'capture'
      readonly fields: Fields & {
        readonly holdOf: Reference
        readonly amount?: number
        readonly final?: boolean
      }
    }
  | { readonly verb: 'release'; readonly fields: Fields & { readonly holdOf: Reference } }

export interface Order {
  readonly command: EntryCommand
  /** What a repeat is compared with. */
  readonly sent: SentCommand
}

export interface OrderParts {
  readonly currency: Currency
  readonly random: Random
}

/** Who asks, and for whom. */
export interface Asker {
  readonly clientApp: ClientApp
  readonly user: LinkedUser
}

export function orderOf(parts: OrderParts, asker: Asker, wish: Wish): Order {
  const { currency } = parts
  const { walletId, issuer, reference, entryId } = ownerOf(asker, wish.fields)
  const text = sealed(parts, asker.user, entryId, wish.fields.description)
  const idOf = (other: Reference) => entryIdOf({ issuer, walletId, reference: other })
  switch (wish.verb) {
    case 'debit': {
      const amountMinor = toMinor(wish.fields.amount, currency)
      const command = { type: 'Debit', entryId, issuer, reference, amountMinor, ...text } as const
      return { command, sent: { verb: 'debit', amountMinor } }
    }
    case 'credit': {
      const amountMinor = toMinor(wish.fields.amount, currency)
      const refundOf = wish.fields.refundOf && pairIn(wish.fields.refundOf)
      const order = { entryId, issuer, reference, amountMinor, ...text }
      const sent = {
        verb: 'credit',
        amountMinor,
        refundedEntryId: refundOf && idOf(refundOf),
      } as const
      return { command: { type: 'Credit', ...order, ...(refundOf && { refundOf }) }, sent }
    }
    case 'hold': {
      const amountMinor = toMinor(wish.fields.amount, currency)
      const lifetimeSeconds = wish.fields.expiresInSeconds ?? holdSecondsStandard
      const order = { entryId, issuer, reference, amountMinor, ...text }
      const sent = { verb: 'hold', amountMinor } as const
      return { command: { type: 'PlaceHold', ...order, lifetimeSeconds }, sent }
    }
    case 'capture': {
      const { amount, final: isFinal = false } = wish.fields
      const holdOf = pairIn(wish.fields.holdOf)
      const amounts = amount === undefined ? {} : { amountMinor: toMinor(amount, currency) }
      const order = { entryId, issuer, reference, ...amounts, ...text }
      const sent = { verb: 'capture', ...amounts, holdEntryId: idOf(holdOf) } as const
      return { command: { type: 'CaptureHold', ...order, holdOf, isFinal }, sent }
    }
    case 'release': {
      const holdOf = pairIn(wish.fields.holdOf)
      const order = { entryId, issuer, reference, ...text }
      const sent = { verb: 'release', holdEntryId: idOf(holdOf) } as const
      return { command: { type: 'ReleaseHold', ...order, holdOf }, sent }
    }
  }
}

/** The reference of a client app on its user's wallet: issuer and entry id follow from it. */
export function ownerOf({ clientApp, user }: Asker, fields: Reference): Owner {
  const issuer: Issuer = `client-app:${clientApp.clientId}`
  const { walletId } = user
  const reference = pairIn(fields)
  return { issuer, walletId, reference, entryId: entryIdOf({ issuer, walletId, reference }) }
}

export interface Owner {
  readonly issuer: Issuer
  readonly walletId: WalletId
  readonly reference: Reference
  readonly entryId: EntryId
}

/** The pair alone: whatever else a client sent stays outside. */
function pairIn({ referenceType, referenceId }: Reference): Reference {
  return { referenceType, referenceId }
}

function sealed(
  { random }: OrderParts,
  { sealingKey: key }: LinkedUser,
  entryId: EntryId,
  description: string | undefined,
): { description?: SealedText } {
  // A person whose key is destroyed gets no new texts: they could not be read or erased.
  if (description === undefined || key === undefined) return {}
  return { description: seal(description, { key, entryId }, random) }
}
