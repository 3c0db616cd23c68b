/**
 * A transaction over the network of a simulated world: begun on a connection that may not come,
 * broken with its process or after a long silence, and whether it was committed is not always
 * heard. Promises: what was broken before its commit has changed nothing.
 */
import { readTimeoutMs } from '../../src/limits.js'
import type { Line } from './network.js'
import type { World } from './world.js'

export interface NetworkTransaction<Open, T> {
  /** The server's: waits for its turn, and commits when what it is given ends well. */
  readonly begin: (run: (open: Open) => Promise<T>) => Promise<T>
  /** The process's, with every question over the network. */
  readonly work: (open: Open) => Promise<T>
  /** A process that is silent for longer loses its locks. */
  readonly idleMs: number
  readonly onCommit: () => void
  readonly lost: () => Error
}

export async function throughNetwork<Open, T>(
  world: World,
  line: Line,
  { begin, work, idleMs, onCommit, lost }: NetworkTransaction<Open, T>,
): Promise<T> {
  await line.connect(lost)
  const { generation } = world
  const isOver = (): boolean => !line.life.isAlive || world.generation !== generation
  const wordOf = (): Promise<void> => line.trip(lost, readTimeoutMs)
  const result = await begin(async (open) => {
    // It may have waited for its turn longer than it lived.
    if (isOver()) throw lost()
    const connection = connectionOf(world, line, { idleMs, lost })
    try {
      // The way of the word "commit".
      const done = work(open).then(async (value) => {
        await wordOf()
        return value
      })
      // Told by the race, if it is not over by then.
      done.catch(() => undefined)
      const value = await Promise.race([done, connection.broken])
      if (isOver()) throw lost()
      return value
    } finally {
      connection.end()
    }
  })
  onCommit()
  await wordOf()
  return result
}

/** The server's view of it: it breaks with the process, or after a long silence. */
function connectionOf(
  world: World,
  line: Line,
  { idleMs, lost }: { readonly idleMs: number; readonly lost: () => Error },
): { readonly broken: Promise<never>; readonly end: () => void } {
  let give: () => void = () => undefined
  const broken = new Promise<never>((_, reject) => (give = () => reject(lost())))
  broken.catch(() => undefined)
  const stopListening = line.life.onBreak(give)
  const cancel = world.time.after(idleMs, give)
  const end = (): void => {
    stopListening()
    cancel()
  }
  return { broken, end }
}
