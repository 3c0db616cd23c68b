/**
 * Random commands for property tests: few references and small amounts, so that repeats, declines
 * and refunds are frequent.
 */
import fc from 'fast-check'
import type { WalletId } from '../../src/domain/ids.js'
import type { WalletCommand } from '../../src/domain/wallet.js'
import { captureHold, credit, deactivate, debit, placeHold } from './given.js'
import { reactivate, releaseHold, service, voided, walletId } from './given.js'

export function randomCommand(of: WalletId): fc.Arbitrary<WalletCommand> {
  const amount = fc.integer({ min: 1, max: 300 })
  const id = fc.integer({ min: 1, max: 40 }).map((number) => `R-${number}`)
  const issuer = fc.constantFrom('client-app:shop' as const, 'client-app:market' as const)
  const entry = { amount, id, issuer }
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record(entry).map((e) => debit(e.amount, e.id, { issuer: e.issuer, of })),
    },
    {
      weight: 4,
      arbitrary: fc.record(entry).map((e) => credit(e.amount, e.id, { issuer: e.issuer, of })),
    },
    {
      weight: 3,
      arbitrary: fc
        .record({ ...entry, refundOf: id })
        .map((e) => credit(e.amount, e.id, { issuer: e.issuer, refundOf: e.refundOf, of })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom(
            'TopUp' as const,
            'ReverseTopUp' as const,
            'ReturnTopUp' as const,
            'ReinstateTopUp' as const,
            'GrantBonus' as const,
          ),
          amount,
          id,
        )
        .map(([type, amountMinor, reference]) => service(type, amountMinor, reference, of)),
    },
    { weight: 6, arbitrary: holdCommand({ ...entry, of }) },
    { weight: 1, arbitrary: id.map((reference) => voided(reference, { of })) },
    { weight: 1, arbitrary: fc.constantFrom(deactivate, reactivate) },
  )
}

/** Captures and releases name what may be a hold, a debit, another app's, or nothing at all. */
function holdCommand({ amount, id, issuer, of }: Entry): fc.Arbitrary<WalletCommand> {
  const few = fc.constantFrom('H-1', 'H-2', 'H-3', 'H-4', 'H-5', 'H-6', 'R-1', 'R-2')
  const seconds = fc.constantFrom(60, 90, 300, 86_400)
  return fc.oneof(
    fc
      .record({ amount, id: few, issuer, seconds })
      .map((h) => placeHold(h.amount, h.id, { issuer: h.issuer, seconds: h.seconds, of })),
    fc
      .record({ amount, id, issuer, holdOf: few, isWhole: fc.boolean(), isFinal: fc.boolean() })
      .map(({ holdOf, id: own, amount: amountMinor, issuer: app, isWhole, isFinal }) => {
        const options = { issuer: app, isFinal, of }
        return captureHold(holdOf, own, isWhole ? options : { ...options, amountMinor })
      }),
    fc
      .record({ id, issuer, holdOf: few })
      .map((r) => releaseHold(r.holdOf, r.id, { issuer: r.issuer, of })),
  )
}

interface Entry {
  readonly amount: fc.Arbitrary<number>
  readonly id: fc.Arbitrary<string>
  readonly issuer: fc.Arbitrary<'client-app:shop' | 'client-app:market'>
  readonly of: WalletId
}

/** Commands with the seconds that pass before each: enough for holds to expire in between. */
export const timedSequence = fc.array(
  fc.tuple(fc.constantFrom(0, 0, 0, 0, 1, 30, 61), randomCommand(walletId)),
  { minLength: 20, maxLength: 60 },
)

export const commandSequence = fc.array(randomCommand(walletId), { maxLength: 60 })
