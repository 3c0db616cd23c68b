/**
 * The thread that draws one document and ends: what it is given it draws, and answers with the
 * bytes. Nobody imports it; document-press.ts starts it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { receiptPdf, statementPdf } from './person-documents.js'
import type { PrintJob } from './document-press.js'

const job = workerData as PrintJob
const bytes =
  job.kind === 'statement'
    ? await statementPdf(job.statement, job.of)
    : await receiptPdf(job.line, job.of)
parentPort?.postMessage(bytes)
