/** One client app's share of what is under way: what is beyond it waits a little or is refused. */
import { EventEmitter } from 'node:events'
import type { FastifyReply } from 'fastify'
import t from 'tap'
import { FairShares } from '../../src/http/fair-shares.js'
import type { ClientApp } from '../../src/identity/client-apps.js'
import {
  appCommandsMax,
  appReadsWaitingMax,
  appReadWaitMs,
  entriesAtAStretch,
} from '../../src/http/limits.js'
import { pageEntriesMax } from '../../src/limits.js'
import { FakeClock } from '../support/fake-clock.js'
import { startOwnService } from '../spec/support/own-service.js'

const one = { clientId: 'one' } as ClientApp
const other = { clientId: 'other' } as ClientApp
const refusal = { code: 'TOO_MANY_REQUESTS', status: 429, headers: { 'retry-after': '1' } }

/** As much of a reply as a share looks at. */
class Reading {
  readonly #raw = Object.assign(new EventEmitter(), { destroyed: false })

  get reply(): FastifyReply {
    return { raw: this.#raw } as unknown as FastifyReply
  }

  close(): void {
    this.#raw.destroyed = true
    this.#raw.emit('close')
  }
}

t.test('commands of one app are counted, and more are refused at once', (t) => {
  const shares = new FairShares(new FakeClock())
  for (let count = 0; count < appCommandsMax; count += 1) shares.of(one).beginCommands(1)
  t.throws(() => shares.of(one).beginCommands(1), refusal)
  shares.of(other).beginCommands(1)
  shares.of(one).endCommands(1)
  shares.of(one).beginCommands(1)
  t.throws(() => shares.of(one).beginCommands(1), refusal)
  t.end()
})

t.test('long pages wait for each other, short reads of other apps do not', async (t) => {
  const clock = new FakeClock()
  const shares = new FairShares(clock)
  const [first, second, third] = [new Reading(), new Reading(), new Reading()]
  await shares.of(one).beginRead(first.reply, pageEntriesMax)
  await shares.of(one).beginRead(second.reply, pageEntriesMax)
  let hasBegun = false
  const waiting = shares.of(one).beginRead(third.reply, pageEntriesMax)
  void waiting.then(() => (hasBegun = true))
  await shares.of(other).beginRead(new Reading().reply, pageEntriesMax)
  await clock.advance(appReadWaitMs - 1)
  t.notOk(hasBegun, 'two of the longest pages are the share')
  first.close()
  await waiting
  // One place is free again when the answers are out, whoever waited.
  second.close()
  third.close()
  await shares.of(one).beginRead(new Reading().reply, pageEntriesMax)
  await shares.of(one).beginRead(new Reading().reply, pageEntriesMax)
  t.equal(clock.waiting, 0)
})

t.test('who waits too long or behind too many is refused', async (t) => {
  const clock = new FakeClock()
  const share = new FairShares(clock).of(one)
  const readings = [new Reading(), new Reading()]
  for (const { reply } of readings) await share.beginRead(reply, pageEntriesMax)
  const waiting = Array.from({ length: appReadsWaitingMax }, () =>
    share.beginRead(new Reading().reply, 0),
  )
  const refused = Promise.all(waiting.map((read) => t.rejects(read, refusal)))
  await t.rejects(share.beginRead(new Reading().reply, 0), refusal)
  await clock.advance(appReadWaitMs)
  await refused
  for (const reading of readings) reading.close()
  await share.beginRead(new Reading().reply, pageEntriesMax)
})

t.test('a client that left while it waited holds nothing', async (t) => {
  const share = new FairShares(new FakeClock()).of(one)
  const readings = [new Reading(), new Reading()]
  for (const { reply } of readings) await share.beginRead(reply, pageEntriesMax)
  const gone = new Reading()
  const waiting = share.beginRead(gone.reply, pageEntriesMax)
  gone.close()
  readings[0]?.close()
  await t.rejects(waiting, refusal)
  await share.beginRead(new Reading().reply, pageEntriesMax)
})

t.test('a client that left before its turn was asked for holds nothing', async (t) => {
  const share = new FairShares(new FakeClock()).of(one)
  for (let count = 0; count < 10; count += 1) {
    const gone = new Reading()
    gone.close()
    await t.rejects(share.beginRead(gone.reply, pageEntriesMax), refusal)
  }
  await share.beginRead(new Reading().reply, pageEntriesMax)
  await share.beginRead(new Reading().reply, pageEntriesMax)
})

t.test('long pages at once are answered in turns, or refused with 429', async (t) => {
  const on = await startOwnService(t, 'PostgreSQL')
  const account = await on.account(0)
  const text = { description: 'A text that is sealed' }
  const count = 2 * entriesAtAStretch + 1
  await Promise.all(Array.from({ length: count }, () => account.credit(1, undefined, text)))
  const pages = Array.from({ length: 40 }, () => account.wallet({ limit: pageEntriesMax }))
  const bystander = (await on.account(1)).as(on.second)
  t.equal((await bystander.debit(0.01)).status, 200)
  const answers = await Promise.all(pages)
  const read = answers.filter(({ status }) => status === 200)
  for (const { body } of read) {
    const balances = (body['transactions'] as { balanceAfter: number }[]).map(
      ({ balanceAfter }) => balanceAfter,
    )
    t.same(
      balances,
      [...balances].sort((left, right) => right - left),
      'in their order',
    )
    t.equal(balances.length, count)
  }
  t.ok(read.length >= 2)
  t.ok(answers.every(({ status }) => status === 200 || status === 429))
})
