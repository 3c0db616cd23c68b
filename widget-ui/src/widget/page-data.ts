/**
 * What the server wrote into this page: whose it is, whom it may post to, how it pays. Promises:
 * every field is there, whatever the block holds; a page opened without a server (or with a block
 * that is no JSON) knows no app, posts to nobody and cannot pay. Never: reads the address; that is
 * opening.ts.
 */
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'

const nothing: PageData = {
  service: { name: null, logo: null, support: null, terms: null, privacy: null },
  language: null,
  clientId: null,
  brand: null,
  accent: null,
  parentOrigins: [],
  openerOrigins: [],
  session: 'none',
  isPersons: false,
  currency: { code: 'usd', decimals: 2 },
  payments: { kind: 'off', publishableKey: null, testMode: false, minimum: 0, maximum: 0 },
  sendsMail: false,
  problem: 'APP_UNKNOWN',
}

export function readPageData(): PageData {
  const text = document.getElementById('page-data')?.textContent
  if (text === undefined) return nothing
  try {
    return { ...nothing, ...(JSON.parse(text) as Partial<PageData>) }
  } catch {
    return nothing
  }
}
