// Properties of the rules over random command sequences.
import fc from 'fast-check'
import t from 'tap'
import { entryFault } from '../../src/domain/entry-fault.js'
import type { WalletCommand } from '../../src/domain/wallet.js'
import { emptyWallet, evolve, outcomeOf } from '../../src/domain/wallet.js'
import type { Wallet } from '../../src/domain/wallet.js'
import { decodeEvent, encodeData, isEntry, signOf } from '../../src/domain/wallet-events.js'
import { commandSequence, timedSequence } from '../support/commands.js'
import { credit, TestLedger, walletId } from '../support/given.js'
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
        if (['WalletDebited', 'HoldCaptured'].includes(event.type) && sum < 0) return false
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
        const isDebit = debit.type === 'WalletDebited' || debit.type === 'HoldCaptured'
        return refunded <= (isDebit ? debit.amountMinor : 0)
      })
    }),
  )
  t.end()
})

t.test('every hold has one end, on time, and gives no more than it holds', (t) => {
  const counts = new Map<string, number>()
  runProperty(
    t,
    fc.property(timedSequence, (steps) => {
      const ledger = ledgerOf([credit(1_000, 'START')])
      let ms = Date.parse(ledger.now)
      for (const [seconds, command] of steps) {
        ms += seconds * 1_000
        ledger.now = new Date(ms).toISOString()
        ledger.send(command)
      }
      const open = new Map<string, { leftMinor: number; expiresAt: string }>()
      for (const [revision, event] of ledger.events.entries()) {
        if (!isEntry(event)) continue
        const { type, data } = event
        counts.set(type, (counts.get(type) ?? 0) + 1)
        const outcome = outcomeOf(walletId, event, revision)
        const isLate = [...open.values()].some(({ expiresAt }) => data.time >= expiresAt)
        if (isLate && type !== 'HoldExpired') return false
        if (type === 'HoldPlaced')
          open.set(data.entryId, { leftMinor: data.amountMinor, expiresAt: data.expiresAt })
        if (outcome.holdEntryId !== undefined) {
          const hold = open.get(outcome.holdEntryId)
          if (hold === undefined || data.amountMinor > hold.leftMinor) return false
          if (type === 'HoldExpired' && data.time < hold.expiresAt) return false
          hold.leftMinor -= data.amountMinor
          if (type === 'HoldCaptured') hold.leftMinor -= data.releasedMinor ?? 0
          if (hold.leftMinor === 0) open.delete(outcome.holdEntryId)
          else if (type !== 'HoldCaptured') return false
        }
        const heldMinor = [...open.values()].reduce((sum, { leftMinor }) => sum + leftMinor, 0)
        if ((data.heldMinor ?? 0) !== heldMinor) return false
        if (type === 'WalletDebited' && data.balanceMinor < heldMinor) return false
      }
      return ledger.wallet.holds.length === open.size
    }),
  )
  const seen = ['HoldPlaced', 'HoldCaptured', 'HoldReleased', 'HoldExpired', 'HoldDeclined']
  for (const type of [...seen, 'CaptureDeclined', 'ReleaseDeclined'])
    t.ok(counts.has(type), `${type}: ${counts.get(type) ?? 0} of them`)
  t.end()
})

t.test('an audit makes every entry of a random history again', (t) => {
  runProperty(
    t,
    fc.property(timedSequence, (steps) => {
      const ledger = new TestLedger()
      const before = new TestLedger()
      let ms = Date.parse(ledger.now)
      for (const [seconds, command] of steps) {
        ms += seconds * 1_000
        ledger.now = new Date(ms).toISOString()
        for (const event of ledger.send(command).events) {
          const isReinstated = event.type === 'TopUpReinstated'
          if (isEntry(event) && !isReinstated)
            if (entryFault(before.wallet, event, before) !== undefined) return false
          before.record(() => event)
        }
      }
      return true
    }),
    100,
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
