/**
 * Checks an audit bundle of a wallet offline: one file, no dependency, Node 18 or later.
 *
 *   node verify-bundle.mjs <bundle.json>
 *     [--checkpoints <file>] [--key <keyId, PEM or file>] [--json]
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

/**
 * What hashes and checks signatures, now or as a promise (see nodeCrypto, webCrypto).
 *
 * @typedef {object} BundleCrypto
 * @property {(bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>} sha256
 * @property {(bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>} sha1
 * @property {(signed: Signed) => boolean | Promise<boolean>} verify
 *
 * @typedef {{ key: Uint8Array, text: Uint8Array, signature: Uint8Array }} Signed
 *
 * `trustedKey`: the keyId that the checkpoint must be signed with, directly or by its successors.
 * `keptCheckpoints`: JSON of checkpoints that were kept elsewhere.
 * @typedef {{ trustedKey?: string, keptCheckpoints?: unknown }} Options
 *
 * @typedef {object} ValidBundle
 * @property {true} isValid
 * @property {string} walletId
 * @property {string} currency
 * @property {number} decimals
 * @property {number} balanceMinor
 * @property {number} events
 * @property {BundleLine[]} lines
 * @property {Checkpoint} checkpoint
 * @property {number} oldestCheckpoint
 * @property {{ number: number, lostNumber: number }[]} losses
 * @property {string} keyId
 * @property {number} keptCompared
 *
 * `revision` is that of the entry that fails, or null when it is no entry.
 * @typedef {object} InvalidBundle
 * @property {false} isValid
 * @property {string} place
 * @property {string} problem
 * @property {number | null} revision
 *
 * @typedef {object} BundleLine
 * @property {number} revision
 * @property {string} type
 * @property {string} time
 * @property {number} balanceMinor
 * @property {string} hash
 * @property {number} changeMinor
 * @property {number | null} amountMinor
 * @property {string | null} code
 * @property {string | null} referenceType
 * @property {string | null} referenceId
 * @property {string | null} issuer
 * @property {string | null} reason
 */

/**
 * What stands in a file, once its fields are checked.
 *
 * @typedef {object} Bundle
 * @property {string} walletId
 * @property {string} currency
 * @property {{ from: string | null, to: string | null }} shown
 * @property {unknown[]} events
 * @property {{ revision: number, hash: string }} head
 * @property {{ index: number, size: number, path: string[] }} proof
 * @property {unknown[]} checkpoints
 * @property {unknown[]} keys
 * @property {string} digest
 *
 * @typedef {{ id: string, type: string, data: string, metadata: string }} BundleEvent
 *
 * @typedef {{ referenceType: string, referenceId: string }} Reference
 * @typedef {Reference & {
 *   amountMinor: number, balanceMinor: number, entryId: string, issuer: string, time: string,
 *   code?: string, refundOf?: Reference, holdOf?: Reference,
 *   expiresAt?: string, heldMinor?: number, releasedMinor?: number,
 * }} EntryData
 * @typedef {{ leftMinor: number, expiresAt: string }} OpenHold
 * @typedef {Partial<EntryData> & {
 *   time: string, walletId?: string, currency?: string, reason?: string,
 * }} EventData
 *
 * The last two are of the second format alone.
 * @typedef {object} Checkpoint
 * @property {string} format
 * @property {string} keyId
 * @property {number} number
 * @property {string | null} previous
 * @property {string} root
 * @property {string} time
 * @property {number} walletCount
 * @property {string | null} [lostAfter]
 * @property {number | null} [lostNumber]
 *
 * @typedef {{ checkpoint: Checkpoint, signature: string }} SignedCheckpoint
 * @typedef {SignedCheckpoint & { hash: string }} HashedCheckpoint
 *
 * @typedef {object} Key
 * @property {string} from
 * @property {string} keyId
 * @property {string} publicKey
 * @property {string} signedBy
 *
 * @typedef {{ key: Key, signature: string, until: string | null }} ListedKey
 * @typedef {{ key: Key, until: string | null, isTrusted: boolean }} KnownKey
 *
 * @typedef {{ balanceMinor: number, isActive: boolean, time: string, hash: Uint8Array }} Wallet
 *
 * What an entry is judged by beside the wallet: what its debit has left to refund, the open hold
 * that it names, and what open holds set aside.
 * @typedef {object} Known
 * @property {number | null} leftMinor
 * @property {OpenHold | undefined} hold
 * @property {number} heldMinor
 * @property {number} openHolds
 * @typedef {(problem: string) => never} Stop
 * @typedef {Readonly<Record<string, (value: unknown) => boolean>>} Fields
 */

/** Something was asked for that cannot be checked here: neither green nor red. */
export class UnableError extends Error {
  /** @override */
  name = 'UnableError'
}

/**
 * `bytes` is the file. Throws UnableError for a file that is no bundle at all: nobody is accused of
 * having changed it.
 *
 * @param {Uint8Array} bytes
 * @param {BundleCrypto} crypto
 * @param {Options} options
 * @returns {Promise<ValidBundle | InvalidBundle>}
 */
