/**
 * `audit checkpoint`, `audit checkpoints`, `audit keys`, `audit bundle`: signing the heads of all
 * wallets, going on after a loss, the keys for it, and one wallet's history with its proof in a
 * file, which verify-bundle.ts checks. Never: prints a private key, or leaves half a bundle behind.
 */
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { BundleError, bundlePieces, proveHead } from '../audit/proofs/bundle.js'
import { hashOf, published } from '../audit/proofs/checkpoint-format.js'
import { readKeys } from '../audit/proofs/checkpoint-rows.js'
import { CheckpointRunningError } from '../audit/proofs/checkpoint-lock.js'
import { checkpointParts } from '../audit/proofs/checkpoint-parts.js'
import type { CheckpointParts } from '../audit/proofs/checkpoint-completion.js'
import {
  continueAfterLoss,
  makeCheckpoint,
  NoLossError,
  rotateKey,
} from '../audit/proofs/checkpoints.js'
import { DivergenceError } from '../audit/verifying/divergence.js'
import { SigningKeyError } from '../audit/proofs/signing-keys.js'
import { WitnessError } from '../audit/proofs/witness.js'
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import { printable, recorded } from './identity.js'
import type { AuditWork } from './opened-ledger.js'
import { findWallet, withLedgerData } from './opened-ledger.js'
import { periodOf } from './period.js'
import { CommandError, counted, notice, print, printJson } from './terminal.js'

export function registerAuditCheckpoints(audit: Command): void {
  audit
    .command('checkpoint')
    .description('sign the heads of all wallets now, if the log has moved')
    .option('--json', 'print the checkpoint as JSON')
    .action(checkpoint)
  audit
    .command('checkpoints')
    .description('what a person decides about checkpoints')
    .command('continue-after-loss')
    .description('sign the next one although what was signed before is gone, and say so in it')
    .requiredOption('--number <number>', 'the newest checkpoint that is witnessed, and lost')
    .option('--json', 'print the new checkpoint and what is gone as JSON')
    .action(goOn)
  const keys = audit.command('keys').description('the keys that checkpoints are signed with')
  keys
    .command('list')
    .description('all public keys, from the first to the newest')
    .option('--json', 'print them as JSON')
    .action(listKeys)
  keys
    .command('rotate')
    .description('make a new key, signed by the old one, whose private part is then destroyed')
    .option('--lost', 'the old private key is lost: nobody signs the new one but itself')
    .option('--json', 'print the new key as JSON')
    .action(rotate)
  audit
    .command('bundle <wallet>')
    .description("a wallet's whole stream and its proof in one file, for verify-bundle")
    .option('--from <time>', 'show entries at or after this ISO 8601 time (all are in the file)')
    .option('--to <time>', 'show entries before this ISO 8601 time')
    .option('--out <file>', 'the file; when left out: wallet-<walletId>.bundle.json')
    .option('--json', 'print what was written as JSON')
    .action(bundle)
}

async function checkpoint(options: { json?: true }): Promise<void> {
  const result = await withCheckpoints((parts) => makeCheckpoint(parts))
  if (result.kind === 'empty')
    throw new CommandError('There is nothing to sign yet.', 'The read models hold no event.')
  const { newest, kind } = result
  const { number, walletCount, position, time, keyId } = newest.checkpoint
  if (options.json) {
    printJson({ isNew: kind === 'made', ...newest, hash: hashOf(newest) })
    return
  }
  const said = kind === 'made' ? 'Signed' : 'Nothing has moved since'
  const over = counted(walletCount, 'wallet')
  print(`${said} checkpoint ${number} of ${time}: ${over}, position ${position}.`)
  print(`Hash ${hashOf(newest)}, key ${keyId}. Keep a copy elsewhere.`)
}

async function goOn(options: { number: string; json?: true }): Promise<void> {
  if (!/^[1-9][0-9]{0,14}$/.test(options.number)) {
    const remedy = 'Give the number that audit verify says is gone.'
    throw new CommandError(`--number is '${printable(options.number)}'.`, remedy)
  }
  const number = Number(options.number)
  const loss = await withCheckpoints((parts) =>
    recorded(
      parts.identity,
      { action: 'checkpoints.continue_after_loss', subject: null, details: { number } },
      () => continueAfterLoss(parts, { number }).catch((error: unknown) => throwInWords(error)),
    ),
  )
  const { newest, lost, lastKept, divergence } = loss
  const { hash, root, seenPosition } = lost
  const gone = { from: Math.min(lastKept + 1, number), to: number, hash, root, seenPosition }
  if (options.json) {
    printJson({ ...newest, hash: hashOf(newest), lastKept, gone, divergence })
    return
  }
  const { checkpoint } = newest
  print(`Signed checkpoint ${checkpoint.number} over the witnessed hash of ${number}.`)
  print(`Gone: ${printable(divergence.place)}: ${printable(divergence.problem)}.`)
  print(`Checkpoint ${number} had hash ${hash} and root ${root};`)
  print(`the log was seen up to position ${seenPosition}, this one is at ${checkpoint.position}.`)
  print('Tell everyone who keeps checkpoints: this one says itself what it goes on after.')
}

