/**
 * What the witness says beside what the database and the log hold: whether the last checkpoint that
 * was ever made is still there, and the last event that was ever seen. This is the difference
 * between "no checkpoints yet" and "they are gone". Promises: a checkpoint that is prepared and
 * witnessed but has no row yet is a crash and no attack; one that a person went on after is
 * accounted for by the checkpoint that says so.
 */
import type { EventStore } from '../../event-store/event-store.js'
import type { Client } from '../../platform/postgres.js'
import type { Divergence } from '../verifying/divergence.js'
import type { SignedCheckpoint } from './checkpoint-format.js'
import { hashOf, lossOf, published, signatureFault } from './checkpoint-format.js'
import { findCheckpoint, findLossOf, listCheckpoints } from './checkpoint-rows.js'
import { readKeys, readPrepared } from './checkpoint-rows.js'
import type { Witnessed, Word } from './witness.js'

/**
 * `stands`: its row, or the prepared one, is in the database. `given-up`: it is lost, and a person
 * went on after it. `gone`: it was there once, and somebody or something took it away.
 */
export type Standing =
  | { readonly kind: 'stands' | 'given-up' }
  | { readonly kind: 'gone'; readonly place: string; readonly problem: string }

export async function standingOf(client: Client, { record, place }: Word): Promise<Standing> {
  const { number, hash, root } = record
  const row = await findCheckpoint(client, number)
  if (row !== undefined && hashOf(row) === hash) return { kind: 'stands' }
  const prepared = await readPrepared(client)
  if (prepared !== undefined && hashOf(prepared) === hash) return { kind: 'stands' }
  const later = prepared === undefined ? [] : [prepared]
  if (await isGivenUp(client, record, later)) return { kind: 'given-up' }

  const witnessed = `hash ${hash} and root ${root}, witnessed in ${place}`
  const [last] = await listCheckpoints(client, { limit: 1 })
  const kept = last?.checkpoint.number ?? 0
  if (row !== undefined) {
    const problem = `was signed again: it has hash ${hashOf(row)}, but had ${witnessed}`
    return { kind: 'gone', place: `checkpoint ${number}`, problem }
  }
  const first = Math.min(kept + 1, number)
  const many = first < number ? `checkpoints ${first} to ${number}` : `checkpoint ${number}`
  const ends = kept === 0 ? 'the database holds none' : `the newest in the database is ${kept}`
  const problem = `${first < number ? 'are' : 'is'} gone: ${number} had ${witnessed}; ${ends}`
  return { kind: 'gone', place: many, problem }
}

/** Only the word of one of our keys counts: anybody can write a row. */
async function isGivenUp(
  client: Client,
  { number, hash }: Witnessed,
  prepared: readonly SignedCheckpoint[],
): Promise<boolean> {
  const candidates = [...(await findLossOf(client, number)), ...prepared].filter(
    ({ checkpoint }) => lossOf(checkpoint)?.number === number && checkpoint.previous === hash,
  )
  if (candidates.length === 0) return false
  const keys = new Map(published(await readKeys(client)).map((one) => [one.key.keyId, one]))
  return candidates.some((candidate) => signatureFault(candidate, keys) === undefined)
}

/** What is wrong with the log, if the last event that was seen no longer stands where it stood. */
export async function findCut(
  store: Pick<EventStore, 'eventAt'>,
  { record, place }: Word,
): Promise<Divergence | undefined> {
  const { seenPosition, seenEventId } = record
  const event = await store.eventAt(BigInt(seenPosition))
  if (event?.id === seenEventId) return undefined
  const holds = event === undefined ? 'is missing' : `holds event ${event.id}`
  const problem = `${holds}, but event ${seenEventId} was seen there (witnessed in ${place})`
  return { kind: 'log', place: `position ${seenPosition} of the log`, problem }
}
