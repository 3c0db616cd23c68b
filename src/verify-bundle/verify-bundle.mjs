/**
 * Checks an audit bundle of a wallet offline: one file, no dependency, Node 18 or later.
 *
 *   node verify-bundle.mjs <bundle.json> [--checkpoints <file>] [--key <keyId, PEM or file>] [--json]
 *
 * Promises: green only when every event, id, hash, balance and rule, the proof, every signature and
 * the chain of checkpoints hold; otherwise the first thing that does not, by its place. Exit code 0
 * green, 1 it does not hold, 2 unable to look or no bundle at all. Never: opens a connection, or
 * trusts a field that it has not checked. The page /audit/verify runs this same file in a browser.
 * The formats: docs/reference/audit.md.
 */

const formats = {
  bundle: 'wallet-audit-bundle-v1',
  checkpoint: 'wallet-checkpoint-v2',
  firstCheckpoint: 'wallet-checkpoint-v1',
  key: 'wallet-checkpoint-key-v1',
}

/** Something was asked for that cannot be checked here: neither green nor red. */
export class UnableError extends Error {
  name = 'UnableError'
}

/**
 * `bytes` is the file. `crypto` has sha256(bytes), sha1(bytes) and verify({ key, text, signature }),
 * each with bytes in and bytes or a boolean out, now or as a promise (see nodeCrypto, webCrypto).
 * `options.trustedKey`: the keyId that the checkpoint must be signed with, directly or by its
 * successors. `options.keptCheckpoints`: JSON of checkpoints that were kept elsewhere.
 *
 * Answers { isValid: true, walletId, currency, decimals, balanceMinor, events, lines, checkpoint,
 * oldestCheckpoint, losses, keyId, keptCompared } or { isValid: false, place, problem, revision }; the last
 * is the entry that fails, or null when it is no entry. Throws UnableError for a file that is no
 * bundle at all: nobody is accused of having changed it.
 */
export async function verifyBundle(bytes, crypto, options = {}) {
  try {
    const { bundle, text } = readBundle(bytes)
    const wallet = await checkEvents(bundle, crypto)
    const checkpoints = await hashCheckpoints(bundle.checkpoints, crypto)
    const newest = checkpoints.at(-1)
    await checkProof(bundle, newest.checkpoint, crypto)
    const keys = await checkKeys(bundle.keys, crypto, options.trustedKey)
    await checkCheckpoints(checkpoints, keys, crypto)
    const keptCompared = await compareKept(checkpoints, crypto, options.keptCheckpoints)
    await checkDigest(bundle, text, crypto)
    return {
      isValid: true,
      walletId: bundle.walletId,
      currency: bundle.currency,
      decimals: decimalsOf(bundle.currency),
      balanceMinor: wallet.balanceMinor,
      events: bundle.events.length,
      lines: wallet.lines.filter(({ time }) => isShown(bundle.shown, time)),
      checkpoint: newest.checkpoint,
      oldestCheckpoint: checkpoints[0].checkpoint.number,
      losses: checkpoints.map(({ checkpoint }) => checkpoint).filter(isAfterLoss),
      keyId: newest.checkpoint.keyId,
      keptCompared,
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { place, problem, revision } = error
    return { isValid: false, place, problem, revision }
  }
}

class Failure extends Error {
  constructor(place, problem, revision = null) {
    super(`${place} ${problem}`)
    Object.assign(this, { place, problem, revision })
  }
}

function fail(place, problem, revision) {
  throw new Failure(place, problem, revision)
}

// --- the file ------------------------------------------------------------------------------------

function readBundle(bytes) {
  const text = decode(bytes)
  let bundle
  try {
    bundle = JSON.parse(text)
  } catch {
    notABundle('it is not JSON')
  }
  if (!isObject(bundle) || bundle.format !== formats.bundle)
    notABundle(`its format is not ${formats.bundle}`)
  hasFields(bundle, 'The file', {
    format: (value) => value === formats.bundle,
    walletId: isUuid,
    currency: (value) => typeof value === 'string' && /^[a-z]{3}$/.test(value),
    shown: isObject,
    events: (value) => Array.isArray(value) && value.length > 0,
    head: isObject,
    proof: isObject,
    checkpoints: (value) => Array.isArray(value) && value.length > 0,
    keys: (value) => Array.isArray(value) && value.length > 0,
    digest: isHash,
  })
  const isTimeOrNull = (value) => value === null || isTime(value)
  hasFields(bundle.shown, 'The range of shown entries', { from: isTimeOrNull, to: isTimeOrNull })
  hasFields(bundle.head, 'The head', { revision: isCount, hash: isHash })
  hasFields(bundle.proof, 'The inclusion proof', {
    index: isCount,
    size: isCount,
    path: (value) => Array.isArray(value) && value.length <= 64 && value.every(isHash),
  })
  return { bundle, text }
}

function decode(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return notABundle('it is not text in UTF-8')
  }
}

