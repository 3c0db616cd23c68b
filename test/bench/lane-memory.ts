/**
 * What an active wallet costs in memory: what the heap holds after a collection with the lanes of
 * so many wallets, and without them. The wallets have more entries than a lane remembers, so each
 * lane knows its wallet's state alone, as those of all long-lived wallets do. What the process
 * remembers of its last events is bounded and not counted: it is no wallet's.
 * `npm run bench -- --memory --lanes 10000`.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { WalletId } from '../../src/domain/ids.js'
import { smallWalletEventsMax } from '../../src/limits.js'
import { newWalletId } from '../support/ledger.js'
import { benchCommand, FilledLedger } from './filled-ledger.js'
import { atOnce, writerOn } from './growth.js'
import type { Section } from './report.js'
import { whole } from './report.js'

const clients = 64
const goalBytes = 2 * 1024

export interface MemoryOptions {
  readonly lanes: number
  readonly say: (line: string) => void
}

export async function memorySection({ lanes, say }: MemoryOptions): Promise<Section> {
  const ledger = await FilledLedger.open()
  try {
    const wallets = Array.from({ length: lanes }, newWalletId)
    say(`filling ${whole(lanes)} wallets …`)
    await each(wallets, (walletId) => ledger.fill(walletId, smallWalletEventsMax + 1, 1_000))
    await ledger.projectAll()
    const rows: string[][] = []
    let mostBytes = 0
    for (const debits of [1, 2, 10]) {
      say(`${debits} debits of each …`)
      const bytes = await bytesOfALane(ledger, wallets, debits)
      mostBytes = Math.max(mostBytes, bytes)
      rows.push([whole(debits), whole(bytes)])
    }
    const verdict = mostBytes <= goalBytes ? 'met' : 'MISSED'
    return {
      name: 'memory',
      title: 'Memory of an active wallet',
      tables: [{ head: ['debits of each wallet', 'bytes a wallet'], rows }],
      notes: [
        `${whole(lanes)} wallets with ${smallWalletEventsMax + 1} entries each before; what is ` +
          'free again when their lanes are let go of, and nothing else.',
        '',
        `- ${verdict}: at most 2 kB a wallet without remembered outcomes`,
      ],
    }
  } finally {
    await ledger.close()
  }
}

/** The lanes' own: the read models have caught up, so nothing is remembered for their sake. */
async function bytesOfALane(
  ledger: FilledLedger,
  wallets: readonly WalletId[],
  debits: number,
): Promise<number> {
  let writer: ReturnType<typeof writerOn> | undefined = writerOn(ledger, wallets.length)
  const { recent } = writer
  for (let round = 0; round < debits; round += 1) {
    references += 1
    const id = `MEMORY-${references}`
    await each(wallets, async (walletId) => {
      await writer?.execute(walletId, benchCommand('Debit', walletId, id))
    })
    await ledger.projectAll()
  }
  const withLanes = heapBytes()
  writer = undefined
  const without = heapBytes()
  // It was part of both.
  recent.takeSuspects()
  return (withLanes - without) / wallets.length
}

let references = 0

function each(
  wallets: readonly WalletId[],
  work: (walletId: WalletId) => Promise<void>,
): Promise<void> {
  return atOnce(clients, wallets.length, async (place) => {
    const walletId = wallets[place]
    if (walletId !== undefined) await work(walletId)
  })
}

/** What lives: nothing else tells it from what waits to be collected. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
