/**
 * Statements and receipts as PDF, in the person's language, zone and currency. Promises: every
 * figure is the ledger's, printed and never calculated with; what an entry was for stands first,
 * in the words of who booked it. Never: shows an entry that moved no money.
 */
import type { Currency } from '../../domain/money.js'
import { toMajor } from '../../domain/money.js'
import type { WalletEvent } from '../../domain/wallet-events.js'
import type { StatementLine } from '../books/statement.js'
import { documentWords, filled } from './document-words.js'
import type { DocumentLanguage, DocumentWords, Kind } from './document-words.js'
import { PdfSheet, textWidth } from './pdf-sheet.js'
import type { PeriodStatement } from './period-statement.js'
import { appOf } from './statement-csv.js'

export interface DocumentOf {
  readonly serviceName: string
  /** Name and email, as far as they are known. */
  readonly person: string
  readonly language: DocumentLanguage
  /** An IANA name such as Europe/Berlin. */
  readonly timeZone: string
  readonly currency: Currency
  /** By clientId. */
  readonly brands: ReadonlyMap<string, string>
  readonly madeAt: Date
  /** Where a proof is checked. */
  readonly verifyAddress: string
}

export function statementPdf(statement: PeriodStatement, of: DocumentOf): Promise<Buffer> {
  const words = documentWords[of.language]
  const print = printerOf(of)
  const sheet = new PdfSheet({ ...of, title: words.statement })
  // To is the first moment that no longer counts.
  const lastMs = Date.parse(statement.to) - 1
  sheet.facts([
    [words.account, of.person],
    [words.wallet, statement.walletId],
    [words.period, `${print.day(statement.from)} – ${print.day(new Date(lastMs).toISOString())}`],
    [words.opening, print.money(statement.openingMinor)],
    [words.moneyIn, print.signed(statement.inMinor)],
    [words.moneyOut, print.signed(-statement.outMinor)],
    [words.closing, print.money(statement.closingMinor)],
  ])
  if (statement.lines.length === 0) sheet.paragraph(words.nothing)
  else sheet.table(columnsOf(words), statement.lines.map(rowOf(words, print, of)))
  const { revision, hash } = statement
  const values = { revision: String(revision), hash: hash.slice(0, 16), address: of.verifyAddress }
  const checked = revision < 0 ? '' : filled(words.check, values)
  return sheet.end((page, pages) => [`${print.made()}   ·   ${print.page(page, pages)}`, checked])
}

/** One entry that moved money. */
export interface ReceiptLine extends Pick<
  StatementLine,
  'time' | 'event' | 'changeMinor' | 'balanceMinor' | 'description' | 'issuer' | 'referenceId'
> {
  readonly entryId: string
}

export function receiptPdf(line: ReceiptLine, of: DocumentOf): Promise<Buffer> {
  const words = documentWords[of.language]
  const print = printerOf(of)
  const sheet = new PdfSheet({ ...of, title: words.receipt })
  sheet.figure(print.signed(line.changeMinor))
  const app = appOf(line, of.brands)
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    [words.entry, words.kinds[kindOf(line.event)]],
    [words.whatFor, line.description],
    [words.app, app],
    [words.date, print.time(line.time)],
    [words.account, of.person],
    [words.reference, line.referenceId],
    [words.entryId, line.entryId],
    [words.balanceAfter, print.money(line.balanceMinor)],
  ]
  sheet.facts(facts.flatMap(([label, value]) => (value ? [[label, value] as const] : [])))
  return sheet.end((page, pages) => [`${print.made()}   ·   ${print.page(page, pages)}`])
}

/** What an entry is to people. */
function kindOf(event: WalletEvent['type']): Kind {
  return kinds[event] ?? 'payment'
}

const kinds: Readonly<Partial<Record<WalletEvent['type'], Kind>>> = {
  WalletCredited: 'credit',
  WalletToppedUp: 'topUp',
  TopUpReversed: 'topUpTaken',
  TopUpReinstated: 'topUpRestored',
  BonusGranted: 'bonus',
}

function columnsOf(words: DocumentWords) {
  return [
    { title: words.date, x: 0, width: 92 },
    { title: words.entry, x: 98, width: textWidth - 98 - 190 },
    { title: words.amount, x: textWidth - 180, width: 85, isRight: true },
    { title: words.balance, x: textWidth - 90, width: 90, isRight: true },
  ] as const
}

function rowOf(words: DocumentWords, print: Printer, { brands }: DocumentOf) {
  return (line: StatementLine) => {
    const kind = words.kinds[kindOf(line.event)]
    const title = line.description === null ? kind : line.description
    const about = [line.description === null ? undefined : kind, appOf(line, brands)]
    const note = [...about, line.referenceId ?? undefined].filter((part) => part !== undefined)
    return {
      cells: [
        print.time(line.time),
        title,
        print.signed(line.changeMinor),
        print.money(line.balanceMinor),
      ],
      note: note.length === 0 ? undefined : note.join(' · '),
    }
  }
}

type Printer = ReturnType<typeof printerOf>

function printerOf({ language, timeZone, currency, madeAt }: DocumentOf) {
  const style = { style: 'currency', currency: currency.code.toUpperCase() } as const
  const digits = {
    minimumFractionDigits: currency.decimals,
    maximumFractionDigits: currency.decimals,
  }
  const money = new Intl.NumberFormat(language, { ...style, ...digits })
  const signed = new Intl.NumberFormat(language, { ...style, ...digits, signDisplay: 'exceptZero' })
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone })
  const time = new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  })
  const words = documentWords[language]
  return {
    money: (minor: number) => money.format(toMajor(minor, currency)),
    signed: (minor: number) => signed.format(toMajor(minor, currency)),
    day: (iso: string) => day.format(new Date(iso)),
    time: (iso: string) => time.format(new Date(iso)),
    made: () => filled(words.made, { time: time.format(madeAt), zone: timeZone }),
    page: (page: number, pages: number) =>
      filled(words.page, { page: String(page), pages: String(pages) }),
  }
}
