import t from 'tap'
import { Passwords } from '../../src/identity/passwords.js'
import { systemRandom } from '../../src/platform/random.js'
import { OverloadedError, Turns } from '../../src/platform/turns.js'
import { settle } from '../support/fake-clock.js'

const passwords = new Passwords({ random: systemRandom })
const password = 'correct horse battery'

t.test('a password is verified by its hash, another one is not', async (t) => {
  const hash = await passwords.hash(password)
  t.equal(await passwords.verify(password, hash), true)
  t.equal(await passwords.verify(`${password}!`, hash), false)
})

t.test('a hash names its parameters and differs for the same password', async (t) => {
  const [one, two] = await Promise.all([passwords.hash(password), passwords.hash(password)])
  t.match(one, /^scrypt\$15\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
  t.not(one, two)
  t.notMatch(one, /correct/)
})

t.test('a hash of other parameters is still verified', async (t) => {
  // Made once with N = 2^10, r = 8, p = 1.
  const old = 'scrypt$10$8$1$c2FsdHNhbHRzYWx0c2FsdA$fXnS5Awj6eMC-z1SbPBpyxEKbW7GHGyuCeVjw7IJSMI'
  t.equal(await passwords.verify(password, old), true)
  t.equal(await passwords.verify('something else', old), false)
})

t.test('without a hash the same work is done and the answer is no', async (t) => {
  const turns = new WatchedTurns()
  const watched = new Passwords({ random: systemRandom, turns })
  t.equal(await watched.verify(password, undefined), false)
  t.equal(turns.runs, 1)
  t.equal(await watched.verify('', undefined), false)
  t.equal(turns.runs, 2)
})

t.test('the work for nobody costs what a new hash costs', async (t) => {
  // More than scrypt allows: whoever asks for that price is refused, and so the price is seen.
  const priceless = new Passwords({
    random: systemRandom,
    cost: { logN: 10, r: 8, p: 2 ** 30 },
  })
  const fault = { name: 'RangeError' }
  await t.rejects(priceless.hash(password), fault)
  await t.rejects(priceless.verify(password, undefined), fault)
})

t.test('text that cannot be a password is refused after the same work', async (t) => {
  const turns = new WatchedTurns()
  const watched = new Passwords({ random: systemRandom, turns })
  const hash = await watched.hash('long enough \ufffd')
  t.equal(await watched.verify('long enough \ud800', hash), false, 'a lone surrogate')
  t.equal(await watched.verify('a'.repeat(60_000), hash), false)
  t.equal(turns.runs, 3)
})

t.test('only so many run at once, the others wait in their order', async (t) => {
  const turns = new Turns({ atOnceMax: 2, waitingMax: 10 })
  const begun: number[] = []
  const ends: (() => void)[] = []
  const work = (index: number) => () => {
    begun.push(index)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const all = [0, 1, 2, 3].map((index) => turns.run(work(index)))
  await settle()
  t.strictSame(begun, [0, 1])
  ends[1]?.()
  await settle()
  t.strictSame(begun, [0, 1, 2])
  ends[0]?.()
  ends[2]?.()
  await settle()
  t.strictSame(begun, [0, 1, 2, 3])
  ends[3]?.()
  await Promise.all(all)
})

t.test('beyond the waiting ones a request is refused at once, and later ones work', async (t) => {
  const turns = new Turns({ atOnceMax: 1, waitingMax: 1 })
  let end: () => void = () => undefined
  const first = turns.run(() => new Promise<void>((resolve) => (end = resolve)))
  const second = turns.run(async () => 'second')
  await t.rejects(
    turns.run(async () => 'third'),
    OverloadedError,
  )
  end()
  await first
  t.equal(await second, 'second')
  t.equal(await turns.run(async () => 'fourth'), 'fourth')
})

t.test('work that fails gives its place to the next', async (t) => {
  const turns = new Turns({ atOnceMax: 1, waitingMax: 1 })
  const first = turns.run(() => Promise.reject(new Error('broken')))
  const second = turns.run(async () => 'second')
  await t.rejects(first, { message: 'broken' })
  t.equal(await second, 'second')
})

class WatchedTurns extends Turns {
  runs = 0

  constructor() {
    super({ atOnceMax: 1, waitingMax: 10 })
  }

  override async run<T>(work: () => Promise<T>): Promise<T> {
    this.runs += 1
    return super.run(work)
  }
}
