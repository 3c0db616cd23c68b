/**
 * What the test files of one process share is let go when the last of them has ended:
 * test-process.mjs asks for it. A file that is started by hand is the last one, too.
 */
type Work = () => Promise<unknown>

let works: Work[] | undefined

/** From now on somebody will call `endProcess`. */
export function shareProcess(): void {
  works = []
}

/** At the end of the process, or with the one test file that it runs. */
export function atProcessEnd(t: { teardown(work: Work): unknown }, work: Work): void {
  if (works === undefined) t.teardown(work)
  else works.push(work)
}

export async function endProcess(): Promise<void> {
  for (const work of works?.splice(0) ?? []) await work()
}
