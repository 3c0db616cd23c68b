/**
 * The look that the client app and the host page chose, put on this page: accent, light or dark,
 * direction, corners. In a frame the page has no ground of its own.
 * Promises: an accent that cannot be read is darkened or lightened first (contrast.ts);
 * a value that is none changes nothing. Set through the style object of the root element, which a
 * policy of own styles only allows.
 */
import { accentPalettes } from './contrast.js'
import { isFramed } from './messages.js'
import type { Opening } from './opening.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'

export function applyLook(
  { accent }: Pick<PageData, 'accent'>,
  opening: Omit<Opening, 'session' | 'amount' | 'hasLoader' | 'locale'>,
): void {
  const root = document.documentElement
  const { theme, radiusPx, background = isFramed() ? 'transparent' : 'plain' } = opening
  if (theme !== undefined) root.dataset['theme'] = theme
  root.dataset['background'] = background
  root.dir = opening.direction
  if (radiusPx !== undefined) {
    root.style.setProperty('--radius-large', `${radiusPx}px`)
    root.style.setProperty('--radius', `${Math.min(radiusPx, 8)}px`)
  }
  const palettes = accent === null ? undefined : accentPalettes(accent)
  if (palettes === undefined) return
  const { light, dark } = palettes
  const values = {
    '--accent': `light-dark(${light.accent}, ${dark.accent})`,
    '--accent-strong': `light-dark(${light.strong}, ${dark.strong})`,
    '--accent-text': `light-dark(${light.text}, ${dark.text})`,
    '--accent-quiet': `light-dark(${light.quiet}, ${dark.quiet})`,
    '--accent-fill': `light-dark(${light.fill}, ${dark.fill})`,
    '--accent-fill-strong': `light-dark(${light.fillStrong}, ${dark.fillStrong})`,
    '--accent-fill-text': `light-dark(${light.fillText}, ${dark.fillText})`,
    '--focus': `light-dark(${light.accent}, ${dark.accent})`,
  }
  for (const [name, value] of Object.entries(values)) root.style.setProperty(name, value)
}

/** What a tab, a window or a list of frames is called. */
export function nameDocument(title: string, { brand }: Pick<PageData, 'brand'>): void {
  document.title = brand === null ? title : `${title} · ${brand}`
}
