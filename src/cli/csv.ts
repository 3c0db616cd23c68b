/**
 * CSV as RFC 4180 has it, and safe to open in a spreadsheet: text that would be taken for a formula
 * gets an apostrophe in front. Numbers stay numbers.
 */
export type CsvValue = string | number | boolean | null

export function csvLine(values: readonly CsvValue[]): string {
  return values.map(csvField).join(',')
}

function csvField(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