export async function verifyBundle(bytes, crypto, options = {}) {
  try {
    const { bundle, text } = readBundle(bytes)
    const wallet = await checkEvents(bundle, crypto)
    const checkpoints = await hashCheckpoints(bundle.checkpoints, crypto)
    const newest = lastOf(checkpoints)
    const [oldest = newest] = checkpoints
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
      oldestCheckpoint: oldest.checkpoint.number,
      losses: checkpoints.map(({ checkpoint }) => checkpoint).flatMap(lossIn),
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
  /**
   * @param {string} place
   * @param {string} problem
   * @param {number | null} revision
   */
  constructor(place, problem, revision) {
    super(`${place} ${problem}`)
    this.place = place
    this.problem = problem
    this.revision = revision
  }
}

/**
 * @param {string} place
 * @param {string} problem
 * @param {number | null} revision
 * @returns {never}
 */
function fail(place, problem, revision = null) {
  throw new Failure(place, problem, revision)
}

// --- the file ------------------------------------------------------------------------------------

/**
 * @param {Uint8Array} bytes
 * @returns {{ bundle: Bundle, text: string }}
 */
function readBundle(bytes) {
  const text = decode(bytes)
  /** @type {unknown} */
  let bundle
  try {
    bundle = JSON.parse(text)
  } catch {
    notABundle('it is not JSON')
  }
  if (!isObject(bundle) || bundle['format'] !== formats.bundle)
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
  const { shown, head, proof } = bundle
  hasFields(shown, 'The range of shown entries', { from: isTimeOrNull, to: isTimeOrNull })
  hasFields(head, 'The head', { revision: isCount, hash: isHash })
  hasFields(proof, 'The inclusion proof', {
    index: isCount,
    size: isCount,
    path: (value) => Array.isArray(value) && value.length <= 64 && value.every(isHash),
  })
  return { bundle: /** @type {Bundle} */ (/** @type {unknown} */ (bundle)), text }
}

/** @param {Uint8Array} bytes */
function decode(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return notABundle('it is not text in UTF-8')
  }
}

/**
 * @param {string} why
 * @returns {never}
 */
function notABundle(why) {
  throw new UnableError(`This is no audit bundle: ${why}.`)
}

/**
 * Last, so that a changed entry is named and not only the file.
 *
 * @param {Bundle} bundle
 * @param {string} text
 * @param {BundleCrypto} crypto
 */
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
  HoldPlaced: 0,
  HoldDeclined: 0,
  HoldCaptured: -1,
  CaptureDeclined: 0,
  HoldReleased: 0,
  ReleaseDeclined: 0,
  HoldExpired: 0,
}

/**
 * An own name: `toString` is in every object.
 *
 * @param {string} type
 * @returns {type is keyof typeof signs}
 */
function isEntry(type) {
  return Object.hasOwn(signs, type)
}

const entryNamespace = '8f1c5f0e-9b1d-4d53-9f5e-6a3c1b7e2d40'

/**
 * Folds the stream from its first event; every entry must be what the rules would have written.
 *
 * @param {Bundle} bundle
 * @param {BundleCrypto} crypto
 */
