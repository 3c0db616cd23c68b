/** The line before the password hashes: who is next, who waits, and who is told to come back. */
import t from 'tap'
import { loginDelayMs, LoginLine, type PlaceInLine } from '../../src/identity/login-line.js'
import {
  loginDelayMaxMs,
  loginDelayMinMs,
  loginsAtOnceMax,
  loginsWaitingMax,
  loginsWaitingPerAddressMax,
  loginTriesWithoutDelay,
  loginTurnWaitMs,
} from '../../src/identity/limits.js'
import { OverloadedError } from '../../src/platform/turns.js'
import { FakeClock, settle } from '../support/fake-clock.js'

/** A line, and who got a turn in it or was refused, in this order. */
class Watched {
  readonly clock = new FakeClock()
  readonly line = new LoginLine(this)
  readonly begun: string[] = []
  readonly refused: string[] = []
  readonly #ends: (() => void)[] = []

  try(name: string, place: Partial<PlaceInLine> = {}): void {
    this.line
      .run({ address: name, delayMs: 0, rank: 1, ...place }, () => {
        this.begun.push(name)
        return new Promise<void>((resolve) => this.#ends.push(resolve))
      })
      .catch((error: unknown) => {
        if (error instanceof OverloadedError) this.refused.push(name)
        else throw error
      })
  }

  /** So many that run that nobody else can. */
  async fill(): Promise<void> {
    for (let index = 0; index < loginsAtOnceMax; index += 1) this.try(`running ${index}`)
    await settle()
    this.begun.length = 0
  }

  async endOne(): Promise<void> {
    this.#ends.shift()?.()
    await settle()
  }
}

t.test('the delay doubles with each try after the first three, up to its longest', async (t) => {
  const delays = Array.from({ length: 10 }, (_, earlier) => loginDelayMs(earlier))
  t.same(delays, [0, 0, 0, 250, 500, 1_000, 2_000, 4_000, 4_000, 4_000])
  t.equal(delays[loginTriesWithoutDelay], loginDelayMinMs)
  t.equal(loginDelayMs(1_000), loginDelayMaxMs)
})

t.test('a try waits out its delay, also when there is room', async (t) => {
  const watched = new Watched()
  watched.try('delayed', { delayMs: 4_000 })
  watched.try('not delayed')
  await watched.clock.advance(3_999)
  t.same(watched.begun, ['not delayed'])
  await watched.clock.advance(1)
  t.same(watched.begun, ['not delayed', 'delayed'])
  t.equal(watched.clock.waiting, 0, 'no timer is left behind')
})

t.test('only so many run at once, and a turn that fails is a turn that ends', async (t) => {
  const watched = new Watched()
  const fault = watched.line.run({ address: 'a', delayMs: 0, rank: 1 }, () =>
    Promise.reject(new Error('the database is away')),
  )
  await t.rejects(fault, { message: 'the database is away' })
  await watched.fill()
  watched.try('next')
  await settle()
  t.same(watched.begun, [])
  await watched.endOne()
  t.same(watched.begun, ['next'])
})

t.test('the address with the fewest tries is next, and of equals the newest', async (t) => {
  const watched = new Watched()
  await watched.fill()
  watched.try('tried twice', { rank: 2 })
  watched.try('first try', { rank: 1 })
  watched.try('newer first try', { rank: 1 })
  watched.try('tried often', { rank: 9 })
  watched.try('delayed', { rank: 1, delayMs: 100 })
  watched.try('known browser', { rank: 0 })
  for (let turns = 0; turns < 5; turns += 1) await watched.endOne()
  t.same(watched.begun, [
    'known browser',
    'newer first try',
    'first try',
    'tried twice',
    'tried often',
  ])
  await watched.clock.advance(100)
  await watched.endOne()
  t.equal(watched.begun.at(-1), 'delayed')
})

t.test('who gets no turn in time is told so before clients give up', async (t) => {
  const watched = new Watched()
  await watched.fill()
  watched.try('unlucky', { delayMs: loginDelayMaxMs })
  await watched.clock.advance(loginDelayMaxMs + loginTurnWaitMs - 1)
  t.same(watched.refused, [])
  await watched.clock.advance(1)
  t.same(watched.refused, ['unlucky'])
  t.equal(watched.clock.waiting, 0)
  await watched.endOne()
  t.same(watched.begun, [], 'and nobody does its work')
})

t.test('one address has so many places in the line, and takes nobody else’s', async (t) => {
  const watched = new Watched()
  await watched.fill()
  for (let tries = 0; tries <= loginsWaitingPerAddressMax; tries += 1)
    watched.try(`try ${tries}`, { address: '192.0.2.1' })
  watched.try('another', { address: '192.0.2.2' })
  await settle()
  t.same(watched.refused, [`try ${loginsWaitingPerAddressMax}`])
})

t.test('a full line lets go of who tried most, and never of a first try for it', async (t) => {
  const watched = new Watched()
  await watched.fill()
  for (let index = 0; index < loginsWaitingMax; index += 1)
    watched.try(`attacker ${index}`, { delayMs: 4_000, rank: index === 7 ? 6 : 5 })
  watched.try('person')
  await settle()
  t.same(watched.refused, ['attacker 7'])
  watched.try('another attacker', { rank: 5 })
  await settle()
  t.same(watched.refused, ['attacker 7', 'another attacker'])
  await watched.endOne()
  t.same(watched.begun, ['person'])
})
