import t from 'tap'
import { Gatherer } from '../../src/platform/gather.js'

t.test('questions of one moment share a statement; later ones wait together', async (t) => {
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
  await Promise.resolve()
  const later = [3, 4, 5, 6].map((request) => gatherer.ask(request))
  releases.shift()?.()
  t.same(await Promise.all(first), [10, 20])
  await new Promise((resolve) => setImmediate(resolve))
  t.same(groups, [
    [1, 2],
    [3, 4, 5],
  ])
  releases.shift()?.()
  await new Promise((resolve) => setImmediate(resolve))
  releases.shift()?.()
  t.same(await Promise.all(later), [30, 40, 50, 60])
  t.same(groups.at(-1), [6])
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
