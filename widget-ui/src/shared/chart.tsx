/**
 * A chart of days, or of other things in a row: bars above and below zero, or a line, with axes,
 * units and the same numbers as a table behind it. Drawn as SVG with attributes only, at the width
 * that is there, so that its text keeps its size on a phone. Promises: nothing is told by colour
 * alone; the drawing is one image to a screen reader, the table says the rest. Never: animates.
 */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { dayName } from './formats.js'
import { placesOf, scaleFor, type Scale, type Series } from './chart-scale.js'
import './chart.css'

export interface ChartProps {
  title: string
  /** What the axis counts, such as "USD a day". */
  unit: string
  days: readonly string[]
  series: readonly Series[]
  /** The least difference of two values: 1 for counts, a cent for money. */
  smallestStep: number
  format: (value: number) => string
  formatAxis: (value: number) => string
  /** What stands in a row when it is not days: then `days` holds their keys. */
  row?: ChartRow
}

export interface ChartRow {
  /** One of them, and many: "Event", "events". */
  readonly one: string
  readonly many: string
  readonly nameOf: (key: string) => string
  /** The one that is marked while no pointer is on the chart. */
  readonly marked: number
}

const height = 220
/** Among hundreds the chosen one is still seen. */
const chosenWidthMin = 6
const edge = { top: 12, right: 20, bottom: 28, left: 60 }

export function Chart(props: ChartProps) {
  const { title, unit, days, series, format, row } = props
  const id = useId()
  const figure = useRef<HTMLElement>(null)
  const width = useWidth(figure)
  const [chosen, setChosen] = useState<number>()
  const shown = chosen ?? row?.marked ?? days.length - 1
  const name = (row?.nameOf ?? dayName)(days[shown] ?? '')
  return (
    <figure class="chart card" ref={figure} aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{title}</h3>
        <p class="quiet small">{unit}</p>
        <dl class="chart-reading">
          <div>
            <dt>{row === undefined && shown === days.length - 1 ? 'Today' : name}</dt>
          </div>
          {series.map(({ name, values, shape }) => (
            <div key={name}>
              <dt>
                <span class={`chart-key chart-${shape}`} aria-hidden="true" />
                {name}
              </dt>
              <dd class="amount">{format(values[shown] ?? 0)}</dd>
            </div>
          ))}
        </dl>
      </figcaption>
      {width > 0 && (
        <Drawing {...props} width={width} chosen={chosen ?? row?.marked} onChosen={setChosen} />
      )}
      <details class="chart-table">
        <summary>Show {title.toLowerCase()} as a table</summary>
        <Numbers {...props} />
      </details>
    </figure>
  )
}

interface DrawingProps extends ChartProps {
  width: number
  chosen: number | undefined
  onChosen: (index: number | undefined) => void
}

function Drawing(props: DrawingProps) {
  const { title, days, series, smallestStep, formatAxis, width, chosen, onChosen, row } = props
  const count = `${days.length} ${row?.many ?? 'days'}`
  const scale = scaleFor({ series, days: days.length, smallestStep, width, height, edge })
  const choose = (event: PointerEvent & { currentTarget: Element }) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    onChosen(scale.indexAt(event.clientX - left))
  }
  return (
    <svg
      class="chart-drawing"
      role="img"
      aria-label={`${title}, ${count}; the numbers are in the table below.`}
      width={width}
      height={height}
      onPointerMove={choose}
      onPointerDown={choose}
      onPointerLeave={() => onChosen(undefined)}
    >
      {scale.ticks.map((tick) => (
        <g key={tick} class={tick === 0 ? 'chart-zero' : 'chart-tick'}>
          <line x1={edge.left} x2={width - edge.right} y1={scale.y(tick)} y2={scale.y(tick)} />
          <text x={edge.left - 8} y={scale.y(tick)} dy="0.32em" text-anchor="end">
            {formatAxis(tick)}
          </text>
        </g>
      ))}
      {chosen !== undefined && (
        <rect
          class="chart-chosen"
          x={scale.x(chosen) - Math.max(scale.step, chosenWidthMin) / 2}
          y={edge.top}
          width={Math.max(scale.step, chosenWidthMin)}
          height={height - edge.top - edge.bottom}
        />
      )}
      {series.map((one) => (
        <Shape key={one.name} series={one} scale={scale} />
      ))}
      {row !== undefined && chosen !== undefined && (
        <Mark series={series} scale={scale} index={chosen} />
      )}
      <Axis days={days} scale={scale} nameOf={row?.nameOf ?? dayName} />
    </svg>
  )
}

function Shape({ series, scale }: { series: Series; scale: Scale }) {
  if (series.shape === 'line') {
    const points = series.values.map((value, index) => `${scale.x(index)},${scale.y(value)}`)
    const ground = scale.y(Math.max(0, scale.ticks[0] ?? 0))
    const last = series.values.length - 1
    return (
      <g class="chart-line">
        <polygon
          points={`${scale.x(0)},${ground} ${points.join(' ')} ${scale.x(last)},${ground}`}
        />
        <polyline points={points.join(' ')} />
        <circle cx={scale.x(last)} cy={scale.y(series.values[last] ?? 0)} r={3.5} />
      </g>
    )
  }
  const sign = series.shape === 'bar-below' ? -1 : 1
  const width = Math.max(2, Math.min(18, scale.step * 0.62))
  return (
    <g class={`chart-${series.shape}`}>
      {series.values.map((value, index) => {
        const [one, other] = [scale.y(0), scale.y(sign * value)]
        return (
          <rect
            key={index}
            x={scale.x(index) - width / 2}
            y={Math.min(one, other)}
            width={width}
            height={Math.abs(one - other)}
            rx={Math.min(2, width / 4)}
          />
        )
      })}
    </g>
  )
}

/** Over the area of a line, which hides what is drawn below it. */
function Mark(of: { series: readonly Series[]; scale: Scale; index: number }) {
  const { series, scale, index } = of
  const x = scale.x(index)
  return (
    <g class="chart-mark">
      <line x1={x} x2={x} y1={edge.top} y2={height - edge.bottom} />
      {series.map(({ name, values }) => (
        <circle key={name} cx={x} cy={scale.y(values[index] ?? 0)} r={5} />
      ))}
    </g>
  )
}

interface AxisProps {
  days: readonly string[]
  scale: Scale
  nameOf: (key: string) => string
}

function Axis({ days, scale, nameOf }: AxisProps) {
  const places = placesOf(days.length, scale.width)
  return (
    <g class="chart-days">
      {places.map((index) => (
        <text key={index} x={scale.x(index)} y={height - 8} text-anchor="middle">
          {nameOf(days[index] ?? '')}
        </text>
      ))}
    </g>
  )
}

function Numbers({ title, unit, days, series, format, row }: ChartProps) {
  const nameOf = row?.nameOf ?? dayName
  return (
    <div class="chart-numbers" role="region" aria-label={`${title}, table`} tabIndex={0}>
      <table>
        <caption class="unseen">{`${title}, ${unit}`}</caption>
        <thead>
          <tr>
            <th scope="col">{row?.one ?? 'Day'}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day, index) => (
            <tr key={day}>
              <th scope="row">{nameOf(day)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{format(values[index] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The inner width of an element, followed while it changes. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (element.current === null) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}
