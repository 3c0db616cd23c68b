/**
 * What all simulated processes share: the log, the rows and the top-up intents, as one database
 * would hold them; and how it goes back in time, all of it together, as a restored copy or a
 * replica that lacked the newest commits would.
 */
import { MemoryLog } from '../support/memory-store.js'
import { MemoryReadTables } from '../support/memory-read-tables.js'
import { IntentTable } from '../support/memory-top-up-intents.js'

export class SimulatedServer {
  readonly log = new MemoryLog()
  readonly tables = new MemoryReadTables()
  /** A copy of the rows that is never quite up to date. */
  readonly replica = new MemoryReadTables()
  readonly intents: IntentTable
  /** How to take back each change of an intent, with the length of the log before it. */
  readonly #undo: { readonly events: number; readonly takeBack: () => void }[] = []

  constructor(knows: (walletId: string, clientId: string) => boolean) {
    this.intents = new IntentTable(knows)
    this.intents.onChange = (topUpId, before) => {
      const { rows } = this.intents
      const takeBack = (): void => {
        if (before === undefined) rows.delete(topUpId)
        else rows.set(topUpId, before)
      }
      this.#undo.push({ events: this.log.events.length, takeBack })
    }
  }

  /** Everything as it was when the log had this many events, and the rows stood somewhere in it. */
  goBackTo(events: number, rowsAt: number): void {
    const { log } = this
    log.setBack(events)
    this.tables.restore(
      log.events.slice(0, Math.min(rowsAt, Number(this.tables.checkpoint.position))),
    )
    if (Number(this.replica.checkpoint.position) > events) this.replica.restore([])
    for (let last = this.#undo.at(-1); last !== undefined && last.events > events;) {
      last.takeBack()
      this.#undo.pop()
      last = this.#undo.at(-1)
    }
  }

  /** The replica stands at some moment between the beginning and the rows. */
  refreshReplica(events: number): void {
    const position = Number(this.tables.checkpoint.position)
    this.replica.restore(this.log.events.slice(0, Math.min(events, position)))
  }
}
