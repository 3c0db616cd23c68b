/**
 * The tables of checkpoints, keys and leaves: every statement on them (checkpoints.sql,
 * prepared-checkpoint.sql).
 * Promises: what is read was written as it is, or is a divergence that names the row.
 * Never: signs, or judges a signature.
 */
import { readFileSync } from 'node:fs'
import type { ChainHash } from '../../domain/hash-chain.js'
import type { WalletId } from '../../domain/ids.js'
import type { Migration } from '../../platform/migrations.js'
import type { Client, Pool } from '../../platform/postgres.js'
import type { Checkpoint, Head, KeyStatement, SignedCheckpoint } from './checkpoint-format.js'
import { canonicalText, lossOf } from './checkpoint-format.js'
import type { SignedKey } from './checkpoint-format.js'
import { diverges } from '../verifying/divergence.js'
import { checkpointLeavesKept, checkpointPageRows } from '../limits.js'

export const checkpointMigrations: readonly Migration[] = [
  { name: '0014-checkpoints', sql: sqlOf('checkpoints') },
  { name: '0018-prepared-checkpoint', sql: sqlOf('prepared-checkpoint') },
  { name: '0021-owners', sql: sqlOf('owners') },
]

function sqlOf(name: string): string {
  return readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8')
}

type Database = Pool | Client

/** From the first key to the newest. */
export async function readKeys(database: Database): Promise<SignedKey[]> {
  const { rows } = await database.query<{ number: number; key: string; signature: Buffer }>(
    'select number, key, signature from audit.signing_keys order by number',
  )
  return rows.map(({ number, key, signature }, index) => {
    const place = `signing key ${number}`
    if (number !== index + 1) diverges('checkpoint', place, 'follows a gap')
    return { key: parse(key, place) as KeyStatement, signature: signature.toString('hex') }
  })
}

export async function insertKey(
  client: Client,
  { key, signature }: SignedKey,
  number: number,
): Promise<void> {
  await client.query(
    'insert into audit.signing_keys (number, key, signature) values ($1, $2, $3)',
    [number, canonicalText(key), Buffer.from(signature, 'hex')],
  )
}

/** Newest first, those below `before`. */
export async function listCheckpoints(
  database: Database,
  { before, limit }: { readonly before?: number | undefined; readonly limit: number },
): Promise<SignedCheckpoint[]> {
  const { rows } = await database.query<CheckpointRow>(
    'select number, checkpoint, signature from audit.checkpoints ' +
      'where number < coalesce($1, 9223372036854775807) order by number desc limit $2',
    [before, limit],
  )
  return rows.map(toCheckpoint)
}

/** Oldest first, those above `after`. */
export async function followCheckpoints(
  database: Database,
  after: number,
): Promise<SignedCheckpoint[]> {
  const { rows } = await database.query<CheckpointRow>(
    'select number, checkpoint, signature from audit.checkpoints where number > $1 ' +
      'order by number limit $2',
    [after, checkpointPageRows],
  )
  return rows.map(toCheckpoint)
}

export async function insertCheckpoint(
  client: Client,
  { checkpoint, signature }: SignedCheckpoint,
): Promise<void> {
  await client.query(
    'insert into audit.checkpoints (number, checkpoint, signature) values ($1, $2, $3)',
    [checkpoint.number, canonicalText(checkpoint), Buffer.from(signature, 'hex')],
  )
}

/** The checkpoint of this number. */
export async function findCheckpoint(
  database: Database,
  number: number,
): Promise<SignedCheckpoint | undefined> {
  const [found] = await listCheckpoints(database, { before: number + 1, limit: 1 })
  return found?.checkpoint.number === number ? found : undefined
}

/** The one with which a person went on after this checkpoint was lost. Reads every row. */
export async function findLossOf(
  database: Database,
  lostNumber: number,
): Promise<SignedCheckpoint[]> {
  const { rows } = await database.query<CheckpointRow>(
    'select number, checkpoint, signature from audit.checkpoints ' +
      `where number > $1 and strpos(checkpoint, '"lostNumber":' || $1 || ',') > 0`,
    [lostNumber],
  )
  return rows.map(toCheckpoint)
}

/** The newest whose leaves are kept; none from before a loss, for those heads are gone. */
export async function listKept(database: Database): Promise<SignedCheckpoint[]> {
  const newest = await listCheckpoints(database, { limit: checkpointLeavesKept })
  const loss = newest.findIndex(({ checkpoint }) => lossOf(checkpoint) !== undefined)
  return loss === -1 ? newest : newest.slice(0, loss + 1)
}

/** The one that is signed and has its leaves, but perhaps no witness yet. */
export async function readPrepared(database: Database): Promise<SignedCheckpoint | undefined> {
  const { rows } = await database.query<Omit<CheckpointRow, 'number'>>(
    'select checkpoint, signature from audit.prepared_checkpoint',
  )
  return rows.map(({ checkpoint, signature }) => ({
    checkpoint: parse(checkpoint, 'the prepared checkpoint') as Checkpoint,
    signature: signature.toString('hex'),
  }))[0]
}

export async function insertPrepared(
  client: Client,
  { checkpoint, signature }: SignedCheckpoint,
): Promise<void> {
  await client.query(
    'insert into audit.prepared_checkpoint (checkpoint, signature) values ($1, $2)',
    [canonicalText(checkpoint), Buffer.from(signature, 'hex')],
  )
}

export async function removePrepared(client: Client): Promise<void> {
  await client.query('delete from audit.prepared_checkpoint')
}

