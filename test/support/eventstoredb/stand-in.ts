/**
 * An EventStoreDB 23.10 for tests, inside the test's own process: one node or a cluster of three
 * that share one log, spoken to by the real client over loopback.
 * Promises: append rules, messages and failures of the real server, held against the recording in
 * test/event-store/eventstoredb-recorded.jsonl; `stop` leaves nothing running.
 * Never: durable, TLS, users, ACL, persistent subscriptions, projections.
 */
import { Appending, type ReceivedAppend, type Standing } from './appending.js'
import { notLeader, type Failure } from './failures.js'
import { FaultPlan } from './fault-plan.js'
import { Faults, type Machines } from './faults.js'
import type { Member } from './gossip.js'
import { Log, type LogEvent } from './log.js'
import { StandInNode, type Cluster, type Shared } from './node.js'
import { Reading } from './reading.js'
import { WireRecorder } from './recording.js'
import { Tampering } from './tampering.js'

/** A frozen node costs a client one gossip timeout (in seconds), so it is short here. */
const discoveryOptions = 'nodePreference=leader&discoveryInterval=50&gossipTimeout=1'
const commonOptions = 'tls=false&defaultDeadline=30000'

export class EventStoreStandIn implements Cluster, Machines {
  readonly faults: Faults
  readonly tampering: Tampering
  readonly #log = new Log()
  readonly #plan = new FaultPlan()
  readonly #shared: Shared
  readonly #nodes: StandInNode[] = []
  #leader: StandInNode | undefined

  private constructor() {
    const log = this.#log
    const plan = this.#plan
    const appending = new Appending(log, plan)
    const reading = new Reading(log, plan)
    this.#shared = { plan, appending, reading, recorder: undefined }
    this.faults = new Faults({ plan, log, appending, reading, machines: this })
    this.tampering = new Tampering(log)
  }

  static async start(options: { nodes?: 1 | 3 } = {}): Promise<EventStoreStandIn> {
    const standIn = new EventStoreStandIn()
    for (let count = 0; count < (options.nodes ?? 1); count += 1)
      standIn.#nodes.push(await StandInNode.start(standIn, standIn.#shared))
    standIn.#leader = standIn.#nodes[0]
    return standIn
  }

  /** One node: straight to it. Three: all of them as seeds, so that the client asks for gossip. */
  get connectionString(): string {
    const seeds = this.#nodes.map((node) => `${node.host}:${node.port.toString()}`).join(',')
    const options = this.#nodes.length > 1 ? `${commonOptions}&${discoveryOptions}` : commonOptions
    return `esdb://${seeds}?${options}`
  }

  /** To one node and no other, without gossip. */
  connectionStringOf(node: number): string {
    const { host, port } = this.#node(node)
    return `esdb://${host}:${port.toString()}?${commonOptions}`
  }

  /** The number of the leading node; undefined while there is none. */
  get leader(): number | undefined {
    const index = this.#nodes.findIndex((node) => node === this.#leader)
    return index < 0 ? undefined : index
  }

  /** What a reader sees of a stream, oldest first. */
  eventsOf(stream: string): readonly LogEvent[] {
    return this.#log.read(stream)
  }

  /** Events that clients wrote and that readers can see; `faults.restoreTo` counts the same way. */
  get eventCount(): number {
    return this.#log.eventCount
  }

  /** Appends that arrived complete, whatever became of them. */
  get appendsReceived(): number {
    return this.#shared.appending.receivedCount
  }

  /** Reads of one stream that arrived. */
  get streamReads(): number {
    return this.#shared.reading.streamReads
  }

  /** How many events readers can see after this place of the log. */
  eventsAfter(position: bigint): number {
    return this.#log.replicatedCount - this.#log.find(position + 1n).index
  }

  /** Resolves when so many appends have arrived and been dealt with. */
  async untilAppendsReceived(count: number): Promise<void> {
    await this.#shared.appending.untilReceived(count)
  }

  /** The latest of those, oldest first. */
  get receivedAppends(): readonly ReceivedAppend[] {
    return this.#shared.appending.received
  }

  get subscriptionCount(): number {
    return this.#shared.reading.subscriptionCount
  }

  /** Writes the conversation down from now on. */
  recordWire(): WireRecorder {
    return (this.#shared.recorder ??= new WireRecorder())
  }

  async stop(): Promise<void> {
    this.#plan.stop()
    await Promise.all(this.#nodes.map((node) => node.stop()))
  }

  standing(node: StandInNode, requiresLeader: boolean): Standing {
    const leader = this.#leader
    if (leader === undefined) return 'no-leader'
    if (node === leader) return 'serving'
    if (requiresLeader) return { refusal: this.notLeader() }
    return leader.isFrozen ? 'leader-unreachable' : 'serving'
  }

  notLeader(): Failure {
    const { host, port } = this.#leader ?? this.#node(0)
    return notLeader({ host, port })
  }

  members(): readonly Member[] {
    return this.#nodes.map((node) => ({
      instanceId: node.instanceId,
      host: node.host,
      port: node.port,
      isLeader: node === this.#leader,
      // The others go on naming a frozen leader until they have elected the next one.
      isAlive: node.isRunning && (!node.isFrozen || node === this.#leader),
    }))
  }

  cutConnections(node: number | undefined): void {
    for (const each of this.#chosen(node)) each.cutAll()
  }

  freeze(node: number | undefined): void {
    for (const each of this.#chosen(node)) each.freeze()
  }

  thaw(node: number | undefined): void {
    for (const each of this.#chosen(node)) each.thaw()
  }

  async kill(node: number): Promise<void> {
    const killed = this.#node(node)
    await killed.kill()
    const running = this.#nodes.filter((each) => each.isRunning)
    const hasMajority = running.length * 2 > this.#nodes.length
    if (!hasMajority) this.#lead(undefined)
    else if (killed === this.#leader) this.#lead(running[0])
  }

  async revive(node: number): Promise<void> {
    await this.#node(node).revive()
    const running = this.#nodes.filter((each) => each.isRunning)
    if (this.#leader === undefined && running.length * 2 > this.#nodes.length)
      this.#lead(running[0])
  }

  elect(node: number | undefined): number {
    const candidates = this.#nodes.filter(
      (each) => each !== this.#leader && each.isRunning && !each.isFrozen,
    )
    const next = node === undefined ? candidates[0] : this.#node(node)
    if (next === undefined || !candidates.includes(next))
      throw new Error('no other running node can lead')
    this.#lead(next)
    return this.#nodes.indexOf(next)
  }

  #lead(next: StandInNode | undefined): void {
    this.#shared.appending.timeOutWaiting()
    this.#log.loseUnreplicated()
    this.#leader = next
  }

  #chosen(node: number | undefined): readonly StandInNode[] {
    return node === undefined ? this.#nodes : [this.#node(node)]
  }

  #node(index: number): StandInNode {
    const node = this.#nodes[index]
    if (node === undefined) throw new Error(`there is no node ${index.toString()}`)
    return node
  }
}
