/**
 * The people and shops of a simulated world: they send commands with few references, repeat them
 * (sometimes with another amount, sometimes to two processes at once), give up and try again,
 * read what they were answered, and pay by card.
 * Promises: every answer goes to the checker in the moment in which it is given.
 */
import { entryIdOf } from '../../src/domain/ids.js'
import type { Issuer, WalletId } from '../../src/domain/ids.js'
import { reference } from '../../src/domain/reference.js'
import type { Reference } from '../../src/domain/reference.js'
import type { WalletCommand } from '../../src/domain/wallet.js'
import { CommandUnavailableError } from '../../src/writing/waiting-command.js'
import { hold, Violation } from './violation.js'
import type { PaymentState } from './processor.js'
import type { SimulatedProcess } from './process.js'
import type { World } from './world.js'

const issuers: readonly Issuer[] = ['client-app:shop', 'client-app:market']

type DebitCommand = Extract<WalletCommand, { type: 'Debit' }>

/** A shop that has waited this long asks again. */
const clientPatienceMs = 10_000

export class Clients {
  readonly #world: World
  #left: number
  #running = 0
  #statusCommands = 0
  /** Debits that were answered as booked: what shops refund. */
  readonly #debits: { readonly of: WalletId; readonly debit: DebitCommand }[] = []

  constructor(world: World) {
    this.#world = world
    this.#left = world.plan.commands
  }

  get areDone(): boolean {
    return this.#running === 0
  }

  start(): void {
    for (let client = 0; client < this.#world.plan.clients; client += 1) {
      this.#running += 1
      void this.#act()
        .catch((error: unknown) => this.#world.fail(error))
        .finally(() => (this.#running -= 1))
    }
  }

  /** One new command that must be answered, and as one: nothing is broken any more. */
  async probe(walletId: WalletId, process: SimulatedProcess, number: number): Promise<void> {
    const command = this.#entry('GrantBonus', walletId, 'service', reference('PROBE', `${number}`))
    const answered = await this.#execute(process, walletId, command)
    if (answered !== 'answered')
      throw new Violation(`a wallet gives no answer although all is well: ${answered}`)
  }

  async #act(): Promise<void> {
    const { time, chance, plan } = this.#world
    while (this.#left > 0) {
      await time.sleep(chance.fraction() * plan.thinkMs)
      const walletId = chance.pick(this.#world.wallets)
      if (chance.happens(plan.topUps)) await this.#topUp(walletId)
      else await this.#order(walletId)
    }
  }

  /** One command until it is answered, as a careful shop would; then perhaps once more. */
  async #order(walletId: WalletId): Promise<void> {
    const { chance, time } = this.#world
    const command = this.#command(walletId)
    for (let tries = 0; tries < 4 && this.#left > 0; tries += 1) {
      const process = chance.pick(this.#world.processes)
      if (chance.happens(0.15))
        void this.#send(chance.pick(this.#world.processes), walletId, command)
      const result = await this.#send(process, walletId, command)
      if (result === 'answered' || result === 'replayed') break
      await time.sleep(chance.fraction() * 2_000)
    }
    if (chance.happens(0.2)) await this.#read(walletId, command)
    if (chance.happens(0.2)) await this.#send(chance.pick(this.#world.processes), walletId, command)
    else if (chance.happens(0.1) && 'amountMinor' in command)
      await this.#send(chance.pick(this.#world.processes), walletId, {
        ...command,
        amountMinor: command.amountMinor + 1,
      })
  }

  async #send(
    process: SimulatedProcess,
    walletId: WalletId,
    command: WalletCommand,
  ): Promise<string> {
    this.#left -= 1
    this.#world.counts.commands += 1
    // Each sending of a command without a reference is a command of its own.
    const own = 'reason' in command ? { ...command, reason: this.#reason() } : command
    return this.#execute(process, walletId, own)
  }

  async #execute(
    process: SimulatedProcess,
    walletId: WalletId,
    command: WalletCommand,
  ): Promise<string> {
    const { time, checker } = this.#world
    const { life } = process
    if (!life.isAlive) return 'nobody there'
    const reason = 'reason' in command ? command.reason : undefined
    const answered = process.execute(walletId, command).then(
      (answer) => {
        if (!life.isAlive) return 'dead'
        this.#world.trace(`answer ${life.name} ${JSON.stringify(answer)}`)
        checker.answered(walletId, answer, { life, reason })
        const isDebited = 'outcome' in answer && answer.outcome.type === 'WalletDebited'
        if (command.type === 'Debit' && isDebited)
          this.#debits.push({ of: walletId, debit: command })
        return answer.replayed ? 'replayed' : 'answered'
      },
      (error: unknown) => {
        if (!(error instanceof CommandUnavailableError)) throw error
        this.#world.onUnavailable(error.reason)
        return error.reason
      },
    )
    let cancel: () => void = () => undefined
    const gaveUp = new Promise<string>((resolve) => {
      cancel = time.after(clientPatienceMs, () => resolve('no answer'))
    })
    answered.catch((error: unknown) => this.#world.fail(error))
    const result = await Promise.race([answered, gaveUp])
    cancel()
    return result
  }

  async #read(walletId: WalletId, command: WalletCommand): Promise<void> {
    if (!('entryId' in command)) return
    const { chance, checker, time } = this.#world
    const process = chance.pick(this.#world.processes)
    const { life } = process
    const { generation } = this.#world
    const given = checker.given(command.entryId)
    if (!life.isAlive) return
    const reading = process.findEntry(walletId, command.entryId).then((found) => {
      // What was cut off in between may be seen or not.
      if (life.isAlive && generation === this.#world.generation)
        hold(given === undefined || found?.revision === given.revision, () => {
          return `a read does not see ${JSON.stringify(given)}`
        })
    })
    // A read that got no answer says nothing.
    const quiet = reading.catch((error: unknown) => {
      if (error instanceof Violation) this.#world.fail(error)
      this.#world.onReadFailed(error)
    })
    await Promise.race([quiet, time.sleep(clientPatienceMs)])
  }

  #command(walletId: WalletId): WalletCommand {
    const { chance } = this.#world
    const issuer = chance.pick(issuers)
    const kind = chance.fraction()
    const pair = this.#reference()
    if (kind < 0.4) return this.#entry('Debit', walletId, issuer, pair)
    if (kind < 0.65) return this.#entry('Credit', walletId, issuer, pair)
    if (kind < 0.85) return this.#refund(walletId, issuer, pair)
    if (kind < 0.9) return this.#entry('GrantBonus', walletId, 'service', pair)
    if (kind < 0.94) {
      const entryId = entryIdOf({ issuer, walletId, reference: pair })
      return { type: 'Void', entryId, issuer, reference: pair }
    }
    return { type: kind < 0.96 ? 'Deactivate' : 'Reactivate', issuer: 'service', reason: '' }
  }

  /** Mostly of a debit that is there, in parts, and sometimes more than it was. */
  #refund(walletId: WalletId, issuer: Issuer, pair: Reference): WalletCommand {
    const { chance } = this.#world
    const blind = this.#entry('Credit', walletId, issuer, pair)
    const debits = this.#debits.filter(({ of }) => of === walletId).slice(-5)
    if (debits.length === 0 || chance.happens(0.2)) return { ...blind, refundOf: this.#reference() }
    const { debit } = chance.pick(debits)
    const refund = this.#entry('Credit', walletId, debit.issuer, pair)
    const amountMinor = chance.integer(1, debit.amountMinor)
    return { ...refund, amountMinor, refundOf: debit.reference }
  }

  #entry<Type extends 'Debit' | 'Credit' | 'GrantBonus'>(
    type: Type,
    walletId: WalletId,
    issuer: Issuer,
    pair: Reference,
  ) {
    const { chance, faults } = this.#world
    const entryId = entryIdOf({ issuer, walletId, reference: pair })
    const amountMinor = chance.integer(1, type === 'Debit' ? 120 : 200)
    const command = { type, entryId, issuer, reference: pair, amountMinor }
    // No store takes this text.
    if (!chance.happens(faults.refusedContent)) return command
    this.#world.fault('refused content')
    return { ...command, description: 'v1.\0' as const }
  }

