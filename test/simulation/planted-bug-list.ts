/**
 * The bugs that the simulation must find, each the smallest change that makes it: what somebody
 * might write who did not know why the line stands there. `from` occurs exactly once in its file.
 */
export interface PlantedBug {
  readonly name: string
  readonly changes: readonly {
    readonly file: string
    readonly from: string
    readonly to: string
  }[]
}

const lane = 'src/writing/lane.ts'
const batch = 'src/writing/batch.ts'
const holds = 'src/domain/holds.ts'
const memory = 'src/domain/outcome-memory.ts'
const warmState = 'src/writing/warm-state.ts'
const unknownIsLogged = "this.#parts.log.warn({ err: error }, 'an append has an unknown outcome')"
const topUp = 'src/top-ups/top-up.ts'

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'regrouped retry: after an unknown outcome the commands are decided anew',
    changes: [
      {
        file: lane,
        from: `if (tries === 1) ${unknownIsLogged}`,
        to: "if (tries > 0) return { kind: 'conflict', missing: [] }",
      },
    ],
  },
  {
    name: 'an unknown outcome is taken for written',
    changes: [
      {
        file: lane,
        from: `if (tries === 1) ${unknownIsLogged}`,
        to: "if (tries > 0) return { kind: 'written' }",
      },
    ],
  },
  {
    name: 'answer before append',
    changes: [
      {
        file: lane,
        from: 'const verdict = batch.events.length === 0',
        to:
          'for (const { waiting, answer } of batch.answers) waiting.answer(answer)\n' +
          '      const verdict = batch.events.length === 0',
      },
    ],
  },
  {
    name: 'no revision check in the store',
    changes: [
      {
        file: 'test/support/memory-store.ts',
        from: 'if (written.length - 1 === expectedRevision) {',
        to: 'if (written.length - 1 >= expectedRevision) {',
      },
    ],
  },
  {
    name: 'lost checkpoint: rows are committed without it',
    changes: [
      {
        file: 'test/support/memory-read-tables.ts',
        from: 'tables.checkpoint = { marker, position: last.position, eventId: last.id }',
        to: 'if (tables.wallets.size < 0) tables.checkpoint = { ...tables.checkpoint, marker }',
      },
    ],
  },
  {
    name: 'a batch that is delivered again counts again',
    changes: [
      {
        file: 'projections/projector.ts',
        from: 'batch.events.filter((event) => event.position > checkpoint.position)',
        to: '[...batch.events]',
      },
    ],
  },
  {
    name: 'head id not compared: a lane believes what it folded before the history went back',
    changes: [
      {
        file: lane,
        from: 'if (warm.generation === generation) return\n',
        to: 'warm.generation = generation\n    if (revisionOf(warm) > -2) return\n',
      },
      {
        file: lane,
        from: 'function failAll(',
        to: 'const revisionOf = (warm: WarmState) => warm.wallet.revision\nfunction failAll(',
      },
    ],
  },
  {
    name: 'a cold lane takes the outcomes of its row for all there are after a lost race',
    changes: [
      {
        file: lane,
        from: 'if (isEntry(event) && revision > warm.base) beyond.push(',
        to: 'if (isEntry(event) && revision < warm.base) beyond.push(',
      },
    ],
  },
  {
    name: 'look-up in the rows only',
    changes: [
      {
        file: warmState,
        from: 'this.#memory.outcome(entryId) ?? this.#found.get(entryId)?.outcome',
        to: 'this.#found.get(entryId)?.outcome',
      },
    ],
  },
  {
    name: 'what others wrote is not remembered after a lost race',
    changes: [
      {
        file: lane,
        from: 'if (isEntry(event) && wallet.revision > warm.base)',
        to: 'if (isEntry(event) && wallet.revision < warm.base)',
      },
    ],
  },
  {
    name: 'rows that stepped back are believed',
    changes: [
      { file: lane, from: 'if (revision < warm.base) throw', to: 'if (revision < -1) throw' },
    ],
  },
  {
    name: 'what others wrote and projected is taken for new',
    changes: [
      {
        file: warmState,
        from: 'const isAllKnown = revision <= warm.wallet.revision',
        to: 'const isAllKnown = revision >= -1',
      },
    ],
  },
  {
    name: 'refund memory not rolled back',
    changes: [{ file: memory, from: 'this.#addRefund(outcome, -outcome.amountMinor)', to: '' }],
  },
  {
    name: 'outcomes that were not written stay in memory',
    changes: [{ file: lane, from: 'warm.memory.rollBackTo(warm.wallet.revision)', to: '' }],
  },
  {
    name: 'refunds in the rows are not counted',
    changes: [
      {
        file: warmState,
        from: 'inRow + this.#memory.refundedMinor(entryId)',
        to: 'this.#memory.refundedMinor(entryId) + 0 * inRow',
      },
    ],
  },
  {
    name: 'time runs back',
    changes: [{ file: batch, from: 'now > wallet.time ? now : wallet.time', to: 'now' }],
  },
  {
    name: 'a hold expires a second too early',
    changes: [
      {
        file: holds,
        from: 'return next === undefined || time < next.expiresAt ? undefined :',
        to:
          'const soon = new Date(Date.parse(time) + 1_000).toISOString()\n' +
          '  return next === undefined || soon < next.expiresAt ? undefined :',
      },
      {
        file: holds,
        from: "invariant(data.time >= hold.expiresAt, 'a hold never expires before its time')",
        to: '',
      },
    ],
  },
  {
    name: 'what is held counts for a debit once more',
    changes: [
      {
        file: holds,
        from: '  return balanceMinor - heldMinor\n',
        to: '  return balanceMinor + 0 * heldMinor\n',
      },
    ],
  },
  {
    name: 'the lane decides before it writes what has expired',
    changes: [
      {
        file: batch,
        from: 'for (let due = expiryDue(wallet, time); due !== undefined;',
        to: 'for (let due = bytes < 0 ? expiryDue(wallet, time) : undefined; due !== undefined;',
      },
    ],
  },
  {
    name: 'a sweep finds nothing',
    changes: [
      {
        file: 'src/writing/hold-sweeper.ts',
        from: 'await Promise.all(wallets.map((wallet) => this.#expire(wallet)))',
        to: 'await Promise.all(wallets.map(async () => this.#parts.writer !== undefined))',
      },
    ],
  },
  {
    name: 'settlement books a difference of sums',
    changes: [
      {
        file: topUp,
        from: 'topUpReference(paymentIntentId), amountMinor: receivedMinor }',
        to:
          'topUpReference(paymentIntentId), amountMinor: receivedMinor - ' +
          'payment.refunds.reduce((sum, refund) => sum + refund.amountMinor, 0) }',
      },
    ],
  },
  {
    name: 'a failed refund is given back although it was never taken',
    changes: [
      {
        file: topUp,
        from: 'if (onlyIfBooked !== undefined && !(',
        to: 'if (onlyIfBooked === null && !(',
      },
    ],
  },
  {
    name: 'the answer to a repeat is not called a replay',
    changes: [
      {
        file: lane,
        from: 'waiting.answer(isRepeat ? repeated(answer) : answer)',
        to: 'waiting.answer(isRepeat && answer.replayed ? repeated(answer) : answer)',
      },
    ],
  },
  {
    name: 'a first answer is called a replay',
    changes: [
      {
        file: lane,
        from: 'const isRepeat = verdict.already === true',
        to: 'const isRepeat = verdict.already !== false',
      },
    ],
  },
  {
    name: 'rows of a history that went back are continued with what was read before',
    changes: [
      {
        file: 'projections/projector.ts',
        from: 'if (known === checkpoint.eventId) return',
        to: "if (known === checkpoint.eventId || checkpoint.marker !== '') return",
      },
    ],
  },
  {
    name: 'rows continue with events that were read and then lost with the rest of the log',
    changes: [
      {
        file: 'projections/projector.ts',
        from: '  await requireThere(batch, last)',
        to: '  if (batch.store === null) await requireThere(batch, last)',
      },
    ],
  },
  {
    name: 'a read looks at the rows only',
    changes: [
      {
        file: 'src/reading/wallet-tail.ts',
        from: 'onEvent(next.event, wallet.revision)',
        to: 'if (row === undefined) onEvent(next.event, wallet.revision)',
      },
    ],
  },
]
