/**
 * How much processor time processes have used, from Linux's /proc. Unlike requests a second it
 * hardly depends on what else the machine does, so it shows a costly change on a busy one too.
 */
import { readFile } from 'node:fs/promises'

/** /proc counts in ticks of 10 ms. */
const tickMicros = 10_000

/** User and system time of them all, and of their children that have ended; NaN without /proc. */
export async function processorMicros(pids: readonly number[]): Promise<number> {
  const ticks = await Promise.all(pids.map(ticksOf))
  return ticks.reduce((sum, count) => sum + count, 0) * tickMicros
}

/** NaN where there is no /proc. */
export async function parentOf(pid: number): Promise<number> {
  return Number((await statOf(pid))[1])
}

async function ticksOf(pid: number): Promise<number> {
  const [own, system, children, childrenSystem] = (await statOf(pid)).slice(11, 15).map(Number)
  return (own ?? NaN) + (system ?? NaN) + (children ?? NaN) + (childrenSystem ?? NaN)
}

async function statOf(pid: number): Promise<string[]> {
  try {
    // The name before the bracket may hold anything; the fields after it are numbers.
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