async function listKeys(options: { json?: true }): Promise<void> {
  const keys = await withLedgerData(async ({ pool }) => published(await readKeys(pool)))
  if (options.json) printJson(keys)
  else if (keys.length === 0) print('No key yet: the first checkpoint makes one.')
  else
    for (const { key, until } of keys)
      print(`${key.keyId}  from ${key.from}  ${until === null ? 'in use' : `until ${until}`}`)
}

async function rotate(options: { lost?: true; json?: true }): Promise<void> {
  const isLost = options.lost === true
  await withCheckpoints(async (parts) => {
    const made = await rotateKey(parts, { isLost })
    const { keyId } = made.key
    if (options.json) printJson(made)
    else print(`The new key is ${keyId}. Keep a copy of its file; the old one is gone.`)
    if (!isLost) return
    notice('It is signed by itself alone: until you vouch for it, audit verify and the checks of')
    notice('a running service report it. Set this for the service and for commands, and restart:')
    notice(`AUDIT_TRUSTED_KEYS=${[...parts.trustedKeys, keyId].join(',')}`)
    notice('Then run audit checkpoint: so it vouches for what was signed before it. Tell its id to')
    notice('everyone who keeps checkpoints or checks bundles.')
  })
}

interface BundleOptions {
  readonly from?: string
  readonly to?: string
  readonly out?: string
  readonly json?: true
}

async function bundle(wallet: string, options: BundleOptions): Promise<void> {
  const { from = null, to = null } = periodOf(options)
  await withCheckpoints(async (parts) => {
    const walletId = await findWallet(parts, wallet)
    const proof = await proveHead(parts, walletId)
    const file = resolve(options.out ?? `wallet-${walletId}.bundle.json`)
    await writeWhole(file, bundlePieces(parts.store, proof, { from, to }))
    const { size } = await stat(file)
    const events = proof.head.revision + 1
    const number = proof.checkpoints.at(-1)?.checkpoint.number ?? 0
    if (options.json) printJson({ file, walletId, events, bytes: size, checkpoint: number })
    else
      print(`${file}: ${counted(events, 'event')}, ${size} bytes, proven by checkpoint ${number}.`)
    if (proof.newerEvents === 0) return
    const are = proof.newerEvents === 1 ? 'is' : 'are'
    const newer = counted(proof.newerEvents, 'newer event')
    notice(`${newer} ${are} in no checkpoint yet, and not in the file.`)
  })
}

interface Parts extends CheckpointParts, Pick<AuditWork, 'pool' | 'store' | 'identity'> {
  readonly trustedKeys: readonly string[]
}

/** Opens the ledger's data with the key of the configuration; faults become sentences. */
async function withCheckpoints<T>(work: (parts: Parts) => Promise<T>): Promise<T> {
  return withLedgerData(async ({ pool, store, identity, config, log }) => {
    const system = { clock: systemClock, random: systemRandom, log }
    const parts = checkpointParts(config.checkpoints, { pool, store, ...system })
    try {
      return await work({ ...parts, identity, trustedKeys: config.checkpoints.trustedKeys })
    } catch (error) {
      throw inWords(error)
    }
  })
}

function throwInWords(error: unknown): never {
  throw inWords(error)
}

function inWords(error: unknown): unknown {
  if (error instanceof NoLossError)
    return new CommandError(`Nothing was signed: ${error.message}.`, 'See: audit verify')
  if (error instanceof WitnessError)
    return new CommandError(`Nothing is signed: ${error.message}.`, witnessRemedy)
  if (error instanceof SigningKeyError) return new CommandError(error.message, error.remedy)
  if (error instanceof CheckpointRunningError)
    return new CommandError('Another process is making a checkpoint.', 'Try again in a minute.')
  if (error instanceof BundleError)
    return new CommandError(`No bundle: ${error.message}.`, 'Nothing was written.')
  if (error instanceof DivergenceError)
    return new CommandError(
      `Nothing is signed or bundled: ${error.message}.`,
      'Keep the data as it is and run: npm run -s wallet -- audit verify',
    )
  return error
}

const witnessRemedy =
  'Checkpoints are witnessed beside SIGNING_KEY_FILE and in CHECKPOINT_WITNESS. Try again.'

/** The file appears whole or not at all. */
async function writeWhole(file: string, pieces: AsyncIterable<string>): Promise<void> {
  const temporary = `${file}.${systemRandom.uuid()}`
  try {
    await pipeline(Readable.from(pieces), createWriteStream(temporary, { mode: 0o600 }))
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
