/** The language of amounts and dates: what the loader asked for, else the browser's own. */
export function pageLanguage(): string {
  return document.documentElement.dataset['locale'] ?? navigator.language
}
