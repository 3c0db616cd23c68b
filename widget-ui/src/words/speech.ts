/**
 * Which language this page speaks, and loading it: what the loader asked for, what the person has
 * chosen, what the browser prefers, in this order. Promises: one language is loaded, and a page
 * that cannot load it says nothing rather than half; words, amounts, dates and `lang` change
 * together. The choice is kept by the browser, where that is allowed.
 */
import type { Catalog } from './catalog.js'
import { chooseSpeech, languageOf, type Language, type Speech } from './languages.js'
import { speak } from './say.js'

const loads: Readonly<Record<Language, () => Promise<Catalog>>> = {
  en: async () => (await import('./en/english.js')).english,
  de: async () => (await import('./de/german.js')).german,
  fr: async () => (await import('./fr/french.js')).french,
  es: async () => (await import('./es/spanish.js')).spanish,
  pt: async () => (await import('./pt/portuguese.js')).portuguese,
  pl: async () => (await import('./pl/polish.js')).polish,
}

export interface Wishes {
  /** What the loader asked for. */
  readonly locale?: string | undefined
  /** What the person has chosen, where the service knows it. */
  readonly language?: string | null | undefined
}

/** Before the first word. */
export async function loadSpeech({ locale, language }: Wishes): Promise<void> {
  await load(chooseSpeech([locale, withRegion(language), withRegion(keptLanguage()), ...browser()]))
}

/** True where the host page chooses: the person's choice would change nothing. */
export function isChosenByHost({ locale }: Wishes): boolean {
  return languageOf(locale) !== undefined
}

/** The person has chosen, for this page and the next ones. */
export async function changeLanguage(language: Language): Promise<void> {
  inStorage((storage) => storage.setItem(storageKey, language))
  await load({ language, locale: withRegion(language) ?? language })
}

/** The browser may know the region: 'de-CH' writes amounts in its own way. */
function withRegion(language: string | null | undefined): string | undefined {
  if (language === null || language === undefined) return undefined
  return browser().find((tag) => languageOf(tag) === language) ?? language
}

function browser(): readonly string[] {
  return navigator.languages
}

/** A line that broke once rarely breaks twice. */
const againMs = 1_000

async function load(speech: Speech): Promise<void> {
  const loading = loads[speech.language]
  const catalog = await loading().catch(async () => {
    await new Promise((resolve) => setTimeout(resolve, againMs))
    return loading()
  })
  speak(speech, catalog)
  const root = document.documentElement
  root.lang = speech.locale
  root.dataset['locale'] = speech.locale
}

const storageKey = 'wallet language'

function keptLanguage(): string | undefined {
  return inStorage((storage) => storage.getItem(storageKey)) ?? undefined
}

/** Undefined where the browser blocks it; already naming it throws then. */
function inStorage<Value>(work: (storage: Storage) => Value): Value | undefined {
  try {
    return work(localStorage)
  } catch {
    return undefined
  }
}
