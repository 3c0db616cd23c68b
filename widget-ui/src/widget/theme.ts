/**
 * The look that the client app and the host page chose, put on this page: accent, light or dark,
 * direction. Promises: an accent that cannot be read is darkened or lightened first (contrast.ts);
 * a value that is none changes nothing. Set through the style object of the root element, which a
 * policy of own styles only allows.
 */
import { accentPalettes } from './contrast.js'
import type { Opening } from './opening.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'

export function applyLook(
  { accent, brand }: Pick<PageData, 'accent' | 'brand'>,
  { theme, direction }: Pick<Opening, 'theme' | 'direction'>,
): void {
  const root = document.documentElement
  if (theme !== undefined) root.dataset['theme'] = theme
  root.dir = direction
  if (brand !== null) document.title = `${document.title} · ${brand}`
  const palettes = accent === null ? undefined : accentPalettes(accent)
  if (palettes === undefined) return
  const { light, dark } = palettes
  const values = {
    '--accent': `light-dark(${light.accent}, ${dark.accent})`,
    '--accent-strong': `light-dark(${light.strong}, ${dark.strong})`,
    '--accent-text': `light-dark(${light.text}, ${dark.text})`,
    '--accent-quiet': `light-dark(${light.quiet}, ${dark.quiet})`,
    '--focus': `light-dark(${light.accent}, ${dark.accent})`,
  }
  for (const [name, value] of Object.entries(values)) root.style.setProperty(name, value)
}
