/**
 * Bar charts as SVG text, for pages that a browser or GitHub shows in light and in dark. Pure.
 */

export interface Bar {
  readonly label: string
  /** One after the other in the bar. */
  readonly values: readonly number[]
  /** What stands behind the bar. */
  readonly text: string
}

export interface Chart {
  readonly title: string
  /** What each value of a bar is. */
  readonly legend: readonly string[]
  readonly bars: readonly Bar[]
}

const width = 760
const labelWidth = 230
const textWidth = 150
const barHeight = 20
const rowHeight = 28
const top = 64
const colours = ['#3b7dd8', '#e08a2e', '#4a9d6f']

export function chartSvg({ title, legend, bars }: Chart): string {
  const height = top + bars.length * rowHeight + 12
  const longest = Math.max(...bars.map(({ values }) => sum(values)), Number.MIN_VALUE)
  const scale = (width - labelWidth - textWidth) / longest
  const box = `viewBox="0 0 ${width} ${height}"`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${box} role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    `<text class="title" x="0" y="20">${escaped(title)}</text>`,
    ...legend.map((name, index) => legendOf(name, index)),
    ...bars.flatMap((bar, row) => barOf(bar, top + row * rowHeight, scale)),
    '</svg>',
    '',
  ].join('\n')
}

const style =
  'text{font:13px system-ui,sans-serif;fill:#24292f}.title{font-weight:600;font-size:15px}' +
  '@media(prefers-color-scheme:dark){text{fill:#e6edf3}}'

function legendOf(name: string, index: number): string {
  const x = index * 180
  const box = `<rect x="${x}" y="34" width="12" height="12" fill="${colourOf(index)}"/>`
  return `${box}<text x="${x + 18}" y="45">${escaped(name)}</text>`
}

function barOf({ label, values, text }: Bar, y: number, scale: number): string[] {
  const middle = y + barHeight - 5
  let x = labelWidth
  const parts = values.map((value, index) => {
    const length = Math.max(0, value * scale)
    const rect = `<rect x="${fixed(x)}" y="${y}" width="${fixed(length)}" height="${barHeight}"`
    x += length
    return `${rect} fill="${colourOf(index)}"/>`
  })
  return [
    `<text x="${labelWidth - 8}" y="${middle}" text-anchor="end">${escaped(label)}</text>`,
    ...parts,
    `<text x="${fixed(x + 6)}" y="${middle}">${escaped(text)}</text>`,
  ]
}

function colourOf(index: number): string {
  return colours[index % colours.length] ?? ''
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}

function fixed(value: number): string {
  return value.toFixed(1)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
