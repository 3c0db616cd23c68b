/**
 * The journal for hledger, for Beancount and as lines of JSON. A debit is positive and a credit
 * negative in hledger and Beancount, as their users expect: what the platform owes a person or a
 * client app is a liability and so below zero; JSON has the two columns instead.
 * Promises: amounts are exact; text of others stays one value on one line, whatever it holds.
 */
import type { Currency } from '../../domain/money.js'
import { toMajor } from '../../domain/money.js'
import { columnsOf, decimalText } from './decimal-text.js'
import { accountKinds, beancountAccount, hledgerAccount } from './export-accounts.js'
import type { ExportedEntry, ExportHead, JournalFormat } from './export-journal.js'
import { oneLine } from './export-journal.js'

export const hledgerFormat: JournalFormat = {
  head(head) {
    const { currency } = head
    const sample = `1000.${'0'.repeat(currency.decimals)} ${codeOf(currency)}`
    const kinds = Object.entries(accountKinds).map(
      ([account, kind]) => `account ${account}  ; type: ${kind}\n`,
    )
    const about = comments(head).map((line) => `; ${line}\n`)
    return [...about, '\n', 'decimal-mark .\n', `commodity ${sample}\n`, ...kinds].join('')
  },
  account(account) {
    const name = hledgerAccount(account)
    return name in accountKinds ? '' : `account ${name}\n`
  },
  entry(entry, currency) {
    const tags = factsOf(entry).map(([name, text]) => `    ; ${name}: ${hledgerText(text)}\n`)
    const postings = entry.postings.map(
      ({ account, amountMinor }) =>
        `    ${hledgerAccount(account)}  ${amountText(-amountMinor, currency)}\n`,
    )
    return [`\n${dayOf(entry)} * ${entry.type}\n`, ...tags, ...postings].join('')
  },
}

export const beancountFormat: JournalFormat = {
  head(head) {
    const code = codeOf(head.currency)
    return [
      ...comments(head).map((line) => `; ${line}\n`),
      '\noption "title" "Wallet service"\n',
      `option "operating_currency" "${code}"\n`,
      `${beforeAll} commodity ${code}\n`,
    ].join('')
  },
  account(account, currency) {
    return `${beforeAll} open ${beancountAccount(account)} ${codeOf(currency)}\n`
  },
  entry(entry, currency) {
    const facts = factsOf(entry).map(([name, text]) => `  ${name}: ${beancountText(text)}\n`)
    const postings = entry.postings.map(
      ({ account, amountMinor }) =>
        `  ${beancountAccount(account)}  ${amountText(-amountMinor, currency)}\n`,
    )
    return [`\n${dayOf(entry)} * "${entry.type}"\n`, ...facts, ...postings].join('')
  },
}

export const ndjsonFormat: JournalFormat = {
  head: () => '',
  entry(entry, currency) {
    const { postings, ...facts } = entry
    const lines = postings.map(({ account, amountMinor }) => {
      const { debitMinor, creditMinor } = columnsOf(BigInt(amountMinor))
      const amount = toMajor(Number(debitMinor ?? creditMinor ?? 0n), currency)
      return debitMinor === undefined ? { account, credit: amount } : { account, debit: amount }
    })
    return `${JSON.stringify({ ...facts, currency: currency.code, postings: lines })}\n`
  },
}

/** Before every entry there can be: an account must be open on the day of its first posting. */
const beforeAll = '1970-01-01'

function comments({ position, range }: ExportHead): string[] {
  const { from = 'the first entry', to = 'the last entry' } = range
  const end = range.to === undefined ? `to ${to}` : `to before ${to}`
  return [
    `Journal of the wallet service, from ${from} ${end}, as of position ${position} of the log.`,
    'Debits are positive, credits negative. Below zero on a wallet: what the platform owes the',
    'person; on a client app: what it owes the app. Days are in UTC.',
  ]
}

/** What is told of an entry beside its postings, in the order of the file. */
function factsOf(entry: ExportedEntry): [name: string, text: string][] {
  const { description } = entry
  const facts: [string, string][] = [
    ['entry-id', entry.entryId],
    ['time', entry.time],
    ['revision', String(entry.revision)],
    ['issuer', entry.issuer],
    ['reference-type', entry.referenceType],
    ['reference-id', entry.referenceId],
  ]
  if (description !== undefined && description !== null) facts.push(['description', description])
  return facts
}

/** In a comment of hledger a comma ends a value, and brackets may hold a date. */
function hledgerText(text: string): string {
  return oneLine(text).replaceAll(/[,;[\]"]/g, (character) => {
    return `\\u{${character.charCodeAt(0).toString(16)}}`
  })
}

function beancountText(text: string): string {
  return `"${oneLine(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

function amountText(minor: number, currency: Currency): string {
  return `${decimalText(minor, currency)} ${codeOf(currency)}`
}

function codeOf({ code }: Currency): string {
  return code.toUpperCase()
}

function dayOf({ time }: ExportedEntry): string {
  return time.slice(0, 10)
}