export async function insertLeaves(
  client: Client,
  number: number,
  heads: readonly Head[],
): Promise<void> {
  await client.query({
    name: 'checkpoint-leaves-insert',
    text:
      'insert into audit.checkpoint_leaves (number, wallet_id, revision, hash) ' +
      "select $1, id, revision, decode(hash, 'hex') " +
      'from unnest($2::uuid[], $3::bigint[], $4::text[]) as head (id, revision, hash)',
    values: [
      number,
      heads.map(({ walletId }) => walletId),
      heads.map(({ revision }) => revision),
      heads.map(({ hash }) => hash),
    ],
  })
}

/** The leaves of a checkpoint in their order, a page at a time. */
export async function* readLeaves(
  database: Database,
  number: number,
): AsyncGenerator<readonly Head[], void> {
  for (let after = lowestId; ;) {
    const { rows } = await database.query<LeafRow>({
      name: 'checkpoint-leaves-page',
      text:
        "select wallet_id, revision, encode(hash, 'hex') as hash from audit.checkpoint_leaves " +
        'where number = $1 and wallet_id > $2 order by wallet_id limit $3',
      values: [number, after, checkpointPageRows],
    })
    if (rows.length > 0) yield rows.map(toHead)
    const last = rows.at(-1)
    if (last === undefined || rows.length < checkpointPageRows) return
    after = last.wallet_id
  }
}

export async function findLeaf(
  database: Database,
  { number, walletId }: { readonly number: number; readonly walletId: WalletId },
): Promise<Head | undefined> {
  const { rows } = await database.query<LeafRow>(
    "select wallet_id, revision, encode(hash, 'hex') as hash from audit.checkpoint_leaves " +
      'where number = $1 and wallet_id = $2',
    [number, walletId],
  )
  return rows.map(toHead)[0]
}

/** Wallets above `after` up to `through`, or one wallet. */
export type LeafRange = { readonly after: string; readonly through: string } | WalletId

/** What these checkpoints say of these wallets; a head that several hold comes once. */
export async function readHeads(
  pool: Pool,
  numbers: readonly number[],
  range: LeafRange,
): Promise<(Head & { readonly number: number })[]> {
  const [where, values] =
    typeof range === 'string'
      ? ['wallet_id = $2', [range]]
      : ['wallet_id > $2 and wallet_id <= $3', [range.after, range.through]]
  const { rows } = await pool.query<LeafRow & { number: number }>(
    `select min(number) as number, wallet_id, revision, encode(hash, 'hex') as hash
     from audit.checkpoint_leaves where number = any($1) and ${where}
     group by wallet_id, revision, hash order by wallet_id, revision`,
    [numbers, ...values],
  )
  return rows.map((row) => ({ ...toHead(row), number: row.number }))
}

/**
 * The first wallet between two ids that the newer checkpoint has lost, or has at an earlier
 * revision, or with another hash at the same one: streams only grow, so there is none.
 */
export async function findLostHead(
  client: Client,
  { number, after, through }: { number: number; after: string; through: string },
): Promise<Head | undefined> {
  const { rows } = await client.query<LeafRow>({
    name: 'checkpoint-leaves-lost',
    text: `
      select o.wallet_id, o.revision, encode(o.hash, 'hex') as hash
      from audit.checkpoint_leaves o
      left join audit.checkpoint_leaves n on n.number = $1 and n.wallet_id = o.wallet_id
      where o.number = $1 - 1 and o.wallet_id > $2 and o.wallet_id <= $3
        and (n.wallet_id is null or n.revision < o.revision
          or (n.revision = o.revision and n.hash <> o.hash))
      order by o.wallet_id limit 1`,
    values: [number, after, through],
  })
  return rows.map(toHead)[0]
}

export async function removeOldLeaves(client: Client, newest: number): Promise<void> {
  await removeLeaves(client, 'number <= $1', newest - checkpointLeavesKept)
}

/** Of checkpoints that were never finished. */
export async function removeLeavesFrom(client: Client, number: number): Promise<void> {
  await removeLeaves(client, 'number >= $1', number)
}

/** In statements of bounded size. */
async function removeLeaves(client: Client, which: string, number: number): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(
      'delete from audit.checkpoint_leaves where (number, wallet_id) in ' +
        `(select number, wallet_id from audit.checkpoint_leaves where ${which} limit $2)`,
      [number, checkpointPageRows],
    )
    if ((rowCount ?? 0) < checkpointPageRows) return
  }
}

export const lowestId = '00000000-0000-0000-0000-000000000000'
export const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

interface CheckpointRow {
  readonly number: number
  readonly checkpoint: string
  readonly signature: Buffer
}

interface LeafRow {
  readonly wallet_id: WalletId
  readonly revision: number
  readonly hash: ChainHash
}

function toCheckpoint({ number, checkpoint: text, signature }: CheckpointRow): SignedCheckpoint {
  const place = `checkpoint ${number}`
  const checkpoint = parse(text, place) as Checkpoint
  if (checkpoint.number !== number)
    diverges('checkpoint', place, `says that it is checkpoint ${checkpoint.number}`)
  return { checkpoint, signature: signature.toString('hex') }
}

function toHead({ wallet_id, revision, hash }: LeafRow): Head {
  return { walletId: wallet_id, revision, hash }
}

/** A text of ours, or something that somebody changed: everything else is told by its signature. */
function parse(text: string, place: string): Checkpoint | KeyStatement {
  try {
    const value = JSON.parse(text) as Checkpoint | KeyStatement
    if (canonicalText(value) === text) return value
  } catch {
    // Told below.
  }
  return diverges('checkpoint', place, 'is not canonical JSON')
}