async function checkEvents({ walletId, currency, events, head }, crypto) {
  const first = { balanceMinor: 0, isActive: true, time: '' }
  /** @type {Wallet} */
  let wallet = { ...first, hash: await crypto.sha256(utf8(walletId)) }
  const references = new References(walletId, crypto)
  const holds = new Holds(walletId, crypto)
  /** @type {BundleLine[]} */
  const lines = []
  for (const [revision, item] of events.entries()) {
    const place = `The entry at revision ${revision}`
    /** @type {Stop} */
    const stop = (problem) => fail(place, problem, revision)
    const { event, data } = readEvent(item, revision, stop)
    if ((revision === 0) !== (event.type === 'WalletOpened'))
      stop('is out of place: a stream opens once, with its first event.')
    if (revision === 0 && (data.walletId !== walletId || data.currency !== currency))
      stop('opens another wallet, or one in another currency.')
    if (data.time < wallet.time) stop('is older than the entry before it.')
    const { type, data: text } = event
    holds.checkDue(type, data.time, stop)
    const balanceMinor = balanceAfter(wallet, { type, data, currency }, stop)
    const entry = isEntry(type) ? /** @type {EntryData} */ (data) : undefined
    if (entry !== undefined) {
      const leftMinor = await references.leftMinor(entry)
      const hold = await holds.named(type, entry)
      const { heldMinor, openHolds } = holds
      checkRules(wallet, { type, data: entry, leftMinor, hold, heldMinor, openHolds }, stop)
      await holds.take(type, entry, stop)
      if (type === 'TopUpReinstated') await references.checkReinstated(entry, stop)
    }
    const link = `{"data":${text},"revision":${revision},"type":"${type}","walletId":"${walletId}"}`
    const hash = await crypto.sha256(joined(wallet.hash, utf8(link)))
    if (event.metadata !== `{"hash":"${hex(hash)}"}`)
      stop('does not continue the hash chain: it, its hash or its place was changed.')
    if (entry !== undefined) await references.take(type, entry, stop)
    const namespace = entry?.entryId ?? walletId
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

/**
 * @param {unknown} item
 * @param {number} revision
 * @param {Stop} stop
 * @returns {{ event: BundleEvent, data: EventData }}
 */
function readEvent(item, revision, stop) {
  hasFields(
    item,
    `The entry at revision ${revision}`,
    {
      revision: (value) => value === revision,
      id: isUuid,
      type: isEventType,
      data: isAnyText,
      metadata: isAnyText,
    },
    revision,
  )
  const event = /** @type {BundleEvent} */ (item)
  /** @type {unknown} */
  let data
  try {
    data = JSON.parse(event.data)
  } catch {
    stop('holds data that is not JSON.')
  }
  const place = `The data of the entry at revision ${revision}`
  const declined = event.type.endsWith('Declined') ? { code: isCode } : {}
  const ofHold = holdFields[event.type] ?? {}
  // Apps issue debits and credits, the service all else.
  const issuer = Object.hasOwn(reasons, event.type) ? { issuer: isApp } : {}
  const fields = dataFields[event.type] ?? { ...entryFields, ...issuer, ...declined, ...ofHold }
  const common = isEntry(event.type) ? ['description', 'heldMinor'] : []
  hasFields(data, place, fields, revision, [...common, ...optionalFields(event.type)])
  for (const name of ['refundOf', 'holdOf'])
    if (Object.hasOwn(data, name)) hasFields(data[name], place, referenceFields, revision)
  for (const name of ['heldMinor', 'releasedMinor'])
    if (Object.hasOwn(data, name) && !(isCount(data[name]) && data[name] > 0))
      stop(`has no valid ${name}.`)
  if (canonical(data) !== event.data) stop('holds data that is not canonical JSON.')
  return { event, data: /** @type {EventData} */ (/** @type {unknown} */ (data)) }
}

/** @param {string} type */
function optionalFields(type) {
  if (type === 'HoldCaptured') return ['releasedMinor']
  return type === 'WalletCredited' || type === 'CreditDeclined' ? ['refundOf'] : []
}

/** @param {unknown} value */
const isEventType = (value) =>
  typeof value === 'string' && (isEntry(value) || Object.hasOwn(dataFields, value))
/** @param {unknown} value */
const isTimeOrNull = (value) => value === null || isTime(value)
/** @param {unknown} value */
const isService = (value) => value === 'service'
/** @param {unknown} value */
const isApp = (value) => typeof value === 'string' && /^client-app:./.test(value)
/** @param {unknown} value */
const isCode = (value) =>
  typeof value === 'string' && (value === 'VOIDED' || Object.hasOwn(against, value))
/** @param {unknown} value */
const isAnyText = (value) => typeof value === 'string'
const statusFields = { issuer: isService, reason: isAnyText, time: isTime }
/** @type {Readonly<Record<string, Fields>>} */
const dataFields = {
  WalletOpened: { currency: isAnyText, time: isTime, walletId: isUuid },
  WalletDeactivated: statusFields,
  WalletReactivated: statusFields,
}
const referenceFields = { referenceId: isAnyText, referenceType: isAnyText }
/** @type {Readonly<Record<string, Fields>>} */
const holdFields = {
  HoldPlaced: { expiresAt: isTime },
  HoldCaptured: { holdOf: isObject },
  CaptureDeclined: { holdOf: isObject },
  HoldReleased: { holdOf: isObject },
  ReleaseDeclined: { holdOf: isObject },
}
const entryFields = {
  amountMinor: isCount,
  balanceMinor: Number.isSafeInteger,
  entryId: isUuid,
  issuer: isService,
  ...referenceFields,
  time: isTime,
}

/**
 * @param {Wallet} wallet
 * @param {{ type: string, data: EventData, currency: string }} entry
 * @param {Stop} stop
 */
function balanceAfter(wallet, { type, data, currency }, stop) {
  if (!isEntry(type)) return wallet.balanceMinor
  const entry = /** @type {EntryData} */ (data)
  const balanceMinor = wallet.balanceMinor + signs[type] * entry.amountMinor
  if (balanceMinor !== entry.balanceMinor) {
    const said = money(entry.balanceMinor, currency)
    const summed = money(balanceMinor, currency)
    stop(`says the balance ${said}, but the entries up to it sum to ${summed}.`)
  }
  return balanceMinor
}

/** @type {Readonly<Record<string, boolean>>} */
const isActiveAfter = { WalletDeactivated: false, WalletReactivated: true }

/**
 * What an app asks for is declined when there is a reason to, with that reason, and only then.
 * @param {Wallet} wallet
 * @param {Known & { type: string, data: EntryData }} entry
 * @param {Stop} stop
 */
function checkRules(wallet, { type, data, ...known }, stop) {
  const isVoid = type === 'DebitDeclined' && data.code === 'VOIDED'
  if (isVoid && data.amountMinor !== 0) stop('voids its reference, but with an amount.')
  const reasonOf = reasons[type]
  if (isVoid || reasonOf === undefined) return
  // Of a hold that is closed nothing is left: that is what was asked for without an amount.
  const isOfClosed = Object.hasOwn(data, 'holdOf') && known.hold === undefined
  if (data.amountMinor === 0 && !isOfClosed) stop('is an entry of nothing.')
  if (type === 'ReleaseDeclined' && data.amountMinor !== 0)
    stop('is a declined release, but with an amount.')
  const reason = reasonOf(wallet, data, known)
  if (reason === data.code) return
  if (data.code !== undefined)
    stop(`is declined with ${data.code}, but all before it gives no reason to.`)
  if (reason === 'INSUFFICIENT_BALANCE' && data.amountMinor <= wallet.balanceMinor)
    stop('takes what holds have set aside.')
  stop(against[reason ?? ''] ?? 'is an entry that no command could have made.')
}

const balanceMaxMinor = 999_999_999_999_999

const openHoldsMax = 100

/**
 * In the order of the rules; undefined when there is no reason to decline.
 * @param {Wallet} wallet
 * @param {EntryData} entry
 * @param {Known} known
 */
function debitReason({ isActive, balanceMinor }, { amountMinor }, { heldMinor }) {
  if (!isActive) return 'WALLET_INACTIVE'
  return amountMinor > balanceMinor - heldMinor ? 'INSUFFICIENT_BALANCE' : undefined
}

/**
 * @param {Wallet} wallet
 * @param {EntryData} entry
 * @param {Known} known
 */
function holdReason(wallet, entry, known) {
  const reason = debitReason(wallet, entry, known)
  return reason ?? (known.openHolds >= openHoldsMax ? 'TOO_MANY_HOLDS' : undefined)
}

/**
 * @param {Wallet} wallet
 * @param {EntryData} entry
 * @param {Known} known
 */
function captureReason({ isActive, balanceMinor }, { amountMinor }, { hold }) {
  if (!isActive) return 'WALLET_INACTIVE'
  if (hold === undefined) return 'HOLD_CLOSED'
  if (amountMinor > hold.leftMinor) return 'CAPTURE_EXCEEDS_HOLD'
  return amountMinor > balanceMinor ? 'INSUFFICIENT_BALANCE' : undefined
}

/**
 * @param {Wallet} _wallet
 * @param {EntryData} _entry
 * @param {Known} known
 */
function releaseReason(_wallet, _entry, { hold }) {
  return hold === undefined ? 'HOLD_CLOSED' : undefined
}

/**
 * @param {Wallet} wallet
 * @param {EntryData} entry
 * @param {Known} known
 */
function creditReason({ isActive, balanceMinor }, { amountMinor }, { leftMinor }) {
  if (!isActive) return 'WALLET_INACTIVE'
  if (leftMinor !== null && amountMinor > leftMinor) return 'REFUND_EXCEEDS_DEBIT'
  return balanceMinor + amountMinor > balanceMaxMinor ? 'BALANCE_LIMIT_EXCEEDED' : undefined
}

/** @typedef {(wallet: Wallet, entry: EntryData, known: Known) => string | void} Reason */
/** @type {Readonly<Record<string, Reason>>} */
const reasons = {
  WalletDebited: debitReason,
  DebitDeclined: debitReason,
  WalletCredited: creditReason,
  CreditDeclined: creditReason,
  HoldPlaced: holdReason,
  HoldDeclined: holdReason,
  HoldCaptured: captureReason,
  CaptureDeclined: captureReason,
  HoldReleased: releaseReason,
  ReleaseDeclined: releaseReason,
}

/** @type {Readonly<Record<string, string>>} */
const against = {
  WALLET_INACTIVE: 'moves money of a wallet that was deactivated.',
  INSUFFICIENT_BALANCE: 'is a debit below zero.',
  REFUND_EXCEEDS_DEBIT: 'refunds more than its debit has left.',
  BALANCE_LIMIT_EXCEEDED: 'is a credit above the largest balance.',
  TOO_MANY_HOLDS: 'is one hold more than a wallet may have.',
  HOLD_CLOSED: 'is of a hold that is used up, released or expired, or never was.',
  CAPTURE_EXCEEDS_HOLD: 'captures more than its hold has left.',
}

/** How long a hold may last. */
const holdSeconds = { min: 60, max: 31 * 86_400 }

/** The open holds of a wallet: what they set aside, and when their time is over. */
class Holds {
  /** @type {Map<string, OpenHold>} */
  #open = new Map()

  /**
   * @param {string} walletId
   * @param {BundleCrypto} crypto
   */
  constructor(walletId, crypto) {
    this.walletId = walletId
    this.crypto = crypto
  }

  get openHolds() {
    return this.#open.size
  }

  get heldMinor() {
    let sum = 0
    for (const { leftMinor } of this.#open.values()) sum += leftMinor
    return sum
  }

  /**
   * @param {string} type
   * @param {string} time
   * @param {Stop} stop
   */
  checkDue(type, time, stop) {
    if (type === 'HoldExpired') return
    for (const { expiresAt } of this.#open.values())
      if (time >= expiresAt) stop('was written before the release of a hold that had expired.')
  }

  /**
   * The hold that an entry names, while it is open.
   * @param {string} type
   * @param {EntryData} entry
   */
  async named(type, entry) {
    return this.#open.get(await this.#idOf(type, entry))
  }

  /**
   * @param {string} type
   * @param {EntryData} entry
   * @param {Stop} stop
   */
  async take(type, entry, stop) {
    if (type === 'HoldPlaced') this.#place(entry, stop)
    const isEnd = type === 'HoldReleased' || type === 'HoldExpired'
    if (isEnd || type === 'HoldCaptured') {
      const id = await this.#idOf(type, entry)
      const hold = this.#open.get(id) ?? stop('is the end of a hold that is not open.')
      if (type === 'HoldExpired' && entry.time < hold.expiresAt)
        stop('is an expiry before its time.')
      const leftMinor = hold.leftMinor - entry.amountMinor
      // An end gives back all that is left, and so does a capture that says so.
      const releasedMinor = isEnd ? 0 : entry.releasedMinor
      if (releasedMinor !== undefined && releasedMinor !== leftMinor)
        stop('releases another amount than its hold has left.')
      if (leftMinor === 0 || releasedMinor !== undefined) this.#open.delete(id)
      else this.#open.set(id, { ...hold, leftMinor })
    }
    if ((entry.heldMinor ?? 0) !== this.heldMinor)
      stop('says another sum of what is held than the entries up to it.')
  }

  /**
   * @param {EntryData} entry
   * @param {Stop} stop
   */
  #place({ entryId, amountMinor, time, expiresAt = '' }, stop) {
    const seconds = (Date.parse(expiresAt) - Date.parse(time)) / 1_000
    if (!Number.isInteger(seconds) || seconds < holdSeconds.min || seconds > holdSeconds.max)
      stop('is a hold for a time that no command may ask for.')
    if (this.#open.has(entryId)) stop('is a second outcome of a reference that has one.')
    this.#open.set(entryId, { leftMinor: amountMinor, expiresAt })
  }

  /**
   * An expiry names its hold by its own reference.
   * @param {string} type
   * @param {EntryData} entry
   */
  async #idOf(type, { issuer, holdOf, referenceType, referenceId }) {
    if (type === 'HoldExpired') return referenceType === 'HOLD_EXPIRED' ? referenceId : ''
    if (holdOf === undefined) return ''
    return entryIdOf({ issuer, walletId: this.walletId, ...holdOf }, this.crypto)
  }
}

/**
 * What a reinstatement takes back, by their types of reference: a refund that failed, a dispute.
 * @type {Readonly<Record<string, string>>}
 */
const reversalTypes = {
  TOPUP_REFUND_FAILED: 'TOPUP_REFUND',
  TOPUP_DISPUTE_REINSTATED: 'TOPUP_DISPUTE',
}

/**
 * A reference has one outcome for ever, a debit is refunded no further than it took, and nothing is
 * reinstated that was not reversed.
 */
class References {
  /** @type {Set<string>} */
  #seen = new Set()
  /** @type {Map<string, number>} */
  #refundable = new Map()
  /** @type {Map<string, number>} */
  #reversed = new Map()

  /**
   * @param {string} walletId
   * @param {BundleCrypto} crypto
   */
  constructor(walletId, crypto) {
    this.walletId = walletId
    this.crypto = crypto
  }

  /**
   * What the debit that is named by `refundOf` has left; null when none is named.
   * @param {EntryData} entry
   */
  async leftMinor({ issuer, refundOf }) {
    if (refundOf === undefined) return null
    return this.#refundable.get(await this.#idOf(issuer, refundOf)) ?? 0
  }

  /**
   * A failed refund comes back whole; a dispute's further movements name it before a slash.
   * @param {EntryData} entry
   * @param {Stop} stop
   */
  async checkReinstated({ issuer, referenceType, referenceId, amountMinor }, stop) {
    const isRefund = referenceType === 'TOPUP_REFUND_FAILED'
    const reversal = {
      referenceType: Object.hasOwn(reversalTypes, referenceType)
        ? (reversalTypes[referenceType] ?? '')
        : '',
      referenceId: isRefund ? referenceId : (referenceId.split('/', 1)[0] ?? ''),
    }
    const reversedMinor = this.#reversed.get(await this.#idOf(issuer, reversal))
    if (reversedMinor === undefined) stop('reinstates what was never reversed.')
    if (isRefund && reversedMinor !== amountMinor)
      stop('reinstates another amount than was reversed.')
  }

  /**
   * @param {string} type
   * @param {EntryData} data
   * @param {Stop} stop
   */
  async take(type, data, stop) {
    const { entryId, issuer, refundOf, amountMinor } = data
    if (entryId !== (await this.#idOf(issuer, data)))
      stop('has an entry id that is not that of its reference.')
    if (this.#seen.has(entryId)) stop('is a second outcome of a reference that has one.')
    this.#seen.add(entryId)
    if (type === 'WalletDebited' || type === 'HoldCaptured')
      this.#refundable.set(entryId, amountMinor)
    if (type === 'TopUpReversed') this.#reversed.set(entryId, amountMinor)
    if (type !== 'WalletCredited' || refundOf === undefined) return
    const debit = await this.#idOf(issuer, refundOf)
    this.#refundable.set(debit, (this.#refundable.get(debit) ?? 0) - amountMinor)
  }

  /**
   * @param {string} issuer
   * @param {Reference} reference
   */
  #idOf(issuer, { referenceType, referenceId }) {
    const { walletId, crypto } = this
    return entryIdOf({ issuer, walletId, referenceType, referenceId }, crypto)
  }
}

/**
 * UUIDv5 of the reference: four parts, each with its length before it.
 *
 * @param {Reference & { issuer: string, walletId: string }} owner
 * @param {BundleCrypto} crypto
 */
async function entryIdOf({ issuer, walletId, referenceType, referenceId }, crypto) {
  const parts = [issuer, walletId, referenceType, referenceId].flatMap((part) => {
    const bytes = utf8(part)
    const length = new Uint8Array(4)
    new DataView(length.buffer).setUint32(0, bytes.length)
    return [length, bytes]
  })
  return uuidV5(joined(uuidBytes(entryNamespace), ...parts), crypto)
}

/**
 * @param {{
 *   revision: number, type: string, data: EventData, balanceMinor: number, hash: string,
 * }} entry
 * @returns {BundleLine}
 */
function lineOf({ revision, type, data, balanceMinor, hash }) {
  return {
    revision,
    type,
    time: data.time,
    balanceMinor,
    hash,
    changeMinor: isEntry(type) ? signs[type] * (data.amountMinor ?? 0) : 0,
    amountMinor: data.amountMinor ?? null,
    code: data.code ?? null,
    referenceType: data.referenceType ?? null,
    referenceId: data.referenceId ?? null,
    issuer: data.issuer ?? null,
    reason: data.reason ?? null,
  }
}

/**
 * @param {Bundle['shown']} shown
 * @param {string} time
 */
function isShown({ from, to }, time) {
  return (from === null || time >= from) && (to === null || time < to)
}

// --- the proof -----------------------------------------------------------------------------------

/**
 * RFC 6962: the wallet's leaf, and the way from it to the signed root.
 *
 * @param {Bundle} bundle
 * @param {Checkpoint} checkpoint
 * @param {BundleCrypto} crypto
 */
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

/**
 * From the first key on: each is signed by the one before it, or is the one that is trusted.
 *
 * @param {unknown[]} keys
 * @param {BundleCrypto} crypto
 * @param {string | undefined} trustedKey
 * @returns {Promise<Map<string, KnownKey>>}
 */
async function checkKeys(keys, crypto, trustedKey) {
  /** @type {Map<string, KnownKey>} */
  const known = new Map()
  let isTrusted = trustedKey === undefined
  /** @type {Key | null} */
  let previous = null
  for (const [index, item] of keys.filter(isObject).entries()) {
    const place = `Key ${index + 1}`
    const next = /** @type {{ key?: { from?: unknown } } | null | undefined} */ (keys[index + 1])
    hasFields(item, place, {
      key: isObject,
      signature: isSignature,
      until: (value) => value === (next?.key?.from ?? null),
    })
    const { key, signature, until } = /** @type {ListedKey} */ (/** @type {unknown} */ (item))
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
    /** @type {Key | null | undefined} */
    const signer = [key, previous].find((one) => one?.keyId === key.signedBy)
    if (!signer) fail(place, 'is signed by a key that may not sign it.')
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

/**
 * @param {readonly HashedCheckpoint[]} checkpoints
 * @param {ReadonlyMap<string, KnownKey>} keys
 * @param {BundleCrypto} crypto
 */
async function checkCheckpoints(checkpoints, keys, crypto) {
  const newest = lastOf(checkpoints)
  /** @type {HashedCheckpoint | undefined} */
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
    previous = { checkpoint, signature, hash }
  }
}

/**
 * It says itself that checkpoints before it are lost; `previous` is the hash of the last of them.
 *
 * @param {Checkpoint} checkpoint
 */
function isAfterLoss({ lostNumber }) {
  return lostNumber !== undefined && lostNumber !== null
}

/**
 * @param {Checkpoint} checkpoint
 * @returns {{ number: number, lostNumber: number }[]}
 */
function lossIn({ number, lostNumber }) {
  return lostNumber === undefined || lostNumber === null ? [] : [{ number, lostNumber }]
}

/**
 * Each with the hash that the next one names: SHA-256 of the signed text and the signature.
 *
 * @param {readonly unknown[]} signed
 * @param {BundleCrypto} crypto
 * @returns {Promise<HashedCheckpoint[]>}
 */
async function hashCheckpoints(signed, crypto) {
  /** @type {HashedCheckpoint[]} */
  const found = []
  for (const item of signed) {
    const { checkpoint, signature } = readCheckpoint(item)
    const bytes = joined(utf8(canonical(checkpoint)), fromHex(signature))
    found.push({ checkpoint, signature, hash: hex(await crypto.sha256(bytes)) })
  }
  return found
}

/**
 * What the second format signs beside the fields of the first.
 *
 * @param {Checkpoint} checkpoint
 * @returns {Fields}
 */
function laterFields(checkpoint) {
  return {
    adminLogCount: isCount,
    adminLogHead: isHash,
    lostAfter: (value) => value === null || (isAfterLoss(checkpoint) && isHash(value)),
    lostNumber: (value) =>
      value === null || (isCount(value) && value > 0 && value < checkpoint.number),
    ownerCount: isCount,
    ownersRoot: isHash,
  }
}

/**
 * @param {unknown} item
 * @returns {SignedCheckpoint}
 */
function readCheckpoint(item) {
  const given = /** @type {{ checkpoint?: { number?: unknown } } | null | undefined} */ (item)
  const number = given?.checkpoint?.number
  const place = `Checkpoint ${Number.isSafeInteger(number) ? String(number) : ''}`.trim()
  hasFields(item, place, { checkpoint: isObject, signature: isSignature })
  const signed = /** @type {SignedCheckpoint} */ (/** @type {unknown} */ (item))
  const { checkpoint } = signed
  const isFirstFormat = checkpoint.format === formats.firstCheckpoint
  hasFields(checkpoint, place, {
    ...(isFirstFormat ? {} : laterFields(checkpoint)),
    eventId: isUuid,
    format: (value) => isFirstFormat || value === formats.checkpoint,
    keyId: isHash,
    number: (value) => isCount(value) && value > 0,
    position: (value) => typeof value === 'string' && /^[1-9][0-9]{0,19}$/.test(value),
    previous: (value) => value === null || isHash(value),
    root: isHash,
    storeMarker: isAnyText,
    time: isTime,
    walletCount: isCount,
  })
  return signed
}

/**
 * How many of the kept checkpoints are in the bundle; they must be the very same.
 *
 * @param {readonly HashedCheckpoint[]} checkpoints
 * @param {BundleCrypto} crypto
 * @param {unknown} kept
 */
async function compareKept(checkpoints, crypto, kept) {
  if (kept === undefined) return 0
  const hashes = new Map(checkpoints.map(({ checkpoint, hash }) => [checkpoint.number, hash]))
  /** @type {readonly unknown[]} */
  const list = [kept, isObject(kept) && kept['checkpoints']].find(Array.isArray) ?? [kept]
  let compared = 0
  for (const item of list) {
    const { checkpoint, signature } = isObject(item) ? item : {}
    const asked = hashCheckpoints([{ checkpoint, signature }], crypto)
    const hashed = await asked.catch((/** @type {unknown} */ error) => {
      const why = error instanceof Error ? error.message : String(error)
      throw new UnableError(`What you have kept is no list of checkpoints: ${why}`)
    })
    const one = lastOf(hashed)
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

/**
 * @param {{ by: Key, value: Key | Checkpoint, signature: string }} signed
 * @param {BundleCrypto} crypto
 */
function isSigned({ by, value, signature }, crypto) {
  const parts = { key: fromHex(by.publicKey), signature: fromHex(signature) }
  return crypto.verify({ ...parts, text: utf8(canonical(value)) })
}

// --- values --------------------------------------------------------------------------------------

/**
 * All of the fields and no others; `optional` ones only need to be there or not.
 *
 * @param {unknown} value
 * @param {string} place
 * @param {Fields} fields
 * @param {number | null} revision
 * @param {readonly string[]} optional
 * @returns {asserts value is Record<string, unknown>}
 */
function hasFields(value, place, fields, revision = null, optional = []) {
  if (!isObject(value)) fail(place, 'is not an object.', revision)
  for (const name of Object.keys(value))
    if (!Object.hasOwn(fields, name) && !optional.includes(name))
      fail(place, `has a field that does not belong there: ${JSON.stringify(name)}.`, revision)
  for (const [name, isRight] of Object.entries(fields))
    if (!Object.hasOwn(value, name) || !isRight(value[name]))
      fail(place, `has no valid ${name}.`, revision)
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isCount(value) {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** @param {unknown} value */
function isHash(value) {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isSignature(value) {
  return typeof value === 'string' && /^[0-9a-f]{128}$/.test(value)
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isUuid(value) {
  const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
  return typeof value === 'string' && pattern.test(value)
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isTime(value) {
  const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
  return typeof value === 'string' && pattern.test(value) && !Number.isNaN(Date.parse(value))
}

/**
 * RFC 8785 for objects of integers, well-formed texts and nulls; what is none of them becomes a
 * text that is no JSON, and so equals none.
 *
 * @param {unknown} value
 * @returns {string}
 */
function canonical(value) {
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : notCanonical
  // Only a lone half of a pair matches: the pattern sees whole characters.
  if (typeof value === 'string')
    return /[\uD800-\uDFFF]/u.test(value) ? notCanonical : JSON.stringify(value)
  if (!isObject(value)) return notCanonical
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
  return `{${members.join(',')}}`
}

const notCanonical = 'undefined'

/**
 * @param {Uint8Array} bytes
 * @param {BundleCrypto} crypto
 */
async function uuidV5(bytes, crypto) {
  const digits = hex(await crypto.sha1(bytes))
  const variant = '89ab'.charAt(Number.parseInt(digits.charAt(16), 16) & 3)
  const groups = [digits.slice(0, 8), digits.slice(8, 12), `5${digits.slice(13, 16)}`]
  return [...groups, variant + digits.slice(17, 20), digits.slice(20, 32)].join('-')
}

/** @param {string} uuid */
function uuidBytes(uuid) {
  return fromHex(uuid.replaceAll('-', ''))
}

/** @param {string} text */
function utf8(text) {
  return new TextEncoder().encode(text)
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** @param {string} text */
function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** @param {(Uint8Array | number[])[]} parts */
function joined(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let end = 0
  for (const part of parts) {
    all.set(part, end)
    end += part.length
  }
  return all
}

/**
 * Of a list that is not empty.
 *
 * @template Item
 * @param {readonly Item[]} list
 */
function lastOf(list) {
  return /** @type {Item} */ (list.at(-1))
}

/** @param {number} value */
function half(value) {
  return Math.floor(value / 2)
}

const withoutDecimals = ['clp', 'jpy', 'krw', 'pyg', 'vnd', 'xaf', 'xof', 'xpf']

/** @param {string} currency */
function decimalsOf(currency) {
  return withoutDecimals.includes(currency) ? 0 : 2
}

// --- where it runs -------------------------------------------------------------------------------

/** Of these a browser, or an old Node, has only some. */
const surroundings = /** @type {Partial<typeof globalThis>} */ (globalThis)

const noEd25519 = 'This browser cannot check Ed25519 signatures.'

/**
 * Of a browser. Throws UnableError where it cannot check Ed25519.
 *
 * @param {import('node:crypto').webcrypto.SubtleCrypto | undefined} subtle
 * @returns {Promise<BundleCrypto>}
 */
export async function webCrypto(subtle = surroundings.crypto?.subtle) {
  if (subtle === undefined) throw new UnableError(noEd25519)
  /** @param {Uint8Array} key */
  const named = (key) => subtle.importKey('raw', key, 'Ed25519', false, ['verify'])
  /** @type {(name: string, bytes: Uint8Array) => Promise<Uint8Array>} */
  const digest = async (name, bytes) => new Uint8Array(await subtle.digest(name, bytes))
  try {
    // The public key of RFC 8032's first example.
    await named(fromHex('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'))
  } catch {
    throw new UnableError(noEd25519)
  }
  return {
    sha256: (bytes) => digest('SHA-256', bytes),
    sha1: (bytes) => digest('SHA-1', bytes),
    verify: async ({ key, text, signature }) =>
      subtle.verify('Ed25519', await named(key), signature, text),
  }
}

/**
 * Of Node.
 *
 * @returns {Promise<BundleCrypto>}
 */
export async function nodeCrypto() {
  const { createHash, createPublicKey, verify } = await nodeModule('crypto')
  /** @type {(name: string, bytes: Uint8Array) => Uint8Array} */
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

/**
 * @typedef {{
 *   'crypto': typeof import('node:crypto'),
 *   'fs/promises': typeof import('node:fs/promises'),
 *   'url': typeof import('node:url'),
 * }} NodeModules
 * @typedef {NodeModules['fs/promises']['readFile']} ReadFile
 */

/**
 * By a name that a bundler for browsers does not follow.
 *
 * @template {keyof NodeModules} Name
 * @param {Name} name
 * @returns {Promise<NodeModules[Name]>}
 */
function nodeModule(name) {
  const file = `node:${name}`
  return /** @type {Promise<NodeModules[Name]>} */ (import(/* @vite-ignore */ file))
}

const usage =
  'usage: verify-bundle <bundle.json> [--checkpoints <file>] [--key <keyId, PEM or file>] [--json]'

/**
 * The command line; answers with the exit code. With --json `say` gets one object, and `complain`
 * why it is unable to look.
 *
 * @param {readonly string[]} args
 * @param {(line: string) => void} say
 * @param {(line: string) => void} complain
 */
export async function main(args, say = console.log, complain = console.error) {
  const isJson = args.includes('--json')
  try {
    const { readFile } = await nodeModule('fs/promises')
    const { file, key, kept } = readArguments(args.filter((arg) => arg !== '--json'))
    const crypto = await nodeCrypto()
    /** @type {Options} */
    const options = {}
    if (key !== undefined) options.trustedKey = await readKey(key, { readFile, crypto })
    if (kept !== undefined) options.keptCheckpoints = await readKept(kept, readFile)
    const bytes = await readFile(file).catch((/** @type {unknown} */ error) => {
      const code = isObject(error) ? String(error['code']) : ''
      throw new UnableError(`${file} cannot be read (${code}).`)
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

/** @param {ValidBundle | InvalidBundle} result */
function withoutLines(result) {
  if (!result.isValid) return result
  const { isValid, walletId, balanceMinor, currency, events, checkpoint, keyId } = result
  const { number } = checkpoint
  return { isValid, walletId, balanceMinor, currency, events, checkpoint: number, keyId }
}

/**
 * @param {readonly string[]} args
 * @returns {{ file: string, key?: string, kept?: string }}
 */
function readArguments(args) {
  /** @type {Partial<Record<'file' | 'key' | 'kept', string>>} */
  const found = {}
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? ''
    const option = Object.hasOwn(optionNames, arg) ? optionNames[arg] : undefined
    const value = option === undefined ? arg : args[(index += 1)]
    const name = option ?? 'file'
    const isUnknown = option === undefined && arg.startsWith('--')
    if (value === undefined || found[name] !== undefined || isUnknown) throw new UnableError(usage)
    found[name] = value
  }
  const { file, ...others } = found
  if (file === undefined) throw new UnableError(usage)
  return { file, ...others }
}

/** @type {Readonly<Record<string, 'key' | 'kept'>>} */
const optionNames = { '--key': 'key', '--checkpoints': 'kept' }

/**
 * A keyId as it is; of a public key in PEM, or of a file with one, its hash.
 *
 * @param {string} given
 * @param {{ readFile: ReadFile, crypto: BundleCrypto }} parts
 */
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

/**
 * @param {string} file
 * @param {ReadFile} readFile
 * @returns {Promise<unknown>}
 */
async function readKept(file, readFile) {
  try {
    /** @type {unknown} */
    const kept = JSON.parse(await readFile(file, 'utf8'))
    return kept
  } catch {
    throw new UnableError(`${file} cannot be read as JSON.`)
  }
}

/**
 * @param {ValidBundle} result
 * @param {Options} options
 */
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

/**
 * @param {number} count
 * @param {string} one
 * @param {string} many
 */
function counted(count, one, many) {
  return `${count} ${count === 1 ? one : many}`
}

/** @param {InvalidBundle} result */
function redLines({ place, problem }) {
  return [`FAILS  ${printable(place)} ${printable(problem)}`]
}

/**
 * @param {BundleLine} line
 * @param {ValidBundle} result
 */
function statementLine(line, result) {
  const change = line.changeMinor === 0 ? '' : money(line.changeMinor, result.currency)
  const pair = line.referenceType === null ? '' : `${line.referenceType} ${line.referenceId ?? ''}`
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

/**
 * Minor units as people read them, in whole digits: no fraction is ever calculated.
 *
 * @param {number} minor
 * @param {string} currency
 */
function money(minor, currency) {
  const decimals = decimalsOf(currency)
  const digits = String(Math.abs(minor)).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = decimals === 0 ? '' : `.${digits.slice(-decimals)}`
  return `${minor < 0 ? '-' : ''}${whole}${fraction} ${currency.toUpperCase()}`
}

/**
 * Nothing that could move the cursor or turn the text around.
 *
 * @param {string} text
 */
function printable(text) {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD')
}

/** Run as a program, and not imported by a page, a test or the service's command line. */
async function isProgram() {
  const program = /** @type {{ argv?: readonly string[] } | undefined} */ (surroundings.process)
  const started = program?.argv?.[1]
  if (started === undefined || !import.meta.url.startsWith('file:')) return false
  const { realpath } = await nodeModule('fs/promises')
  const { pathToFileURL } = await nodeModule('url')
  const file = await realpath(started).catch(() => started)
  return pathToFileURL(file).href === import.meta.url
}

if (await isProgram()) globalThis.process.exitCode = await main(globalThis.process.argv.slice(2))
