/**
 * The sheet that statements and receipts are drawn on: A4, one font that has all Latin, Greek and
 * Cyrillic letters and is embedded, page numbers. Promises: the same content gives the same
 * drawing. A character that the font lacks becomes its empty box. Takes half a second at least, for
 * the font is read anew: it belongs into a thread of its own (document-press.ts).
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import PdfDocument from 'pdfkit'

export interface SheetHead {
  readonly title: string
  readonly serviceName: string
  readonly language: string
  readonly madeAt: Date
}

export interface Column {
  readonly title: string
  /** From the left edge of the text. */
  readonly x: number
  readonly width: number
  readonly isRight?: true
}

export interface Row {
  readonly cells: readonly string[]
  /** In grey below the cells, in the second column. */
  readonly note?: string | undefined
}

const margin = 48
const sheet = { width: 595.28, height: 841.89 }
export const textWidth = sheet.width - 2 * margin
const bottom = sheet.height - margin - 40
const colours = { text: '#1a1c1f', quiet: '#5c6470', line: '#d5d9df' }

export class PdfSheet {
  readonly #document: PDFKit.PDFDocument
  readonly #head: SheetHead
  readonly #bytes: Promise<Buffer>

  constructor(head: SheetHead) {
    this.#head = head
    const { title, serviceName, language, madeAt } = head
    this.#document = new PdfDocument({
      size: 'A4',
      margin,
      bufferPages: true,
      lang: language,
      displayTitle: true,
      info: { Title: `${title} – ${serviceName}`, Producer: serviceName, CreationDate: madeAt },
    })
    this.#bytes = bytesOf(this.#document)
    this.#document.registerFont('plain', fontFile('DejaVuSansCondensed'))
    this.#document.registerFont('bold', fontFile('DejaVuSansCondensed-Bold'))
    this.#drawHead()
  }

  /** Pairs of a label and a value, one below the other. */
  facts(pairs: readonly (readonly [string, string])[]): void {
    const labelWidth = 150
    for (const [label, value] of pairs) {
      const y = this.#document.y
      const { height } = this.#textAt(value, margin + labelWidth, y, textWidth - labelWidth)
      this.#quiet(() => this.#textAt(label, margin, y, labelWidth - 8))
      this.#document.y = y + height + 4
    }
    this.#document.y += 10
  }

  /** Large, such as the amount of a receipt. */
  figure(text: string): void {
    this.#document.font('bold').fontSize(24).fillColor(colours.text)
    this.#document.text(text, margin, this.#document.y, { width: textWidth })
    this.#document.y += 12
  }

  paragraph(text: string): void {
    this.#textAt(text, margin, this.#document.y, textWidth)
    this.#document.y += 8
  }

  table(columns: readonly Column[], rows: readonly Row[]): void {
    this.#drawColumns(columns)
    for (const row of rows) this.#drawRow(columns, row)
  }

  /** Adds `footer` and the number to each page. */
  end(footer: (page: number, pages: number) => readonly string[]): Promise<Buffer> {
    const document = this.#document
    const { count } = document.bufferedPageRange()
    for (let page = 0; page < count; page += 1) {
      document.switchToPage(page)
      // Below the text's bottom: without this a new page would begin.
      document.page.margins.bottom = 0
      this.#quiet(() => {
        document.fontSize(7)
        footer(page + 1, count).forEach((text, line) => {
          const y = sheet.height - margin - 20 + line * 10
          document.text(text, margin, y, { width: textWidth, lineBreak: false })
        })
      })
    }
    document.end()
    return this.#bytes
  }

  #drawHead(): void {
    const { title, serviceName } = this.#head
    const document = this.#document
    this.#quiet(() => document.fontSize(10).text(serviceName, margin, margin))
    document.font('bold').fontSize(20).fillColor(colours.text).text(title)
    document.y += 12
  }

  #drawColumns(columns: readonly Column[]): void {
    const { y } = this.#document
    this.#quiet(() => {
      for (const column of columns)
        this.#textAt(column.title, margin + column.x, y, column.width, column.isRight)
    })
    this.#document.y = y + 14
    this.#line()
  }

  #drawRow(columns: readonly Column[], { cells, note }: Row): void {
    const document = this.#document
    const [, second] = columns
    document.font('plain').fontSize(9)
    const heights = columns.map(({ width }, index) =>
      document.heightOfString(cells[index] ?? '', { width }),
    )
    const cellHeight = Math.max(...heights)
    const noteWidth = second?.width ?? textWidth
    document.fontSize(7)
    const noteHeight = note === undefined ? 0 : document.heightOfString(note, { width: noteWidth })
    const height = cellHeight + noteHeight + 8
    if (document.y + height > bottom) {
      document.addPage()
      this.#drawColumns(columns)
    }
    const y = document.y + 2
    for (const [index, column] of columns.entries())
      this.#textAt(cells[index] ?? '', margin + column.x, y, column.width, column.isRight)
    if (note !== undefined)
      this.#quiet(() => {
        document.fontSize(7)
        document.text(note, margin + (second?.x ?? 0), y + cellHeight, { width: noteWidth })
      })
    document.y = y + cellHeight + noteHeight + 4
    this.#line()
  }

  #line(): void {
    const document = this.#document
    document.strokeColor(colours.line).lineWidth(0.5)
    document
      .moveTo(margin, document.y)
      .lineTo(margin + textWidth, document.y)
      .stroke()
  }

  #textAt(text: string, x: number, y: number, width: number, isRight?: true): { height: number } {
    const document = this.#document
    if (!this.#isQuiet) document.font('plain').fontSize(9).fillColor(colours.text)
    document.text(text, x, y, { width, align: isRight === true ? 'right' : 'left' })
    return { height: document.y - y }
  }

  #isQuiet = false

  #quiet(draw: () => void): void {
    this.#document.font('plain').fontSize(8).fillColor(colours.quiet)
    this.#isQuiet = true
    draw()
    this.#isQuiet = false
  }
}

function bytesOf(document: PDFKit.PDFDocument): Promise<Buffer> {
  const pieces: Buffer[] = []
  return new Promise((resolve, reject) => {
    document.on('data', (piece: Buffer) => pieces.push(piece))
    document.on('end', () => resolve(Buffer.concat(pieces)))
    document.on('error', reject)
  })
}

function fontFile(name: string): Buffer {
  const { resolve } = createRequire(import.meta.url)
  return readFileSync(resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`))
}
