/**
 * An accent colour that can be read. Promises: whatever colour a client app chose, text in it on
 * our surfaces, and our text on it, has at least 4.5 : 1 (WCAG), in light and in dark; a colour
 * that passes already is left as it is. As a fill on light surfaces it is always left as it is: a
 * light one takes dark text. Values only: theme.ts puts them on the page.
 */
export interface AccentPalette {
  readonly accent: string
  /** Under the pointer: a step further away from the surface. */
  readonly strong: string
  /** On the accent. */
  readonly text: string
  /** A hint of the accent on the surface. */
  readonly quiet: string
  /** Behind a text, such as a button's. */
  readonly fill: string
  readonly fillStrong: string
  /** On the fill. */
  readonly fillText: string
}

export const contrastMin = 4.5

/** The surfaces of tokens.css that an accent stands on; the one nearest to it decides. */
export const surfaces = {
  light: ['#ffffff', '#f5f6f8', '#eef0f4'],
  dark: ['#0e1116', '#161a21', '#1d222b', '#1f252f'],
} as const

/** Undefined when the text is no '#rrggbb'. */
export function accentPalettes(
  accent: string,
): { readonly light: AccentPalette; readonly dark: AccentPalette } | undefined {
  const colour = parse(accent)
  if (colour === undefined) return undefined
  const light = palette(colour, { towards: black, surfaces: surfaces.light, text: '#ffffff' })
  return {
    light: { ...light, ...fillOf(colour, light) },
    dark: palette(colour, { towards: white, surfaces: surfaces.dark, text: darkText }),
  }
}

/** From 1 (the same) to 21 (black on white). */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(parse(one) ?? black), luminance(parse(other) ?? black)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

type Colour = readonly [number, number, number]

const black: Colour = [0, 0, 0]
const white: Colour = [255, 255, 255]

const steps = 50

const darkText = '#0e1116'

interface Ground {
  readonly towards: Colour
  readonly surfaces: readonly string[]
  readonly text: string
}

function palette(colour: Colour, { towards, surfaces: grounds, text }: Ground): AccentPalette {
  let step = 0
  let accent = format(colour)
  while (step < steps && grounds.some((ground) => contrast(accent, ground) < contrastMin)) {
    step += 1
    accent = format(mix(colour, towards, step / steps))
  }
  const readable = parse(accent) ?? colour
  const [ground = ''] = grounds
  return {
    accent,
    strong: format(mix(readable, towards, 0.2)),
    text,
    quiet: format(mix(parse(ground) ?? white, readable, 0.1)),
    fill: accent,
    fillStrong: format(mix(readable, towards, 0.2)),
    fillText: text,
  }
}

/** The colour as it was chosen, where one of our two text colours can be read on it. */
function fillOf(colour: Colour, { fill: readable, ...rest }: AccentPalette) {
  const fill = format(colour)
  if (contrast(fill, '#ffffff') >= contrastMin) return { fill }
  if (contrast(fill, darkText) < contrastMin) return { fill: readable, ...rest }
  return { fill, fillStrong: format(mix(colour, white, 0.25)), fillText: darkText }
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const part = (index: 0 | 1 | 2): number =>
    Math.round(from[index] + (to[index] - from[index]) * share)
  return [part(0), part(1), part(2)]
}

/** The relative luminance of WCAG 2. */
function luminance([red, green, blue]: Colour): number {
  const linear = (value: number): number => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function parse(text: string): Colour | undefined {
  const [, red = '', green = '', blue = ''] =
    /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text) ?? []
  if (red === '') return undefined
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)]
}

function format(colour: Colour): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