function notABundle(why) {
  throw new UnableError(`This is no audit bundle: ${why}.`)
}

/** Last, so that a changed entry is named and not only the file. */
async function checkDigest(bundle, text, crypto) {
  const end = `,"digest":"${bundle.digest}"}\n`
  const isAsMade = text === `${JSON.stringify(bundle)}\n` && text.endsWith(end)
  const digest = isAsMade ? hex(await crypto.sha256(utf8(text.slice(0, -end.length)))) : ''
  if (digest !== bundle.digest)
    fail('The file', 'was changed or laid out anew after it was made: its digest does not fit.')
}

// --- the stream ----------------------------------------------------------------------------------

const signs = {
  WalletCredited: 1,
  WalletDebited: -1,
  DebitDeclined: 0,
  CreditDeclined: 0,
  WalletToppedUp: 1,
  TopUpReversed: -1,
  TopUpReinstated: 1,
  BonusGranted: 1,
}

/** An own name: `toString` is in every object. */
function isEntry(type) {
  return Object.hasOwn(signs, type)
}

const entryNamespace = '8f1c5f0e-9b1d-4d53-9f5e-6a3c1b7e2d40'

/** Folds the stream from its first event; every entry must be what the rules would have written. */
async function checkEvents({ walletId, currency, events, head }, crypto) {
  const first = { balanceMinor: 0, isActive: true, time: '' }
  let wallet = { ...first, hash: await crypto.sha256(utf8(walletId)) }
  const references = new References(walletId, crypto)
  const lines = []
  for (const [revision, event] of events.entries()) {
    const place = `The entry at revision ${revision}`
    const stop = (problem) => fail(place, problem, revision)
    const data = readEvent(event, revision, stop)
    if ((revision === 0) !== (event.type === 'WalletOpened'))
      stop('is out of place: a stream opens once, with its first event.')
    if (revision === 0 && (data.walletId !== walletId || data.currency !== currency))
      stop('opens another wallet, or one in another currency.')
    if (data.time < wallet.time) stop('is older than the entry before it.')
    const { type, data: text } = event
    const balanceMinor = balanceAfter(wallet, { type, data, currency }, stop)
    checkStatus(wallet, type, data, stop)
    const link = `{"data":${text},"revision":${revision},"type":"${type}","walletId":"${walletId}"}`
    const hash = await crypto.sha256(joined(wallet.hash, utf8(link)))
    if (event.metadata !== `{"hash":"${hex(hash)}"}`)
      stop('does not continue the hash chain: it, its hash or its place was changed.')
    if (isEntry(type)) await references.take(type, data, stop)
    const namespace = isEntry(type) ? data.entryId : walletId
    if (event.id !== (await uuidV5(joined(uuidBytes(namespace), hash), crypto)))
      stop('has an event id that does not follow from its hash.')
    const isActive = isActiveAfter[type] ?? wallet.isActive
    wallet = { balanceMinor, isActive, time: data.time, hash }
    lines.push(lineOf({ revision, type, data, balanceMinor, hash: hex(hash) }))
  }
  if (head.revision !== events.length - 1)
    fail('The stream', `ends at revision ${events.length - 1}, but its head is ${head.revision}.`)
  if (head.hash !== hex(wallet.hash)) fail('The head', 'is not the hash of the last entry.')
  return { ...wallet, lines }
}

