/**
 * Draws documents in a thread of its own, so that nobody's debit waits for somebody's statement.
 * Promises: one at a time, a bounded line, bounded time and memory; the thread ends with its
 * document, also with one that fails. Never: hands the thread the environment, or more than is
 * printed.
 */
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../platform/clock.js'
import { within } from '../../platform/deadline.js'
import { OverloadedError, Turns } from '../../platform/turns.js'
import * as limits from '../limits.js'
import type { DocumentOf, ReceiptLine } from './person-documents.js'
import type { PeriodStatement } from './period-statement.js'

export type PrintJob =
  | { readonly kind: 'statement'; readonly statement: PeriodStatement; readonly of: DocumentOf }
  | { readonly kind: 'receipt'; readonly line: ReceiptLine; readonly of: DocumentOf }

export class DocumentPress {
  readonly #clock: Clock
  readonly #turns: Turns

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock
    this.#turns = new Turns({
      atOnceMax: limits.documentsAtOnceMax,
      waitingMax: limits.documentsWaitingMax,
      wait: { clock, maxMs: limits.documentWaitMs },
    })
  }

  /** Throws OverloadedError: the same may work in a moment. */
  print(job: PrintJob): Promise<Buffer> {
    return this.#turns.run(() => this.#print(job))
  }

  async #print(job: PrintJob): Promise<Buffer> {
    const worker = new Worker(workerFile, {
      workerData: job,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: limits.documentMemoryMb },
    })
    const onLate = (): never => {
      throw new OverloadedError('a document took too long to draw')
    }
    const limitMs = limits.documentDrawingMs
    try {
      return await within(bytesOf(worker), { clock: this.#clock, limitMs, onLate })
    } finally {
      await worker.terminate()
    }
  }
}

function bytesOf(worker: Worker): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    worker.once('message', (bytes: Uint8Array) => resolve(Buffer.from(bytes)))
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that draws ended without a document')))
  })
}

/** The sources, run as they are by tests, use what was built: a thread has no loader of theirs. */
const workerFile = new URL(
  import.meta.url.endsWith('.ts')
    ? '../../../dist/src/audit/documents/pdf-worker.js'
    : './pdf-worker.js',
  import.meta.url,
)
