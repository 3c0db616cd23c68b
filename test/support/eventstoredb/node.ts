/**
 * One node of the stand-in: a gRPC server on loopback with the three services that client 6.2.1
 * calls, and the front through which clients reach it.
 * Promises: what the node may do (lead, follow, refuse) is asked of the cluster at each call,
 * never kept.
 * States: running, frozen, killed; the gRPC server itself lives until `stop`.
 */
import {
  Server,
  ServerCredentials,
  status,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import {
  requiresLeader,
  type Appending,
  type BatchCall,
  type Host,
  type SingleCall,
  type Standing,
} from './appending.js'
import { failure, serverNotReady, type Failure } from './failures.js'
import type { FaultPlan } from './fault-plan.js'
import { Front } from './front.js'
import { clusterInfo, newInstanceId, supportedMethods, type Member } from './gossip.js'
import type { ReadCall, Reading } from './reading.js'
import type { WireRecorder } from './recording.js'
import { GossipService, ServerFeaturesService, StreamsService } from './stubs.js'
import type * as stubs from './stubs.js'
import * as wire from './wire-append.js'

/** What a node needs to know of the others. */
export interface Cluster {
  standing(node: StandInNode, requiresLeader: boolean): Standing
  notLeader(): Failure
  members(): readonly Member[]
}

/** What all nodes share. */
export interface Shared {
  readonly plan: FaultPlan
  readonly appending: Appending
  readonly reading: Reading
  recorder: WireRecorder | undefined
}

/** The Streams service takes no larger message. */
const messageBytesMax = 16 * 1024 * 1024 - 10_000

export class StandInNode implements Host {
  readonly instanceId = newInstanceId()
  readonly host = '127.0.0.1'
  readonly #cluster: Cluster
  readonly #shared: Shared
  readonly #server: Server
  readonly #front: Front

  private constructor(parts: { cluster: Cluster; shared: Shared; server: Server; front: Front }) {
    this.#cluster = parts.cluster
    this.#shared = parts.shared
    this.#server = parts.server
    this.#front = parts.front
  }

  static async start(cluster: Cluster, shared: Shared): Promise<StandInNode> {
    const server = new Server({ 'grpc.max_receive_message_length': messageBytesMax })
    const serverPort = await bound(server)
    const front = new Front(serverPort)
    const node = new StandInNode({ cluster, shared, server, front })
    node.#serve()
    await front.open()
    return node
  }

  get port(): number {
    return this.#front.port
  }

  get isRunning(): boolean {
    return this.#front.isOpen
  }

  get isFrozen(): boolean {
    return this.#front.isFrozen
  }

  get recorder(): WireRecorder | undefined {
    return this.#shared.recorder
  }

  standing(isLeaderRequired: boolean): Standing {
    return this.#cluster.standing(this, isLeaderRequired)
  }

  notLeader(): Failure {
    return this.#cluster.notLeader()
  }

  cut(peer: string): void {
    this.#front.cut(peer)
  }

  cutAll(): void {
    this.#front.cutAll()
  }

  freeze(): void {
    this.#front.freeze()
  }

  thaw(): void {
    this.#front.thaw()
  }

  /** Like kill -9: the port is closed and every connection reset. */
  async kill(): Promise<void> {
    await this.#front.close()
  }

  /** On the same port as before. */
  async revive(): Promise<void> {
    if (!this.isRunning) await this.#front.open()
  }

  async stop(): Promise<void> {
    await this.#front.close()
    this.#server.forceShutdown()
  }

  #serve(): void {
    this.#server.addService(ServerFeaturesService, {
      getSupportedMethods: (
        call: ServerUnaryCall<stubs.Empty, stubs.SupportedMethods>,
        respond: sendUnaryData<stubs.SupportedMethods>,
      ) => this.#features(call, respond),
    })
    this.#server.addService(GossipService, {
      read: (_call: unknown, respond: sendUnaryData<stubs.ClusterInfo>) => {
        if (this.#shared.plan.takeGossipFailure()) {
          respond(failure(status.UNAVAILABLE, 'no gossip'))
          return
        }
        const info = clusterInfo(this.#cluster.members())
        this.recorder?.message('Gossip', 'server', info)
        respond(null, info)
      },
    })
    const append = { ...StreamsService.append, responseSerialize: wire.serializeAppendResp }
    this.#server.addService({ ...StreamsService, append }, this.#streams())
  }

  #streams(): UntypedServiceImplementation {
    const { appending, reading } = this.#shared
    return {
      read: (call: ReadCall) => {
        this.recorder?.call('Read', call.metadata)
        this.recorder?.message('Read', 'client', call.request)
        reading.handle(call, { refusal: this.#readRefusal(call), recorder: this.recorder })
      },
      batchAppend: (call: BatchCall) => {
        this.recorder?.call('BatchAppend', call.metadata)
        appending.batch(call, this)
      },
      append: (call: SingleCall, respond: sendUnaryData<stubs.AppendResp>) => {
        this.recorder?.call('Append', call.metadata)
        appending.single(call, respond, this)
      },
      delete: (
        call: ServerUnaryCall<stubs.DeleteReq, stubs.DeleteResp>,
        respond: sendUnaryData<stubs.DeleteResp>,
      ) => this.#remove('Delete', { call, respond, answer: wire.deleteAnswer }),
      tombstone: (
        call: ServerUnaryCall<stubs.TombstoneReq, stubs.TombstoneResp>,
        respond: sendUnaryData<stubs.TombstoneResp>,
      ) => this.#remove('Tombstone', { call, respond, answer: wire.tombstoneAnswer }),
    }
  }

  #features(
    call: ServerUnaryCall<stubs.Empty, stubs.SupportedMethods>,
    respond: sendUnaryData<stubs.SupportedMethods>,
  ): void {
    this.recorder?.call('GetSupportedMethods', call.metadata)
    this.recorder?.message('GetSupportedMethods', 'client', call.request)
    const code = this.#shared.plan.takeFeatureFailure()
    if (code !== undefined) {
      respond(failure(code, 'planned by the test'))
      return
    }
    this.#shared.plan.whenAnswering(() => {
      const answer = supportedMethods()
      this.recorder?.message('GetSupportedMethods', 'server', answer)
      respond(null, answer)
    })
  }

  #readRefusal(call: ReadCall): Failure | undefined {
    if (!requiresLeader(call.metadata)) return undefined
    const standing = this.standing(true)
    if (typeof standing === 'object') return standing.refusal
    return standing === 'serving' ? undefined : serverNotReady()
  }

  #remove<Answer extends stubs.DeleteResp | stubs.TombstoneResp>(
    method: 'Delete' | 'Tombstone',
    work: {
      call: ServerUnaryCall<stubs.DeleteReq | stubs.TombstoneReq, Answer>
      respond: sendUnaryData<Answer>
      answer: (position: bigint) => Answer
    },
  ): void {
    const { call, respond } = work
    this.recorder?.call(method, call.metadata)
    this.recorder?.message(method, 'client', call.request)
    const options = call.request.getOptions()
    if (options === undefined) {
      respond(failure(status.INVALID_ARGUMENT, 'no options'))
      return
    }
    const outcome = this.#shared.appending.remove(
      wire.streamNameOf(options.getStreamIdentifier()),
      {
        expected: wire.expectedOf(options, options.getRevision()),
        isForEver: method === 'Tombstone',
        headers: call.metadata,
        host: this,
      },
    )
    if (typeof outcome === 'object') {
      respond(outcome)
      return
    }
    const answer = work.answer(outcome)
    this.recorder?.message(method, 'server', answer)
    respond(null, answer)
  }
}

async function bound(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port)
      else reject(error)
    })
  })
}
