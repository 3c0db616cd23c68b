import t from 'tap'
import { Gatherer, turnOfEventLoop } from '../../src/platform/gather.js'

t.test('questions that came in together share a statement; later ones wait together', async (t) => {
  const groups: number[][] = []
  const releases: (() => void)[] = []
  const gatherer = new Gatherer<number, number>(
    async (requests) => {
      groups.push([...requests])
      await new Promise<void>((resolve) => releases.push(resolve))
      return requests.map((request) => request * 10)
    },
    { max: 3 },
  )
  const first = [gatherer.ask(1), gatherer.ask(2)]
  // A promise that is resolved already: the statement has not begun, so 3 comes along too.
  await Promise.resolve()
  const third = gatherer.ask(3)
  await untilCalled(releases, 1)
  const later = [4, 5, 6, 7].map((request) => gatherer.ask(request))
  releases.shift()?.()
  t.same(await Promise.all([...first, third]), [10, 20, 30])
  await untilCalled(releases, 1)
  t.same(groups, [
    [1, 2, 3],
    [4, 5, 6],
  ])
  releases.shift()?.()
  await untilCalled(releases, 1)
  releases.shift()?.()
  t.same(await Promise.all(later), [40, 50, 60, 70])
  t.same(groups.at(-1), [7])
})

t.test('with two statements at once only the third group waits', async (t) => {
  const groups: number[][] = []
  const releases: (() => void)[] = []
  const gatherer = new Gatherer<number, number>(
    async (requests) => {
      groups.push([...requests])
      await new Promise<void>((resolve) => releases.push(resolve))
      return requests
    },
    { max: 3, atOnce: 2 },
  )
  const answers = [gatherer.ask(1), gatherer.ask(2)]
  await untilCalled(releases, 1)
  answers.push(gatherer.ask(3))
  await untilCalled(releases, 2)
  answers.push(gatherer.ask(4), gatherer.ask(5))
  for (let turn = 0; turn < 5; turn += 1) await turnOfEventLoop()
  t.same(groups, [[1, 2], [3]])
  releases.shift()?.()
  await untilCalled(releases, 2)
  t.same(groups, [[1, 2], [3], [4, 5]])
  for (const release of releases) release()
  t.same(await Promise.all(answers), [1, 2, 3, 4, 5])
})

t.test('a failed statement fails its own group and no other', async (t) => {
  let calls = 0
  const gatherer = new Gatherer<number, number>(
    async (requests) => {
      calls += 1
      if (calls === 1) throw new Error('away')
      return [...requests]
    },
    { max: 10 },
  )
  await t.rejects(gatherer.ask(1), { message: 'away' })
  t.equal(await gatherer.ask(2), 2)
})

async function untilCalled(releases: readonly unknown[], count: number): Promise<void> {
  while (releases.length < count) await new Promise((resolve) => setImmediate(resolve))
}
