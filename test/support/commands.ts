/**
 * Random commands for property tests: few references and small amounts, so that repeats, declines
 * and refunds are frequent.
 */
import fc from 'fast-check'
import type { WalletId } from '../../src/domain/ids.js'
import type { WalletCommand } from '../../src/domain/wallet.js'
import { credit, deactivate, debit, reactivate, service, voided, walletId } from './given.js'

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
            'ReinstateTopUp' as const,
            'GrantBonus' as const,
          ),
          amount,
          id,
        )
        .map(([type, amountMinor, reference]) => service(type, amountMinor, reference, of)),
    },
    { weight: 1, arbitrary: id.map((reference) => voided(reference, { of })) },
    { weight: 1, arbitrary: fc.constantFrom(deactivate, reactivate) },
  )
}

export const commandSequence = fc.array(randomCommand(walletId), { maxLength: 60 })
