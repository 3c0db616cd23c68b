/**
 * Who owns which wallet, as checkpoints sign it: SHA-256(salt ‖ who ‖ which) a person, in a tree
 * that only grows (owners.sql). Promises: an owner that was signed once is never signed anew;
 * memory for a page of rows; of an erased person the digest is kept, and nobody can tell it any
 * more.
 */
import { sha256Hex } from '../../domain/digest.js'
import type { WalletId } from '../../domain/ids.js'
import { pageOwners, readSaltedOwners } from '../../identity/wallet-owners.js'
import type { SaltedOwner } from '../../identity/wallet-owners.js'
import type { Client } from '../../platform/postgres.js'
import { checkpointPageRows } from '../limits.js'
import { diverges } from '../verifying/divergence.js'
import type { Checkpoint } from './checkpoint-format.js'
import { checkpointFormat } from './checkpoint-format.js'
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
  for await (const page of readOwners(client, signed.ownerCount)) {
    const walletIds = page.map((row) => row.wallet_id)
    const owners = await readSaltedOwners(client, walletIds)
    for (const { wallet_id: walletId, digest } of page) {
      const place = `the owner of wallet ${walletId}`
      const fault = ownerFault(digest, owners.get(walletId))
      if (fault !== undefined) diverges('owner', place, `${fault} (checkpoint ${newest.number})`)
      tree.add(ownerLeaf({ walletId, owner: digest }))
    }
  }
  const isWhole = tree.size === signed.ownerCount
  if (!isWhole || tree.root().toString('hex') !== signed.ownersRoot) refuse(newest.number)
}

function refuse(number = 0): never {
  const problem = `are not those that checkpoint ${number} was signed with`
  return diverges('owner', "the digests of wallets' owners", problem)
}

/** `owner`: who has the wallet now, if anybody. */
function ownerFault(digest: string, owner: SaltedOwner | undefined): string | undefined {
  if (owner === undefined) return 'is gone, but one was signed'
  const { salt } = owner
  if (salt === null)
    return owner.isErased ? undefined : 'has no salt any more, although nobody erased the person'
  const isSame = ownerDigest({ ...owner, salt }) === digest
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
  for await (const page of pageOwners(client, checkpointPageRows)) {
    const { rowCount } = await client.query({
      name: 'owners-add',
      text: addStatement,
      values: [
        number,
        page.map(({ walletId }) => walletId),
        page.map(({ salt, ...owner }) => salt && ownerDigest({ ...owner, salt })),
      ],
    })
    number += rowCount ?? 0
  }
}

const addStatement = `
  insert into audit.owners (number, wallet_id, digest)
  select $1::bigint + row_number() over (order by p.wallet_id), p.wallet_id,
    coalesce(decode(p.digest, 'hex'),
      sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
  from unnest($2::uuid[], $3::text[]) as p (wallet_id, digest)
  where not exists (select from audit.owners o where o.wallet_id = p.wallet_id)`

interface SignedOwner {
  readonly number: number
  readonly wallet_id: WalletId
  readonly digest: string
}

async function* readOwners(
  client: Client,
  through: number,
): AsyncGenerator<readonly SignedOwner[], void> {
  for (let after = 0; ;) {
    const { rows } = await client.query<SignedOwner>({
      name: 'owners-page',
      text: `
        select number, wallet_id, encode(digest, 'hex') as digest from audit.owners
        where number > $1 and number <= $2 order by number limit $3`,
      values: [after, through, checkpointPageRows],
    })
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < checkpointPageRows) return
    after = last.number
  }
}
