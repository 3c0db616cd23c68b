/**
 * The languages that people's pages speak, and which of them a page speaks: the first wish that
 * names one of them, with its region for amounts and dates. Values only. Never: mixes two
 * languages; a wish that cannot be spoken is left aside as a whole.
 */
export const languages = ['en', 'de', 'fr', 'es', 'pt', 'pl'] as const

export type Language = (typeof languages)[number]

/** Each in its own language: whoever looks for theirs may not read the one that is shown. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  pl: 'Polski',
}

export interface Speech {
  readonly language: Language
  /** The same language, perhaps with a region, for Intl: 'de-AT'. */
  readonly locale: string
}

/** `wishes` in their order: the loader's, the person's, then those of the browser. */
export function chooseSpeech(wishes: readonly (string | null | undefined)[]): Speech {
  for (const wish of wishes) {
    const language = languageOf(wish)
    if (language !== undefined && wish) return { language, locale: wish }
  }
  return { language: 'en', locale: 'en' }
}

/** 'de' for 'de-AT'; undefined for a language that is not spoken here. */
export function languageOf(tag: string | null | undefined): Language | undefined {
  const [primary = ''] = (tag ?? '').toLowerCase().split('-')
  return languages.find((language) => language === primary)
}
