/**
 * Says a text in the language of this page, with its values put in. One language is loaded at a
 * time (speech.ts loads it, tests give it); whoever says something before that is a mistake of the
 * page. Promises: counts choose the plural by the rules of the language, and are written in it.
 */
import type { Catalog, Key, NamesOf, Plural } from './catalog.js'
import type { Speech } from './languages.js'

let spoken: { readonly speech: Speech; readonly catalog: Catalog } | undefined

export function speak(speech: Speech, catalog: Catalog): void {
  spoken = { speech, catalog }
}

export function currentSpeech(): Speech {
  return inSpeech().speech
}

/** Nothing to give where the text takes nothing. */
type Values<Of extends Key, Value> = [NamesOf<Of>] extends [never]
  ? []
  : [values: { readonly [Name in NamesOf<Of>]: Name extends 'count' ? number : Value }]

export function say<Of extends Key>(key: Of, ...[values]: Values<Of, string | number>): string {
  return partsOf(key, values ?? {}).join('')
}

/** As `say`, for values that are elements of the page: the pieces in their order. */
export function sayAround<Of extends Key, Element>(
  key: Of,
  ...[values]: Values<Of, string | number | Element>
): (string | number | Element)[] {
  return partsOf<string | number | Element>(key, values ?? {})
}

function partsOf<Value>(key: Key, values: Readonly<Record<string, Value>>): (string | Value)[] {
  const { speech, catalog } = inSpeech()
  const { count } = values
  const text = wordsOf(catalog[key], count, speech)
  // Every second piece is a name.
  return text.split(/\{(\w+)\}/).map((piece, index) => {
    if (index % 2 === 0) return piece
    if (piece === 'count') return new Intl.NumberFormat(speech.locale).format(Number(count))
    return values[piece] ?? ''
  })
}

function wordsOf(text: string | Plural, count: unknown, { language }: Speech): string {
  if (typeof text === 'string') return text
  const category = new Intl.PluralRules(language).select(Number(count))
  return text[category as keyof Plural] ?? text.other
}

function inSpeech() {
  if (spoken === undefined) throw new Error('no language is loaded yet')
  return spoken
}
