/**
 * The id of a webhook: UUIDv5 with the endpoint as namespace and "<source event> <type>" as name.
 * Promises: the same event gives the same id for ever, so a receiver knows what it has seen.
 */
import { uuidBytes, uuidV5 } from '../domain/ids.js'

export function webhookIdOf(of: {
  readonly endpointId: string
  readonly sourceId: string
  readonly type: string
}): string {
  const name = Buffer.from(`${of.sourceId} ${of.type}`, 'utf8')
  return uuidV5(Buffer.concat([uuidBytes(of.endpointId), name]))
}
