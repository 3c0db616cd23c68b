// Properties of the rules over random command sequences.
import fc from 'fast-check'
import t from 'tap'
import type { WalletCommand } from '../../src/domain/wallet.js'
import { emptyWallet, evolve, outcomeOf } from '../../src/domain/wallet.js'
import type { Wallet } from '../../src/domain/wallet.js'
import { decodeEvent, encodeData, isEntry, signOf } from '../../src/domain/wallet-events.js'
import { commandSequence } from '../support/commands.js'
import { TestLedger, walletId } from '../support/given.js'
import { runProperty } from '../support/property.js'

t.test('the balance is the sum of the entries, and a debit never takes it below zero', (t) => {
  runProperty(
    t,
    fc.property(commandSequence, (commands) => {
      const ledger = ledgerOf(commands)
      let sum = 0
      for (const event of ledger.events.filter(isEntry)) {
        sum += signOf[event.type] * event.data.amountMinor
        if (event.data.balanceMinor !== sum) return false
        if (event.type === 'WalletDebited' && sum < 0) return false
      }
      return ledger.wallet.balanceMinor === sum
    }),
  )
  t.end()
})

t.test('any prefix of the events replays to the state of then', (t) => {
  runProperty(
    t,
    fc.property(commandSequence, (commands) => {
      const ledger = new TestLedger()
      const states = [ledger.wallet]
      for (const command of commands)
        if (ledger.send(command).events.length > 0) states.push(ledger.wallet)
      let wallet: Wallet = emptyWallet(walletId)
      return ledger.events.every((event, revision) => {
        const stored = decodeEvent(event.type, encodeData(event))
        wallet = { ...evolve(wallet, stored), hash: wallet.hash }
        return JSON.stringify(wallet) === JSON.stringify(states[revision])
      })
    }),
  )
  t.end()
})

t.test('sending every command twice changes nothing and gives the same answers', (t) => {
  runProperty(
    t,
    fc.property(commandSequence, (commands) => {
      const entries = commands.filter((command) => 'entryId' in command)
      const ledger = new TestLedger()
      const first = entries.map((command) => ledger.send(command).outcome)
      const before = ledger.wallet
      const second = entries.map((command) => ledger.send(command).outcome)
      return (
        JSON.stringify(first.map(last(first, entries))) === JSON.stringify(second) &&
        ledger.wallet === before
      )
    }),
  )
  t.end()
})

t.test('every reference has exactly one outcome, and refunds never exceed their debit', (t) => {
  runProperty(
    t,
    fc.property(commandSequence, (commands) => {
      const ledger = ledgerOf(commands)
      const outcomes = ledger.events
        .map((event, revision) =>
          isEntry(event) ? outcomeOf(walletId, event, revision) : undefined,
        )
        .filter((outcome) => outcome !== undefined)
      if (new Set(outcomes.map((outcome) => outcome.entryId)).size !== outcomes.length) return false
      return outcomes.every((debit) => {
        const refunds = outcomes.filter((outcome) => outcome.refundedEntryId === debit.entryId)
        const refunded = refunds.reduce((sum, outcome) => sum + outcome.amountMinor, 0)
        return refunded <= (debit.type === 'WalletDebited' ? debit.amountMinor : 0)
      })
    }),
  )
  t.end()
})

function ledgerOf(commands: readonly WalletCommand[]): TestLedger {
  const ledger = new TestLedger()
  for (const command of commands) ledger.send(command)
  return ledger
}

// Within one sequence a reference may repeat: its answer is the one given first.
function last<Answer>(answers: readonly Answer[], commands: readonly WalletCommand[]) {
  const firstOf = new Map<string, Answer>()
  commands.forEach((command, index) => {
    if ('entryId' in command && !firstOf.has(command.entryId))
      firstOf.set(command.entryId, answers[index] as Answer)
  })
  return (_: Answer, index: number): Answer | undefined => {
    const command = commands[index]
    return command !== undefined && 'entryId' in command ? firstOf.get(command.entryId) : undefined
  }
}
