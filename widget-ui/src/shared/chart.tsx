/**
 * A chart of days: bars above and below zero, or a line, with axes, units and the same numbers as a
 * table behind it. Drawn as SVG with attributes only, at the width that is there, so that its text
 * keeps its size on a phone. Promises: nothing is told by colour alone; the drawing is one image to
 * a screen reader, the table says the rest. Never: animates.
 */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { dayName } from './formats.js'
import { placesOf, scaleFor, type Scale } from './chart-scale.js'
import './chart.css'

export interface Series {
  readonly name: string
  /** One a day. Bars of a `below` series are drawn downwards. */
  readonly values: readonly number[]
  readonly shape: 'bar' | 'bar-below' | 'line'
}

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
}

const height = 220
const edge = { top: 12, right: 20, bottom: 28, left: 60 }

export function Chart(props: ChartProps) {
  const { title, unit, days, series, format } = props
  const id = useId()
  const figure = useRef<HTMLElement>(null)
  const width = useWidth(figure)
  const [chosen, setChosen] = useState<number>()
  const shown = chosen ?? days.length - 1
  return (
    <figure class="chart card" ref={figure} aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{title}</h3>
        <p class="quiet small">{unit}</p>
        <dl class="chart-reading">
          <div>
            <dt>{shown === days.length - 1 ? 'Today' : dayName(days[shown] ?? '')}</dt>
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
      {width > 0 && <Drawing {...props} width={width} chosen={chosen} onChosen={setChosen} />}
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
  const { title, days, series, smallestStep, formatAxis, width, chosen, onChosen } = props
  const scale = scaleFor({ series, days: days.length, smallestStep, width, height, edge })
  const choose = (event: PointerEvent & { currentTarget: Element }) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    onChosen(scale.indexAt(event.clientX - left))
  }
  return (
    <svg
      class="chart-drawing"
      role="img"
      aria-label={`${title}, ${days.length} days; the numbers are in the table below.`}
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
          x={scale.x(chosen) - scale.step / 2}
          y={edge.top}
          width={scale.step}
          height={height - edge.top - edge.bottom}
        />
      )}
      {series.map((one) => (
        <Shape key={one.name} series={one} scale={scale} />
      ))}
      <DayAxis days={days} scale={scale} />
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

function DayAxis({ days, scale }: { days: readonly string[]; scale: Scale }) {
  const places = placesOf(days.length, scale.width)
  return (
    <g class="chart-days">
      {places.map((index) => (
        <text key={index} x={scale.x(index)} y={height - 8} text-anchor="middle">
          {dayName(days[index] ?? '')}
        </text>
      ))}
    </g>
  )
}

function Numbers({ title, unit, days, series, format }: ChartProps) {
  return (
    <div class="chart-numbers" role="region" aria-label={`${title}, table`} tabIndex={0}>
      <table>
        <caption class="unseen">{`${title}, ${unit}`}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
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
              <th scope="row">{dayName(day)}</th>
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
