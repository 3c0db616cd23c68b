/**
 * Where a chart's values stand: round ticks, and places in pixels for days and values. Pure.
 * Promises: every value lies within the drawing, zero is always one of the ticks of bars.
 */

export interface Series {
  readonly name: string
  /** One a day. Bars of a `below` series are drawn downwards. */
  readonly values: readonly number[]
  readonly shape: 'bar' | 'bar-below' | 'line'
}

export interface Scale {
  readonly ticks: readonly number[]
  readonly width: number
  /** Between two days. */
  readonly step: number
  x(index: number): number
  y(value: number): number
  indexAt(x: number): number
}

export interface ScaleInput {
  series: readonly Series[]
  days: number
  /** No tick stands between two values that can occur: 1 for counts. */
  smallestStep: number
  width: number
  height: number
  edge: { top: number; right: number; bottom: number; left: number }
}

export function scaleFor(input: ScaleInput): Scale {
  const { series, days, smallestStep, width, height, edge } = input
  const values = series.flatMap(({ values, shape }) =>
    shape === 'bar-below' ? values.map((value) => -value) : values,
  )
  const [lowest, highest] = [Math.min(0, ...values), Math.max(0, ...values)]
  const ticks = ticksFor({ low: lowest, high: highest, smallestStep })
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)]
  const inner = { width: width - edge.left - edge.right, height: height - edge.top - edge.bottom }
  const step = inner.width / Math.max(1, days)
  return {
    ticks,
    width: inner.width,
    step,
    x: (index) => rounded(edge.left + step * (index + 0.5)),
    y: (value) => rounded(edge.top + inner.height * (1 - (value - low) / (high - low))),
    indexAt: (x) => Math.max(0, Math.min(days - 1, Math.floor((x - edge.left) / step))),
  }
}

/** About four lines, at 1, 2 or 5 times a power of ten. */
export function ticksFor(range: { low: number; high: number; smallestStep: number }): number[] {
  const { low, high, smallestStep } = range
  if (low === 0 && high === 0) return [0, 1]
  const rough = Math.max((high - low) / 4, smallestStep)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const first = Math.floor(low / step)
  const last = Math.ceil(high / step)
  return Array.from({ length: last - first + 1 }, (_, index) => rounded((first + index) * step))
}

/** Which days are named below: the last one always, the others as far apart as a name needs. */
export function placesOf(days: number, width: number): number[] {
  const textWidth = 64
  const apart = Math.max(1, Math.ceil((days * textWidth) / Math.max(width, textWidth)))
  const places: number[] = []
  for (let index = days - 1; index >= 0; index -= apart) places.unshift(index)
  return places
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