function readEvent(event, revision, stop) {
  const isText = (value) => typeof value === 'string'
  hasFields(
    event,
    `The entry at revision ${revision}`,
    {
      revision: (value) => value === revision,
      id: isUuid,
      type: (value) => isEntry(value) || Object.hasOwn(dataFields, value),
      data: isText,
      metadata: isText,
    },
    revision,
  )
  let data
  try {
    data = JSON.parse(event.data)
  } catch {
    stop('holds data that is not JSON.')
  }
  const place = `The data of the entry at revision ${revision}`
  const declined = event.type.endsWith('Declined') ? { code: isText } : {}
  const fields = dataFields[event.type] ?? { ...entryFields, ...declined }
  hasFields(data, place, fields, revision, ['description', 'refundOf'])
  if (Object.hasOwn(data, 'refundOf')) hasFields(data.refundOf, place, referenceFields, revision)
  if (canonical(data) !== event.data) stop('holds data that is not canonical JSON.')
  return data
}

const isIssuer = (value) => value === 'service' || /^client-app:./.test(value)
const isAnyText = (value) => typeof value === 'string'
const statusFields = { issuer: isIssuer, reason: isAnyText, time: isTime }
const dataFields = {
  WalletOpened: { currency: isAnyText, time: isTime, walletId: isUuid },
  WalletDeactivated: statusFields,
  WalletReactivated: statusFields,
}
const referenceFields = { referenceId: isAnyText, referenceType: isAnyText }
const entryFields = {
  amountMinor: isCount,
  balanceMinor: Number.isSafeInteger,
  entryId: isUuid,
  issuer: isIssuer,
  ...referenceFields,
  time: isTime,
}

function balanceAfter(wallet, { type, data, currency }, stop) {
  if (!isEntry(type)) return wallet.balanceMinor
  const balanceMinor = wallet.balanceMinor + signs[type] * data.amountMinor
  if (balanceMinor !== data.balanceMinor) {
    const [said, summed] = [data.balanceMinor, balanceMinor].map((minor) => money(minor, currency))
    stop(`says the balance ${said}, but the entries up to it sum to ${summed}.`)
  }
  if (type === 'WalletDebited' && balanceMinor < 0) stop('is a debit below zero.')
  return balanceMinor
}

const isActiveAfter = { WalletDeactivated: false, WalletReactivated: true }

function checkStatus({ balanceMinor, isActive }, type, { amountMinor, code }, stop) {
  if (!isActive && (type === 'WalletDebited' || type === 'WalletCredited'))
    stop('moves money of a wallet that was deactivated.')
  const isUnfounded =
    (code === 'WALLET_INACTIVE' && isActive) ||
    (code === 'INSUFFICIENT_BALANCE' && amountMinor <= balanceMinor)
  if (isUnfounded) stop(`is declined with ${code}, but all before it gives no reason to.`)
}

/** A reference has one outcome for ever, and a debit is refunded no further than it took. */
class References {
  #seen = new Set()
  #refundable = new Map()

  constructor(walletId, crypto) {
    Object.assign(this, { walletId, crypto })
  }

