/**
 * The generated protobuf stubs of @eventstore/db-client, which ships them for servers too, so that
 * the stand-in and the client can never disagree about the encoding. They are CommonJS without
 * names that an ES module could import, hence the default imports; this file is the only place
 * that knows it.
 */
import codeModule from '@eventstore/db-client/generated/code_pb.js'
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import serverFeaturesGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import serverFeatures from '@eventstore/db-client/generated/serverfeatures_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import status from '@eventstore/db-client/generated/status_pb.js'
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import anyModule from 'google-protobuf/google/protobuf/any_pb.js'
import emptyModule from 'google-protobuf/google/protobuf/empty_pb.js'
import protobuf from 'google-protobuf'

export const { Code } = codeModule
export const { GossipService } = gossipGrpc
export const { ServerFeaturesService } = serverFeaturesGrpc
export const { StreamsClient, StreamsService } = streamsGrpc
export const { Any } = anyModule
export const { Empty: GoogleEmpty } = emptyModule
export const { BinaryWriter } = protobuf
export { gossip, serverFeatures, shared, status, streams }

export type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js'
export type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js'
export type { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js'
export type { Status } from '@eventstore/db-client/generated/status_pb.js'
export type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  DeleteReq,
  DeleteResp,
  ReadReq,
  ReadResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js'
