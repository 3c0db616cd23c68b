/**
 * What a client asks a node before it works with it: Gossip/Read (who is in the cluster, who
 * leads) and ServerFeatures/GetSupportedMethods (may it use BatchAppend), answers as 23.10.8 gives
 * them.
 */
import { randomUUID } from 'node:crypto'
import { gossip, serverFeatures, shared } from './stubs.js'
import type * as stubs from './stubs.js'

export interface Member {
  readonly instanceId: string
  readonly host: string
  readonly port: number
  readonly isLeader: boolean
  readonly isAlive: boolean
}

const streamsService = 'event_store.client.streams.streams'
const ticksPerMs = 10_000n
const methods: readonly { name: string; features: string[] }[] = [
  { name: 'read', features: ['position', 'events'] },
  { name: 'append', features: [] },
  { name: 'delete', features: [] },
  { name: 'tombstone', features: [] },
  { name: 'batchappend', features: ['deadline_duration'] },
]

export function newInstanceId(): string {
  return randomUUID()
}

export function clusterInfo(members: readonly Member[]): stubs.ClusterInfo {
  const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState
  const info = new gossip.ClusterInfo()
  for (const member of members) {
    const endpoint = new gossip.EndPoint()
    endpoint.setAddress(member.host)
    endpoint.setPort(member.port)
    const entry = new gossip.MemberInfo()
    entry.setInstanceId(new shared.UUID().setString(member.instanceId))
    entry.setTimeStamp((BigInt(Date.now()) * ticksPerMs).toString())
    entry.setState(member.isLeader ? LEADER : FOLLOWER)
    entry.setIsAlive(member.isAlive)
    entry.setHttpEndPoint(endpoint)
    info.addMembers(entry)
  }
  return info
}

export function supportedMethods(): stubs.SupportedMethods {
  const supported = new serverFeatures.SupportedMethods()
  supported.setEventStoreServerVersion('23.10.8')
  for (const { name, features } of methods) {
    const method = new serverFeatures.SupportedMethod()
    method.setMethodName(name)
    method.setServiceName(streamsService)
    method.setFeaturesList(features)
    supported.addMethods(method)
  }
  return supported
}
