/**
 * The languages that people are spoken to in: the same as the pages have (widget-ui/src/words,
 * test/mails). Values only.
 */
export const languages = ['en', 'de', 'fr', 'es', 'pt', 'pl'] as const

export type Language = (typeof languages)[number]

/** More than any browser sends. */
const wishesMax = 20

/** The first of `Accept-Language` that is spoken here, by the browser's order of preference. */
export function languageWished(acceptLanguage: string | undefined): Language | undefined {
  const wishes = (acceptLanguage ?? '').split(',').slice(0, wishesMax).map(readWish)
  const best = wishes.filter(({ share }) => share > 0).sort((one, other) => other.share - one.share)
  for (const { tag } of best) {
    const found = languageOf(tag)
    if (found !== undefined) return found
  }
  return undefined
}

/** 'de' for 'de-AT'; undefined for one that is not spoken here. */
export function languageOf(tag: string): Language | undefined {
  const [primary = ''] = tag.trim().toLowerCase().split('-')
  return languages.find((language) => language === primary)
}

/** "de-AT;q=0.8": without a share it is the whole. */
function readWish(wish: string): { readonly tag: string; readonly share: number } {
  const [tag = '', parameter] = wish.split(';')
  const share = parameter === undefined ? 1 : Number(/^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1])
  return { tag, share: Number.isNaN(share) ? 0 : share }
}
