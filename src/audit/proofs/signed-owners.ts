/**
 * Who owns which wallet, as checkpoints sign it: SHA-256(salt ‖ who ‖ which) a person, in a tree
 * that only grows (owners.sql). Promises: an owner that was signed once is never signed anew;
 * memory for a page of rows; of an erased person the digest is kept, and nobody can tell it any
 * more.
 */
import { sha256Hex } from '../../domain/digest.js'
import type { Client } from '../../platform/postgres.js'
import { checkpointPageRows } from '../limits.js'
import { diverges } from '../verifying/divergence.js'
import type { Checkpoint } from './checkpoint-format.js'
import { checkpointFormat } from './checkpoint-format.js'
import { lowestId } from './checkpoint-rows.js'
import { leafHash, MerkleTree } from './merkle.js'

export interface OwnersTree {
  readonly ownerCount: number
  readonly ownersRoot: string
}

/** SHA-256(32 bytes of salt ‖ canonical JSON of { serviceUserId, walletId }). */
export function ownerDigest(of: {
  readonly salt: Buffer
  readonly serviceUserId: string
  readonly walletId: string
}): string {
  const { salt, serviceUserId, walletId } = of
  const text = `{"serviceUserId":${JSON.stringify(serviceUserId)},"walletId":"${walletId}"}`
  return sha256Hex(Buffer.concat([salt, Buffer.from(text, 'utf8')]))
}

export function ownerLeaf({ walletId, owner }: { walletId: string; owner: string }): Buffer {
  return leafHash(Buffer.from(`{"owner":"${owner}","walletId":"${walletId}"}`, 'utf8'))
}

/**
 * Adds those that have come since, and gives the tree of all. What the checkpoint before has signed
 * must be its beginning: else whoever empties the table would have other owners signed.
 */
export async function signOwners(
  client: Client,
  previous: Checkpoint | undefined,
): Promise<OwnersTree> {
  await addOwners(client)
  const tree = new MerkleTree()
  const signed = signedTree(previous)
  const compare = (): void => {
    if (signed === undefined || tree.size !== signed.ownerCount) return
    if (tree.root().toString('hex') !== signed.ownersRoot) refuse(previous?.number)
  }
  compare()
  for await (const page of readOwners(client, Number.MAX_SAFE_INTEGER))
    for (const { wallet_id: walletId, digest: owner } of page) {
      tree.add(ownerLeaf({ walletId, owner }))
      compare()
    }
  if (signed !== undefined && tree.size < signed.ownerCount) refuse(previous?.number)
  return { ownerCount: tree.size, ownersRoot: tree.root().toString('hex') }
}

/** Every signed owner beside the person who has the wallet now. */
export async function verifyOwners(client: Client, newest: Checkpoint | undefined): Promise<void> {
  const signed = signedTree(newest)
  if (newest === undefined || signed === undefined) return
  const tree = new MerkleTree()
  for await (const page of readOwners(client, signed.ownerCount))
    for (const row of page) {
      const place = `the owner of wallet ${row.wallet_id}`
      const fault = ownerFault(row)
      if (fault !== undefined) diverges('owner', place, `${fault} (checkpoint ${newest.number})`)
      tree.add(ownerLeaf({ walletId: row.wallet_id, owner: row.digest }))
    }
  const isWhole = tree.size === signed.ownerCount
  if (!isWhole || tree.root().toString('hex') !== signed.ownersRoot) refuse(newest.number)
}

function refuse(number = 0): never {
  const problem = `are not those that checkpoint ${number} was signed with`
  return diverges('owner', "the digests of wallets' owners", problem)
}

function ownerFault(row: OwnerRow): string | undefined {
  const { service_user_id: serviceUserId, owner_salt: salt, wallet_id: walletId } = row
  if (serviceUserId === null) return 'is gone, but one was signed'
  if (salt === null)
    return row.is_erased ? undefined : 'has no salt any more, although nobody erased the person'
  const isSame = ownerDigest({ salt, serviceUserId, walletId }) === row.digest
  return isSame ? undefined : 'is another one than the one that was signed'
}

function signedTree(checkpoint: Checkpoint | undefined): OwnersTree | undefined {
  return checkpoint?.format === checkpointFormat ? checkpoint : undefined
}

/** Of who was erased before anything was signed a digest is kept that nobody can tell, as later. */
async function addOwners(client: Client): Promise<void> {
  const { rows } = await client.query<{ last: number }>(
    'select coalesce(max(number), 0) as last from audit.owners',
  )
  let number = rows[0]?.last ?? 0
  for (let after = lowestId; ;) {
    const { rows } = await client.query<{ last: string | null; seen: number; added: number }>({
      name: 'owners-add',
      text: addStatement,
      values: [after, checkpointPageRows, number],
    })
    const { last, seen, added } = rows[0] ?? { last: null, seen: 0, added: 0 }
    number += added
    if (last === null || seen < checkpointPageRows) return
    after = last
  }
}

const addStatement = `
  with page as (
    select wallet_id, service_user_id, owner_salt from identity.users
    where wallet_id > $1 order by wallet_id limit $2
  ), added as (
    insert into audit.owners (number, wallet_id, digest)
    select $3::bigint + row_number() over (order by p.wallet_id), p.wallet_id,
      sha256(coalesce(p.owner_salt, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
        || convert_to('{"serviceUserId":' || to_json(p.service_user_id)::text
          || ',"walletId":"' || p.wallet_id || '"}', 'UTF8'))
    from page p
    where not exists (select from audit.owners o where o.wallet_id = p.wallet_id)
    returning 1
  )
  select (select max(wallet_id::text) from page) as last, (select count(*) from page) as seen,
    (select count(*) from added) as added`

interface OwnerRow {
  readonly number: number
  readonly wallet_id: string
  readonly digest: string
  /** Null when nobody has the wallet any more. */
  readonly service_user_id: string | null
  readonly owner_salt: Buffer | null
  readonly is_erased: boolean
}

async function* readOwners(
  client: Client,
  through: number,
): AsyncGenerator<readonly OwnerRow[], void> {
  for (let after = 0; ;) {
    const { rows } = await client.query<OwnerRow>({
      name: 'owners-page',
      text: `
        select o.number, o.wallet_id, encode(o.digest, 'hex') as digest, u.service_user_id,
          u.owner_salt, u.erased_at is not null as is_erased
        from audit.owners o left join identity.users u on u.wallet_id = o.wallet_id
        where o.number > $1 and o.number <= $2 order by o.number limit $3`,
      values: [after, through, checkpointPageRows],
    })
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < checkpointPageRows) return
    after = last.number
  }
}