  #reference(): Reference {
    return reference('ORDER', `R-${this.#world.chance.integer(1, this.#world.plan.references)}`)
  }

  #reason(): string {
    this.#statusCommands += 1
    return `reason ${this.#statusCommands}`
  }

  /** A person who opens the form, perhaps pays, perhaps tells us; and what may follow. */
  async #topUp(walletId: WalletId): Promise<void> {
    const { chance, time, processor } = this.#world
    this.#left -= 1
    this.#world.counts.commands += 1
    const { life, topUps } = chance.pick(this.#world.processes)
    if (!life.isAlive) return
    const amountMinor = chance.integer(100, 900)
    const order = { walletId, serviceUserId: walletId, clientId: 'shop', amountMinor }
    const created = await Promise.race([
      topUps.create(order).catch(() => undefined),
      time.sleep(clientPatienceMs),
    ])
    if (created?.kind !== 'created' || chance.happens(0.1)) return
    await time.sleep(chance.fraction() * 5_000)
    const { paymentIntentId } = created
    if (!processor.pay(paymentIntentId, chance.happens(0.3) ? 'processing' : 'succeeded')) return
    const payment = processor.payments.get(paymentIntentId)
    if (payment === undefined) return
    if (chance.happens(0.5)) this.#world.hint(paymentIntentId)
    void this.#afterwards(payment)
  }

  async #afterwards(payment: PaymentState): Promise<void> {
    const { chance, time, processor } = this.#world
    const pause = (): Promise<void> => time.sleep(chance.fraction() * 20_000)
    await pause()
    processor.complete(payment)
    if (chance.happens(0.4)) {
      await pause()
      const refund = processor.refund(
        payment,
        chance.integer(1, Math.floor(payment.amountMinor / 2)),
      )
      await pause()
      processor.moveRefund(payment, refund, chance.happens(0.2) ? 'failed' : 'succeeded')
      await pause()
      if (refund.status === 'succeeded' && chance.happens(0.4))
        processor.moveRefund(payment, refund, 'failed')
    }
    for (let turn = 0; chance.happens(0.3); turn += 1) {
      await pause()
      processor.dispute(payment, turn % 2 === 0 ? 'withdrawn' : 'reinstated')
    }
  }
}
