/**
 * Property tests that can be repeated: the seed is printed with every run, and SEED=… in the
 * environment runs the same cases again.
 */
import fc from 'fast-check'
import type { Test } from 'tap'

export function propertySeed(t: Test): number {
  const given = Number(process.env['SEED'])
  const seed = Number.isSafeInteger(given) && given !== 0 ? given : Date.now() % 2 ** 31
  t.comment(`seed ${seed}`)
  return seed
}

export function runProperty<Values>(t: Test, property: fc.IProperty<Values>, numRuns = 300): void {
  const seed = propertySeed(t)
  fc.assert(property, { seed, numRuns })
  t.pass(`holds in ${numRuns} random cases`)
}

export async function runAsyncProperty<Values>(
  t: Test,
  property: fc.IAsyncProperty<Values>,
  numRuns = 100,
): Promise<void> {
  const seed = propertySeed(t)
  await fc.assert(property, { seed, numRuns })
  t.pass(`holds in ${numRuns} random cases`)
}

/** Whole numbers from 0 up to a bound, exclusive: the same ones for the same seed. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
