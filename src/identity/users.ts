/**
 * The people: each has one wallet, and one key that seals the texts of its entries.
 * Promises: ids and keys are drawn at random and derived from nothing.
 * Never: hands out a key that was destroyed; the texts it sealed are gone then.
 */
import { readFileSync } from 'node:fs'
import { walletIdOf } from '../domain/ids.js'
import type { WalletId } from '../domain/ids.js'
import type { Migration } from '../platform/migrations.js'
import type { Client, Pool } from '../platform/postgres.js'
import type { Random } from '../platform/random.js'
import { sealingKeyBytes } from '../platform/sealing.js'

export const usersMigration: Migration = {
  name: '0003-users',
  sql: readFileSync(new URL('./users.sql', import.meta.url), 'utf8'),
}

export interface User {
  readonly serviceUserId: string
  readonly walletId: WalletId
  /** Missing once the person's texts are erased. */
  readonly sealingKey: Buffer | undefined
}

export async function createUser(database: Pool | Client, random: Random): Promise<User> {
  const user = {
    serviceUserId: `usr_${random.uuid()}`,
    walletId: walletIdOf(random.uuid()),
    sealingKey: random.bytes(sealingKeyBytes),
  }
  await database.query(
    'insert into identity.users (service_user_id, wallet_id, sealing_key) values ($1, $2, $3)',
    [user.serviceUserId, user.walletId, user.sealingKey],
  )
  return user
}

/** The key of the wallet's owner; undefined when it is destroyed or nobody owns the wallet. */
export async function sealingKeyOf(
  database: Pool,
  walletId: WalletId,
): Promise<Buffer | undefined> {
  const { rows } = await database.query<{ sealing_key: Buffer | null }>(
    'select sealing_key from identity.users where wallet_id = $1',
    [walletId],
  )
  return rows[0]?.sealing_key ?? undefined
}
