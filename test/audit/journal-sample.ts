/**
 * A ledger with every kind of entry, hostile texts and several client apps, for tests of exports;
 * what every account must hold is folded from the streams, not asked of the journal.
 */
import fc from 'fast-check'
import type { Test } from 'tap'
import { exportJournal } from '../../src/audit/books/export-journal.js'
import type { ExportParts, JournalFormat } from '../../src/audit/books/export-journal.js'
import type { TimeRange } from '../../projections/queries/books.js'
import { entryIdOf } from '../../src/domain/ids.js'
import type { Issuer, WalletId } from '../../src/domain/ids.js'
import { counterAccountOf, walletPostingMinor } from '../../src/domain/journal.js'
import { findCurrency } from '../../src/domain/money.js'
import type { Currency } from '../../src/domain/money.js'
import { reference } from '../../src/domain/reference.js'
import { decodeEvent, isEntry, signOf } from '../../src/domain/wallet-events.js'
import { sealingKeysOf } from '../../src/identity/sealing-keys.js'
import { createUser } from '../../src/identity/users.js'
import type { User } from '../../src/identity/users.js'
import { systemRandom } from '../../src/platform/random.js'
import { seal } from '../../src/platform/sealing.js'
import { randomCommand } from '../support/commands.js'
import { captureHold, deactivate, debit, placeHold } from '../support/given.js'
import { reactivate, service, voided } from '../support/given.js'
import { TestDatabaseLedger } from '../support/ledger.js'
import { propertySeed } from '../support/property.js'

export const usd = findCurrency('usd') as Currency

export const shopApp: Issuer = 'client-app:app_0b5f6c5e-3f0a-4d1c-9c55-0d6f2b3a7e11'

/** What a client app may send, and no file may be broken by. */
export const hostileTexts = [
  'two\nlines\r\n    wallet:forged  1000.00 USD',
  'quotes " and \\" and \\\\ backslashes \\',
  '; a comment, another: tag, date:2001-01-01 [2001-02-03]',
  '=HYPERLINK("http://evil.example")',
  '\u2028line separator\u202eright to left\u0007bell\u001b[31mred',
  'tab\there  two spaces  10.00 USD @ 5 EUR',
  '漢字 עברית 🙂 end comment',
  '2001-01-01 open Assets:Forged',
]

export interface ExportOptions {
  readonly range?: TimeRange
  readonly descriptions?: boolean
  readonly currency?: Currency
}

export class JournalSample {
  readonly ledger: TestDatabaseLedger
  readonly users: readonly User[]

  private constructor(ledger: TestDatabaseLedger, users: readonly User[]) {
    this.ledger = ledger
    this.users = users
  }

  static async open(t: Test): Promise<JournalSample> {
    const ledger = await TestDatabaseLedger.open(t)
    const users: User[] = []
    for (let count = 0; count < 4; count += 1)
      users.push(await createUser(ledger.pool, systemRandom))
    const sample = new JournalSample(ledger, users)
    await sample.#fill(propertySeed(t))
    await ledger.project()
    return sample
  }

  /** The whole file. */
  async export(
    format: JournalFormat,
    { range = {}, descriptions = false, currency = usd }: ExportOptions = {},
  ): Promise<string> {
    const { pool } = this.ledger
    const client = await this.ledger.connect()
    const chunks: string[] = []
    const keysOf = (walletIds: readonly WalletId[]) => sealingKeysOf(pool, walletIds)
    const parts: ExportParts = {
      client,
      currency,
      write: async (text) => void chunks.push(text),
      ...(descriptions && { keysOf }),
    }
    try {
      await exportJournal(parts, format, range)
      return chunks.join('')
    } finally {
      await client.end()
    }
  }

  /** Every account's balance as the streams say it, in minor units: above zero is owed to it. */
  async balances(): Promise<Map<string, number>> {
    const sums = new Map<string, number>()
    const add = (account: string, minor: number) =>
      sums.set(account, (sums.get(account) ?? 0) + minor)
    for (const recorded of await this.ledger.events()) {
      const event = decodeEvent(recorded.type, recorded.data)
      if (!isEntry(event) || signOf[event.type] === 0) continue
      const minor = walletPostingMinor(event)
      add(recorded.stream.replace('wallet-', 'wallet:'), minor)
      add(counterAccountOf(event), -minor)
    }
    return sums
  }

  async #fill(seed: number): Promise<void> {
    const { ledger, users } = this
    for (const [index, { walletId }] of users.entries()) {
      await this.#eachKind(walletId)
      const commands = fc.array(randomCommand(walletId), { minLength: 40, maxLength: 60 })
      for (const command of fc.sample(commands, { seed: seed + index, numRuns: 1 }).flat())
        await ledger.send(walletId, command)
    }
    const [user] = users
    if (user === undefined) return
    await ledger.send(user.walletId, reactivate)
    for (const [index, text] of hostileTexts.entries()) await this.#hostile(user, index, text)
  }

  /** None is left to chance. */
  async #eachKind(of: WalletId): Promise<void> {
    const { ledger } = this
    await ledger.send(of, service('TopUp', 90_071, 'T-1', of))
    await ledger.send(of, service('ReverseTopUp', 30_000, 'T-2', of))
    await ledger.send(of, service('ReinstateTopUp', 10_000, 'T-3', of))
    await ledger.send(of, service('GrantBonus', 5, 'T-4', of))
    await ledger.send(of, debit(12_345, 'D-1', { of, issuer: shopApp }))
    await ledger.send(of, placeHold(700, 'H-1', { of, issuer: shopApp }))
    await ledger.send(of, captureHold('H-1', 'H-2', { of, issuer: shopApp, amountMinor: 321 }))
    await ledger.send(of, voided('D-2', { of }))
    await ledger.send(of, debit(99_999_999, 'D-3', { of }))
    await ledger.send(of, deactivate)
    await ledger.send(of, debit(1, 'D-4', { of }))
    await ledger.send(of, reactivate)
  }

  async #hostile({ walletId, sealingKey: key }: User, index: number, text: string): Promise<void> {
    const named = reference(`HOSTILE ${text}`.slice(0, 20), `${index} ${text}`)
    const entryId = entryIdOf({ issuer: shopApp, walletId, reference: named })
    if (key === undefined) return
    await this.ledger.send(walletId, {
      type: 'Credit',
      issuer: shopApp,
      entryId,
      reference: named,
      amountMinor: 101 + index,
      description: seal(text, { key, entryId }, systemRandom),
    })
  }
}