  async take(type, data, stop) {
    const { entryId, issuer, refundOf, amountMinor } = data
    if (entryId !== (await this.#idOf(issuer, data)))
      stop('has an entry id that is not that of its reference.')
    if (this.#seen.has(entryId)) stop('is a second outcome of a reference that has one.')
    this.#seen.add(entryId)
    if (type === 'WalletDebited') this.#refundable.set(entryId, amountMinor)
    if (type !== 'WalletCredited' || refundOf === undefined) return
    const debit = await this.#idOf(issuer, refundOf)
    const left = (this.#refundable.get(debit) ?? 0) - amountMinor
    if (left < 0) stop('refunds more than its debit has left.')
    this.#refundable.set(debit, left)
  }

  #idOf(issuer, { referenceType, referenceId }) {
    const { walletId, crypto } = this
    return entryIdOf({ issuer, walletId, referenceType, referenceId }, crypto)
  }
}

/** UUIDv5 of the reference: four parts, each with its length before it. */
async function entryIdOf({ issuer, walletId, referenceType, referenceId }, crypto) {
  const parts = [issuer, walletId, referenceType, referenceId].flatMap((part) => {
    const bytes = utf8(part)
    const length = new Uint8Array(4)
    new DataView(length.buffer).setUint32(0, bytes.length)
    return [length, bytes]
  })
  return uuidV5(joined(uuidBytes(entryNamespace), ...parts), crypto)
}

function lineOf({ revision, type, data, balanceMinor, hash }) {
  return {
    revision,
    type,
    time: data.time,
    balanceMinor,
    hash,
    changeMinor: isEntry(type) ? signs[type] * data.amountMinor : 0,
    amountMinor: data.amountMinor ?? null,
    code: data.code ?? null,
    referenceType: data.referenceType ?? null,
    referenceId: data.referenceId ?? null,
    issuer: data.issuer ?? null,
    reason: data.reason ?? null,
  }
}

function isShown({ from, to }, time) {
  return (from === null || time >= from) && (to === null || time < to)
}

// --- the proof -----------------------------------------------------------------------------------

/** RFC 6962: the wallet's leaf, and the way from it to the signed root. */
async function checkProof({ walletId, head, proof }, { root, walletCount }, crypto) {
  const place = 'The inclusion proof'
  const { index, size, path } = proof
  if (size !== walletCount || index >= size) fail(place, 'is of a tree of another size.')
  const leaf = canonical({ ...head, walletId })
  let hash = await crypto.sha256(joined([0], utf8(leaf)))
  let [at, last] = [index, size - 1]
  for (const beside of path.map(fromHex)) {
    if (last === 0) fail(place, 'is too long.')
    const isRight = at % 2 === 1 || at === last
    hash = await crypto.sha256(isRight ? joined([1], beside, hash) : joined([1], hash, beside))
    if (isRight) while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    ;[at, last] = [half(at), half(last)]
  }
  if (last !== 0 || hex(hash) !== root)
    fail(place, 'does not lead to the signed root: this head is not in the checkpoint.')
}

// --- keys and checkpoints ------------------------------------------------------------------------

/** From the first key on: each is signed by the one before it, or is the one that is trusted. */
async function checkKeys(keys, crypto, trustedKey) {
  const known = new Map()
  let isTrusted = trustedKey === undefined
  let previous = null
  for (const [index, { key, signature, until, ...others }] of keys.filter(isObject).entries()) {
    const place = `Key ${index + 1}`
    hasFields({ key, signature, until, ...others }, place, {
      key: isObject,
      signature: isSignature,
      until: (value) => value === (keys[index + 1]?.key?.from ?? null),
    })
    hasFields(key, place, {
      format: (value) => value === formats.key,
      from: (value) => isTime(value) && value >= (previous?.from ?? ''),
      keyId: isHash,
      previous: (value) => value === (previous?.keyId ?? null),
      publicKey: isHash,
      signedBy: isHash,
    })
    if (hex(await crypto.sha256(fromHex(key.publicKey))) !== key.keyId)
      fail(place, 'has an id that is not the hash of its public key.')
    const signer = [key, previous].find((one) => one?.keyId === key.signedBy)
    if (signer === undefined) fail(place, 'is signed by a key that may not sign it.')
    if (!(await isSigned({ by: signer, value: key, signature }, crypto)))
      fail(place, 'has a signature that does not fit.')
    if (key.keyId === trustedKey) isTrusted = true
    else if (previous !== null && signer === key) {
      if (trustedKey === undefined)
        fail(place, 'is not signed by the key before it. Trust it explicitly, or do not trust it.')
      isTrusted = false
    }
    known.set(key.keyId, { key, until, isTrusted })
    previous = key
  }
  if (known.size !== keys.length) fail('The list of keys', 'holds something else, or a key twice.')
  if (trustedKey !== undefined && !known.has(trustedKey))
    fail('The list of keys', `does not hold the key that you trust, ${trustedKey}.`)
  return known
}

async function checkCheckpoints(checkpoints, keys, crypto) {
  const newest = checkpoints.at(-1)
  let previous
  for (const { checkpoint, signature, hash } of checkpoints) {
    const place = `Checkpoint ${checkpoint.number}`
    const by = keys.get(checkpoint.keyId)
    if (by === undefined) fail(place, 'is signed by a key that is not listed.')
    if (!(await isSigned({ by: by.key, value: checkpoint, signature }, crypto)))
      fail(place, 'has a signature that does not fit.')
    if (checkpoint.time < by.key.from || (by.until !== null && checkpoint.time > by.until))
      fail(place, 'was not made in the time of its key.')
    if (hash === newest.hash && !by.isTrusted)
      fail(place, 'is signed by a key that does not come from the one that you trust.')
    if (previous === undefined) {
      if ((checkpoint.number === 1) !== (checkpoint.previous === null))
        fail(place, 'is the first, or it names the one before it: one of the two.')
    } else if (
      checkpoint.number !== Math.max(previous.checkpoint.number, checkpoint.lostNumber ?? 0) + 1 ||
      (isAfterLoss(checkpoint) ? checkpoint.lostAfter : checkpoint.previous) !== previous.hash ||
      checkpoint.time < previous.checkpoint.time
    )
      fail(place, 'does not follow the checkpoint before it.')
    previous = { checkpoint, hash }
  }
}

/** It says itself that checkpoints before it are lost; `previous` is the hash of the last of them. */
function isAfterLoss({ lostNumber }) {
  return lostNumber !== undefined && lostNumber !== null
}

/** Each with the hash that the next one names: SHA-256 of the signed text and the signature. */
async function hashCheckpoints(signed, crypto) {
  const found = []
  for (const item of signed) {
    const { checkpoint, signature } = readCheckpoint(item)
    const bytes = joined(utf8(canonical(checkpoint)), fromHex(signature))
    found.push({ checkpoint, signature, hash: hex(await crypto.sha256(bytes)) })
  }
  return found
}

function readCheckpoint(item) {
  const number = item?.checkpoint?.number
  const place = `Checkpoint ${Number.isSafeInteger(number) ? number : ''}`.trim()
  hasFields(item, place, { checkpoint: isObject, signature: isSignature })
  const { checkpoint } = item
  const isHashOrNull = (value) => value === null || isHash(value)
  const isLoss = (value) => isCount(value) && value > 0 && value < checkpoint.number
  const isFirstFormat = checkpoint.format === formats.firstCheckpoint
  hasFields(checkpoint, place, {
    ...(!isFirstFormat && {
      adminLogCount: isCount,
      adminLogHead: isHash,
      lostAfter: (value) => (isAfterLoss(checkpoint) ? isHashOrNull(value) : value === null),
      lostNumber: (value) => value === null || isLoss(value),
      ownerCount: isCount,
      ownersRoot: isHash,
    }),
    eventId: isUuid,
    format: (value) => isFirstFormat || value === formats.checkpoint,
    keyId: isHash,
    number: (value) => isCount(value) && value > 0,
    position: (value) => typeof value === 'string' && /^[1-9][0-9]{0,19}$/.test(value),
    previous: isHashOrNull,
    root: isHash,
    storeMarker: isAnyText,
    time: isTime,
    walletCount: isCount,
  })
  return item
}

/** How many of the kept checkpoints are in the bundle; they must be the very same. */
async function compareKept(checkpoints, crypto, kept) {
  if (kept === undefined) return 0
  const hashes = new Map(checkpoints.map(({ checkpoint, hash }) => [checkpoint.number, hash]))
  const list = Array.isArray(kept) ? kept : (kept?.checkpoints ?? [kept])
  let compared = 0
  for (const item of list) {
    const { checkpoint, signature } = item ?? {}
    const [one] = await hashCheckpoints([{ checkpoint, signature }], crypto).catch((error) => {
      throw new UnableError(`What you have kept is no list of checkpoints: ${error.message}`)
    })
    const hash = hashes.get(one.checkpoint.number)
    if (hash === undefined) continue
    compared += 1
    if (hash !== one.hash)
      fail(`Checkpoint ${one.checkpoint.number}`, 'is not the one that you have kept.')
  }
  if (compared === 0)
    throw new UnableError('None of the checkpoints that you have kept is in the bundle.')
  return compared
}

function isSigned({ by, value, signature }, crypto) {
  const parts = { key: fromHex(by.publicKey), signature: fromHex(signature) }
  return crypto.verify({ ...parts, text: utf8(canonical(value)) })
}

// --- values --------------------------------------------------------------------------------------

/** All of the fields and no others; `optional` ones only need to be there or not. */
function hasFields(value, place, fields, revision = null, optional = []) {
  if (!isObject(value)) fail(place, 'is not an object.', revision)
  for (const name of Object.keys(value))
    if (!Object.hasOwn(fields, name) && !optional.includes(name))
      fail(place, `has a field that does not belong there: ${JSON.stringify(name)}.`, revision)
  for (const [name, isRight] of Object.entries(fields))
    if (!Object.hasOwn(value, name) || !isRight(value[name]))
      fail(place, `has no valid ${name}.`, revision)
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value) {
  return Number.isSafeInteger(value) && value >= 0
}

function isHash(value) {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

function isSignature(value) {
  return typeof value === 'string' && /^[0-9a-f]{128}$/.test(value)
}

function isUuid(value) {
  const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
  return typeof value === 'string' && pattern.test(value)
}

function isTime(value) {
  const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
  return typeof value === 'string' && pattern.test(value) && !Number.isNaN(Date.parse(value))
}

/** RFC 8785 for objects of integers, well-formed texts and nulls; undefined for anything else. */
function canonical(value) {
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined
  // Only a lone half of a pair matches: the pattern sees whole characters.
  if (typeof value === 'string')
    return /[\uD800-\uDFFF]/u.test(value) ? undefined : JSON.stringify(value)
  if (!isObject(value)) return undefined
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
  return `{${members.join(',')}}`
}

async function uuidV5(bytes, crypto) {
  const digits = hex(await crypto.sha1(bytes))
  const variant = '89ab'[Number.parseInt(digits[16], 16) & 3]
  const groups = [digits.slice(0, 8), digits.slice(8, 12), `5${digits.slice(13, 16)}`]
  return [...groups, variant + digits.slice(17, 20), digits.slice(20, 32)].join('-')
}

function uuidBytes(uuid) {
  return fromHex(uuid.replaceAll('-', ''))
}

function utf8(text) {
  return new TextEncoder().encode(text)
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function joined(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let end = 0
  for (const part of parts) {
    all.set(part, end)
    end += part.length
  }
  return all
}

function half(value) {
  return Math.floor(value / 2)
}

const withoutDecimals = ['clp', 'jpy', 'krw', 'pyg', 'vnd', 'xaf', 'xof', 'xpf']

function decimalsOf(currency) {
  return withoutDecimals.includes(currency) ? 0 : 2
}

// --- where it runs -------------------------------------------------------------------------------

/** Of a browser. Throws UnableError where it cannot check Ed25519. */
export async function webCrypto(subtle = globalThis.crypto?.subtle) {
  const named = (key) => subtle.importKey('raw', key, 'Ed25519', false, ['verify'])
  const digest = async (name, bytes) => new Uint8Array(await subtle.digest(name, bytes))
  try {
    // The public key of RFC 8032's first example.
    await named(fromHex('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'))
  } catch {
    throw new UnableError('This browser cannot check Ed25519 signatures.')
  }
  return {
    sha256: (bytes) => digest('SHA-256', bytes),
    sha1: (bytes) => digest('SHA-1', bytes),
    verify: async ({ key, text, signature }) =>
      subtle.verify('Ed25519', await named(key), signature, text),
  }
}

/** Of Node. */
export async function nodeCrypto() {
  const { createHash, createPublicKey, verify } = await nodeModule('crypto')
  const digest = (name, bytes) => createHash(name).update(bytes).digest()
  const prefix = fromHex('302a300506032b6570032100')
  return {
    sha256: (bytes) => digest('sha256', bytes),
    sha1: (bytes) => digest('sha1', bytes),
    verify: ({ key, text, signature }) => {
      const der = globalThis.Buffer.from(joined(prefix, key))
      const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
      return verify(null, text, publicKey, signature)
    },
  }
}

/** By a name that a bundler for browsers does not follow. */
function nodeModule(name) {
  return import(/* @vite-ignore */ `node:${name}`)
}

const usage =
  'usage: verify-bundle <bundle.json> [--checkpoints <file>] [--key <keyId, PEM or file>] [--json]'

/**
 * The command line; answers with the exit code. With --json `say` gets one object, and `complain`
 * why it is unable to look.
 */
export async function main(args, say = console.log, complain = console.error) {
  const isJson = args.includes('--json')
  try {
    const { readFile } = await nodeModule('fs/promises')
    const { file, key, kept } = readArguments(args.filter((arg) => arg !== '--json'))
    const crypto = await nodeCrypto()
    const options = {}
    if (key !== undefined) options.trustedKey = await readKey(key, { readFile, crypto })
    if (kept !== undefined) options.keptCheckpoints = await readKept(kept, readFile)
    const bytes = await readFile(file).catch((error) => {
      throw new UnableError(`${file} cannot be read (${error.code}).`)
    })
    const result = await verifyBundle(bytes, crypto, options)
    const lines = () => (result.isValid ? greenLines(result, options) : redLines(result))
    for (const line of isJson ? [JSON.stringify(withoutLines(result))] : lines()) say(line)
    return result.isValid ? 0 : 1
  } catch (error) {
    if (!(error instanceof UnableError)) throw error
    if (isJson) complain(printable(error.message))
    else say(`UNABLE  ${printable(error.message)}`)
    return 2
  }
}

function withoutLines(result) {
  if (!result.isValid) return result
  const { isValid, walletId, balanceMinor, currency, events, checkpoint, keyId } = result
  const { number } = checkpoint
  return { isValid, walletId, balanceMinor, currency, events, checkpoint: number, keyId }
}

function readArguments(args) {
  const found = {}
  const names = { '--key': 'key', '--checkpoints': 'kept' }
  for (let index = 0; index < args.length; index += 1) {
    const isOption = Object.hasOwn(names, args[index])
    const name = isOption ? names[args[index]] : 'file'
    const value = isOption ? args[(index += 1)] : args[index]
    if (value === undefined || found[name] !== undefined || (!isOption && value.startsWith('--')))
      throw new UnableError(usage)
    found[name] = value
  }
  if (found.file === undefined) throw new UnableError(usage)
  return found
}

/** A keyId as it is; of a public key in PEM, or of a file with one, its hash. */
async function readKey(given, { readFile, crypto }) {
  if (isHash(given)) return given
  const isPem = given.includes('-----BEGIN PUBLIC KEY-----')
  const pem = isPem ? given : await readFile(given, 'utf8').catch(() => '')
  const [, body = ''] = /-----BEGIN PUBLIC KEY-----([\s\S]*?)-----END/.exec(pem) ?? []
  const der = Uint8Array.from(atob(body.replaceAll(/\s/g, '')), (letter) => letter.charCodeAt(0))
  if (der.length !== 44 || hex(der).slice(0, 24) !== '302a300506032b6570032100')
    throw new UnableError('--key is neither a keyId (64 digits) nor an Ed25519 public key in PEM.')
  return hex(await crypto.sha256(der.slice(12)))
}

async function readKept(file, readFile) {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    throw new UnableError(`${file} cannot be read as JSON.`)
  }
}

function greenLines(result, { trustedKey }) {
  const { walletId, checkpoint, keyId, keptCompared, events, balanceMinor } = result
  const trust =
    trustedKey === undefined
      ? 'Compare it with the key that you have kept, or that the service publishes.'
      : 'It is the one that you trust, or its successor.'
  const keptInWords = counted(keptCompared, 'kept checkpoint is', 'kept checkpoints are')
  return [
    ...result.lines.map((line) => statementLine(line, result)),
    '',
    `GREEN  wallet ${walletId}: ${counted(events, 'entry', 'entries')}, ` +
      `balance ${money(balanceMinor, result.currency)}`,
    `       in checkpoint ${checkpoint.number} of ${checkpoint.time}, over ` +
      `${counted(checkpoint.walletCount, 'wallet', 'wallets')}; ` +
      `chain from checkpoint ${result.oldestCheckpoint} on`,
    ...result.losses.map(
      ({ number, lostNumber }) =>
        `       checkpoint ${number} says that ${lostNumber}, which it follows, was lost`,
    ),
    `       signed with key ${keyId}`,
    `       ${trust}`,
    ...(keptCompared > 0 ? [`       ${keptInWords} the very same`] : []),
  ]
}

function counted(count, one, many) {
  return `${count} ${count === 1 ? one : many}`
}

function redLines({ place, problem }) {
  return [`FAILS  ${printable(place)} ${printable(problem)}`]
}

function statementLine(line, result) {
  const change = line.changeMinor === 0 ? '' : money(line.changeMinor, result.currency)
  const pair = line.referenceType === null ? '' : `${line.referenceType} ${line.referenceId}`
  return [
    String(line.revision).padStart(6),
    line.time,
    line.type.padEnd(17),
    (line.changeMinor > 0 ? `+${change}` : change).padStart(16),
    money(line.balanceMinor, result.currency).padStart(16),
    printable(line.code ?? ''),
    printable(line.issuer ?? ''),
    printable(pair),
  ].join('  ')
}

/** Minor units as people read them, in whole digits: no fraction is ever calculated. */
function money(minor, currency) {
  const decimals = decimalsOf(currency)
  const digits = String(Math.abs(minor)).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = decimals === 0 ? '' : `.${digits.slice(-decimals)}`
  return `${minor < 0 ? '-' : ''}${whole}${fraction} ${currency.toUpperCase()}`
}

/** Nothing that could move the cursor or turn the text around. */
function printable(text) {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD')
}

/** Run as a program, and not imported by a page, a test or the service's command line. */
async function isProgram() {
  const started = globalThis.process?.argv?.[1]
  if (started === undefined || !import.meta.url.startsWith('file:')) return false
  const { realpath } = await nodeModule('fs/promises')
  const { pathToFileURL } = await nodeModule('url')
  const file = await realpath(started).catch(() => started)
  return pathToFileURL(file).href === import.meta.url
}

if (await isProgram()) globalThis.process.exitCode = await main(globalThis.process.argv.slice(2))
