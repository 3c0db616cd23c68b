/**
 * CSV as RFC 4180 has it, and safe to open in a spreadsheet: text that would be taken for a formula
 * gets an apostrophe in front, also behind blanks and newlines and with the full-width signs of
 * East Asian keyboards, and what could control a terminal is shown as a dot. Numbers stay numbers.
 */
export type CsvValue = string | number | boolean | null

export function csvLine(values: readonly CsvValue[]): string {
  return values.map(csvField).join(',')
}

function csvField(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = value.replaceAll(/[^\P{C}\n]/gu, '·')
  const harmless = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Spreadsheets drop what stands before the sign, and take the wide signs for the narrow ones. */
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/u
