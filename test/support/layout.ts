/** Lays out a text as `npm run format` would do with a file of that name. */
import { format, type FormatConfig } from 'oxfmt'
import { textOf } from './repository.js'

export async function laidOut(name: string, text: string): Promise<string> {
  const rules = JSON.parse(textOf('.oxfmtrc.json')) as FormatConfig
  return (await format(name, text, rules)).code
}
