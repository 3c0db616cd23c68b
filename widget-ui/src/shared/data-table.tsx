/**
 * A table with a head that stays in view and columns that sort. On a phone each row becomes a small
 * card with the column's name before each value, and sorting a list to choose from; the roles are
 * written out, because a browser forgets that it is a table once its rows are no table rows.
 */
import type { ComponentChildren } from 'preact'
import { useId, useMemo, useState } from 'preact/hooks'
import { Icon } from './icon.js'
import './data-table.css'

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /** What the column sorts by; a column without it does not sort. */
  readonly order?: (row: Row) => string | number
  readonly isNumber?: boolean
  /** The one that names the row: its cell is the row's head. */
  readonly isHead?: boolean
  /** On a wide page: as wide as what stands in it, or what the others leave. */
  readonly width?: 'content' | 'rest'
}

export interface DataTableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The column and direction it starts with; without it the rows' own order. */
  start?: Sorting
}

export interface Sorting {
  readonly column: string
  readonly isDescending: boolean
}

export function DataTable<Row>({ caption, columns, rows, keyOf, start }: DataTableProps<Row>) {
  const [sorting, setSorting] = useState(start)
  const sorted = useMemo(() => sort({ rows, columns, sorting }), [rows, columns, sorting])
  const sortBy = (column: string) =>
    setSorting((now) => ({ column, isDescending: now?.column === column && !now.isDescending }))
  const sortable = columns.filter(({ order }) => order !== undefined)
  return (
    <div>
      {sortable.length > 0 && (
        <SortChoice columns={sortable} sorting={sorting} onSorting={setSorting} />
      )}
      <table class="table" role="table">
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Head key={column.name} column={column} sorting={sorting} onSort={sortBy} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {sorted.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <Cell key={column.name} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const content = (
    <>
      <span class="table-label" aria-hidden="true">
        {column.name}
      </span>
      <span class="table-value">{column.cell(row)}</span>
    </>
  )
  const className = classOf(column)
  if (column.isHead !== true)
    return (
      <td role="cell" class={className}>
        {content}
      </td>
    )
  return (
    <th role="rowheader" scope="row" class={className}>
      {content}
    </th>
  )
}

interface HeadProps<Row> {
  column: Column<Row>
  sorting: Sorting | undefined
  onSort: (column: string) => void
}

function Head<Row>({ column, sorting, onSort }: HeadProps<Row>) {
  const className = classOf(column)
  if (column.order === undefined)
    return (
      <th role="columnheader" scope="col" class={className}>
        {column.name}
      </th>
    )
  const isSorted = sorting?.column === column.name
  const isDescending = isSorted && sorting.isDescending
  return (
    <th
      role="columnheader"
      scope="col"
      class={className}
      aria-sort={!isSorted ? 'none' : isDescending ? 'descending' : 'ascending'}
    >
      <button type="button" class="table-sort" onClick={() => onSort(column.name)}>
        {column.name}
        <span class={isSorted ? 'table-sorted' : 'table-unsorted'}>
          <Icon name={isDescending ? 'down' : 'up'} isSmall />
        </span>
      </button>
    </th>
  )
}

function classOf<Row>({ isNumber, width }: Column<Row>): string | undefined {
  const names = [isNumber === true && 'table-number', width !== undefined && `table-${width}`]
  return names.filter(Boolean).join(' ') || undefined
}

interface SortChoiceProps<Row> {
  columns: readonly Column<Row>[]
  sorting: Sorting | undefined
  onSorting: (sorting: Sorting | undefined) => void
}

function SortChoice<Row>({ columns, sorting, onSorting }: SortChoiceProps<Row>) {
  const id = useId()
  const value = sorting === undefined ? '' : `${sorting.isDescending ? '-' : '+'}${sorting.column}`
  const choose = (chosen: string) =>
    onSorting(
      chosen === '' ? undefined : { column: chosen.slice(1), isDescending: chosen.startsWith('-') },
    )
  return (
    <div class="table-choice">
      <label for={id}>Sort by</label>
      <select
        id={id}
        class="input"
        value={value}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {sorting === undefined && <option value="">as listed</option>}
        {columns.flatMap(({ name }) => [
          <option key={`+${name}`} value={`+${name}`}>{`${name}, rising`}</option>,
          <option key={`-${name}`} value={`-${name}`}>{`${name}, falling`}</option>,
        ])}
      </select>
    </div>
  )
}

interface SortInput<Row> {
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  sorting: Sorting | undefined
}

function sort<Row>({ rows, columns, sorting }: SortInput<Row>): readonly Row[] {
  const order = columns.find(({ name }) => name === sorting?.column)?.order
  if (order === undefined || sorting === undefined) return rows
  const direction = sorting.isDescending ? -1 : 1
  return [...rows].sort((one, other) => direction * compare(order(one), order(other)))
}

function compare(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one).localeCompare(String(other), undefined, { numeric: true })
}
