// Several processes on one PostgreSQL: racing for the same wallets, and killed at any moment.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import type { Test } from 'tap'
import { rebuild } from '../../projections/rebuild.js'
import type { WalletId } from '../../src/domain/ids.js'
import { streamOf } from '../../src/domain/ids.js'
import { emptyWallet, outcomeOf } from '../../src/domain/wallet.js'
import type { Outcome, Wallet } from '../../src/domain/wallet.js'
import { isEntry } from '../../src/domain/wallet-events.js'
import { readNext } from '../../src/domain/wallet-stream.js'
import { newWalletId, TestDatabaseLedger } from '../support/ledger.js'
import { propertySeed } from '../support/property.js'
import { programArgs } from '../support/child-program.js'

t.test(
  'two processes on the same wallets: one outcome a reference, every answer true',
  async (t) => {
    const ledger = await TestDatabaseLedger.open(t)
    const wallets = Array.from({ length: 10 }, newWalletId)
    const seed = propertySeed(t)
    const children = [0, 1].map((index) =>
      start(t, ledger.url, wallets, { seed: seed + index, rounds: 60, project: index === 0 }),
    )
    const answers = (await Promise.all(children.map((child) => child.answers()))).flat()

    const truth = await outcomesInStreams(ledger, wallets)
    t.ok(answers.length > 1_000, `${answers.length} answers`)
    const wrong = answers.filter(
      ({ outcome }) => JSON.stringify(truth.get(outcome.entryId)) !== JSON.stringify(outcome),
    )
    t.same(wrong, [], 'every answer is the outcome in the stream')
    const used = new Set(answers.map(({ outcome }) => outcome.entryId))
    t.ok(answers.length > used.size * 1.5, 'references did overlap')
    // Folding the streams has proved that no hold gave more than it held, and each had one end.
    const kinds = new Set([...truth.values()].map(({ type }) => type))
    for (const type of ['HoldPlaced', 'HoldCaptured', 'HoldReleased', 'CaptureDeclined'])
      t.ok([...kinds].includes(type as Outcome['type']), `${type} took part`)
  },
)

t.test('killed at any moment and started again, projections equal a rebuild', async (t) => {
  const ledger = await TestDatabaseLedger.open(t)
  const wallets = Array.from({ length: 5 }, newWalletId)
  const seed = propertySeed(t)
  const answers: GivenAnswer[] = []
  for (let kill = 0; kill < 5; kill += 1) {
    const options = { seed: seed + kill, rounds: 1_000_000, project: true }
    const child = start(t, ledger.url, wallets, options)
    answers.push(...(await child.killAfter(40 + ((seed + kill * 67) % 200))))
  }
  const truth = await outcomesInStreams(ledger, wallets)
  for (const { outcome } of answers)
    if (JSON.stringify(truth.get(outcome.entryId)) !== JSON.stringify(outcome))
      t.fail('an acknowledged answer is not in the stream', { outcome })
  t.ok(truth.size > 100, `${truth.size} references`)

  await ledger.project()
  const before = await ledger.rows()
  await rebuild({ store: ledger.store, connect: ledger.connect })
  t.same(await ledger.rows(), before)
})

interface GivenAnswer {
  readonly walletId: WalletId
  readonly outcome: Outcome
}

/** A writer process that ends by itself, or after a number of answers by SIGKILL. */
function start(
  t: Test,
  url: string,
  wallets: readonly WalletId[],
  options: { seed: number; rounds: number; project: boolean },
) {
  const program = programArgs(new URL('writer-child.ts', import.meta.url))
  const { seed, rounds, project } = options
  const values = [url, wallets.join(), String(seed), String(rounds), project ? 'project' : '-']
  const child = spawn(process.execPath, [...program, ...values], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const ended = once(child, 'close')
  // A line that the kill cut in two was never a whole answer.
  const parsed = (): GivenAnswer[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as GivenAnswer)
  return {
    async answers(): Promise<GivenAnswer[]> {
      const [code] = (await ended) as [number | null]
      if (code !== 0) throw new Error(`a writer process ended with ${code}`)
      return parsed()
    },
    async killAfter(lines: number): Promise<GivenAnswer[]> {
      await untilLines(child, lines)
      child.kill('SIGKILL')
      await ended
      return parsed()
    },
  }
}

function untilLines(child: ChildProcess, lines: number): Promise<void> {
  let seen = 0
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: string) => {
      seen += chunk.split('\n').length - 1
      if (seen >= lines) resolve()
    })
    child.once('close', () => reject(new Error('the writer process ended early')))
  })
}

/** Reads every stream with the chain checked; a second outcome of a reference fails the test. */
async function outcomesInStreams(ledger: TestDatabaseLedger, wallets: readonly WalletId[]) {
  const outcomes = new Map<string, Outcome>()
  for (const walletId of wallets) {
    let wallet: Wallet = emptyWallet(walletId)
    const options = { fromRevision: 0, maxCount: 1_000_000 }
    for await (const recorded of ledger.store.readStream(streamOf(walletId), options)) {
      const next = readNext(wallet, recorded)
      wallet = next.wallet
      if (!isEntry(next.event)) continue
      const outcome = outcomeOf(walletId, next.event, recorded.revision)
      if (outcomes.has(outcome.entryId)) throw new Error(`two outcomes of ${outcome.entryId}`)
      outcomes.set(outcome.entryId, outcome)
    }
  }
  return outcomes
}
