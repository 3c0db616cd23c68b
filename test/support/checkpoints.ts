/**
 * A ledger whose heads are signed: three wallets with every kind of entry, a key in a folder of the
 * test's own, checkpoints and bundles on demand, and the hand of somebody with all rights.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { bundlePieces, proveHead } from '../../src/audit/proofs/bundle.js'
import type { SignedCheckpoint } from '../../src/audit/proofs/checkpoint-format.js'
import { makeCheckpoint } from '../../src/audit/proofs/checkpoints.js'
import type { Divergence } from '../../src/audit/verifying/divergence.js'
import { SigningKeys } from '../../src/audit/proofs/signing-keys.js'
import { openWitnesses } from '../../src/audit/proofs/witness-places.js'
import { verifyLedger } from '../../src/audit/verifying/verifier.js'
import type { WalletId } from '../../src/domain/ids.js'
import type { EventStore } from '../../src/event-store/event-store.js'
import type { Clock } from '../../src/platform/clock.js'
import { systemClock } from '../../src/platform/clock.js'
import type { Log } from '../../src/platform/log.js'
import { systemRandom } from '../../src/platform/random.js'
import { AuditedLedger } from './audited-ledger.js'
import { service } from './given.js'
import { newWalletId, quietLog } from './ledger.js'
import type { TestDatabaseLedger } from './ledger.js'

interface Teardown {
  teardown(fn: () => unknown): void
}

type Wallets = Pick<AuditedLedger, 'ledger' | 'wallets'>

export class SignedLedger {
  readonly ledger: TestDatabaseLedger
  readonly wallets: readonly [WalletId, WalletId, WalletId]
  readonly keyFile: string
  /** Beside the key, as in a service; a test may add more. */
  readonly witnessPlaces: string[]
  clock: Clock = systemClock
  log: Log = quietLog

  private constructor(
    ledger: TestDatabaseLedger,
    wallets: readonly [WalletId, WalletId, WalletId],
    keyFile: string,
  ) {
    this.ledger = ledger
    this.wallets = wallets
    this.keyFile = keyFile
    this.witnessPlaces = [`${keyFile}.witness`]
  }

  /** Projected, not signed yet. */
  static async open(t: Test, given?: { store: EventStore }): Promise<SignedLedger> {
    return SignedLedger.over(t, await AuditedLedger.open(t, given))
  }

  static async over(t: Teardown, { ledger, wallets }: Wallets): Promise<SignedLedger> {
    // Not t.testdir: the test itself may want that.
    const folder = await mkdtemp(join(tmpdir(), 'signed-ledger-'))
    t.teardown(() => rm(folder, { recursive: true }))
    return new SignedLedger(ledger, wallets, join(folder, 'keys', 'checkpoint-key.pem'))
  }

  /** The same key and witness over a copy of the database. */
  over(ledger: TestDatabaseLedger): SignedLedger {
    return new SignedLedger(ledger, this.wallets, this.keyFile)
  }

  get parts() {
    const { store, pool } = this.ledger
    const keys = new SigningKeys({ file: this.keyFile, random: systemRandom })
    const witnesses = openWitnesses(this.witnessPlaces, { random: systemRandom, log: this.log })
    return { store, pool, clock: this.clock, keys, witnesses }
  }

  get witnessFile(): string {
    return `${this.keyFile}.witness`
  }

  async sign(): Promise<SignedCheckpoint> {
    const result = await makeCheckpoint(this.parts)
    if (result.kind !== 'made') throw new Error(`no checkpoint: ${result.kind}`)
    return result.newest
  }

  /** One more entry in a wallet, projected. */
  async move(referenceId: string, wallet = 1): Promise<void> {
    const of = this.wallets[wallet] ?? newWalletId()
    await this.ledger.send(of, service('TopUp', 5, referenceId, of))
    await this.ledger.project()
  }

  async bundle(shown: { from: string | null; to: string | null } = all): Promise<Buffer> {
    const proof = await proveHead(this.parts, this.wallets[1])
    const pieces: string[] = []
    for await (const piece of bundlePieces(this.ledger.store, proof, shown)) pieces.push(piece)
    return Buffer.from(pieces.join(''), 'utf8')
  }

  /** What somebody with all rights could do. */
  async tamper(...statements: readonly string[]): Promise<void> {
    const { pool } = this.ledger
    const triggers = [
      'ledger.events disable trigger events_only_grow',
      'audit.checkpoints disable trigger checkpoints_only_grow',
      'audit.signing_keys disable trigger signing_keys_only_grow',
      'audit.checkpoint_leaves disable trigger checkpoint_leaves_never_change',
      'audit.owners disable trigger owners_only_grow',
      'identity.admin_log disable trigger admin_log_is_append_only',
    ]
    for (const trigger of triggers) await pool.query(`alter table ${trigger}`)
    for (const statement of statements)
      if ((await pool.query(statement)).rowCount === 0 && !statement.startsWith('alter'))
        throw new Error(`touched nothing: ${statement}`)
  }

  /** `trustedKeys`: what the operator vouches for outside of the database. */
  async divergence(trustedKeys: readonly string[] = []): Promise<Divergence | undefined> {
    return (await verifyLedger({ ...this.parts, trustedKeys })).divergence
  }
}

const all = { from: null, to: null }
