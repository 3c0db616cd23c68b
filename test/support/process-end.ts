/**
 * What test files of one process share is let go when the last of them has ended: test-process.mjs
 * asks for it.
 */
const works: (() => Promise<unknown>)[] = []

export function atProcessEnd(work: () => Promise<unknown>): void {
  works.push(work)
}

export async function endProcess(): Promise<void> {
  for (const work of works.splice(0)) await work()
}
