// A bundle and the script that checks it: what is green, what is not, and which entry is named.
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import {
  main,
  nodeCrypto,
  UnableError,
  verifyBundle,
} from '../../src/verify-bundle/verify-bundle.mjs'
import { published } from '../../src/audit/proofs/checkpoint-format.js'
import { listCheckpoints, readKeys } from '../../src/audit/proofs/checkpoint-rows.js'
import { rotateKey } from '../../src/audit/proofs/checkpoints.js'
import { SignedLedger } from '../support/checkpoints.js'
import { newWalletId } from '../support/ledger.js'
import { openOneEntryLedger } from '../support/one-entry-ledger.js'
import { runAsyncProperty } from '../support/property.js'
import { at, forge, makeBundle, parse } from './forged-bundle.js'
import type { Bundle } from './forged-bundle.js'

const run = promisify(execFile)
const script = new URL('../../src/verify-bundle/verify-bundle.mjs', import.meta.url)
const crypto = await nodeCrypto()

t.test('a bundle holds: all entries, the balance, the proof and the keys', async (t) => {
  const { signed, bytes } = await makeBundle(t)
  const result = await verifyBundle(bytes, crypto)
  t.match(result, {
    isValid: true,
    walletId: signed.wallets[1],
    currency: 'usd',
    balanceMinor: 430,
    events: 9,
    checkpoint: { number: 3, walletCount: 3 },
    oldestCheckpoint: 1,
  })
  t.same(forge(parse(bytes)), bytes, 'the forger of these tests writes as we do')
  if (!result.isValid) return
  t.same(
    result.lines.map(({ type, changeMinor, balanceMinor }) => [type, changeMinor, balanceMinor]),
    [
      ['WalletOpened', 0, 0],
      ['WalletCredited', 500, 500],
      ['WalletDebited', -200, 300],
      ['WalletCredited', 50, 350],
      ['DebitDeclined', 0, 350],
      ['WalletToppedUp', 70, 420],
      ['WalletDeactivated', 0, 420],
      ['WalletToppedUp', 5, 425],
      ['WalletToppedUp', 5, 430],
    ],
  )
})

t.test('a range shows fewer entries and proves the same', async (t) => {
  const { signed } = await makeBundle(t)
  const to = '2000-01-01T00:00:00.000Z'
  const shown = await signed.bundle({ from: null, to })
  t.match(await verifyBundle(shown, crypto), { isValid: true, lines: [], balanceMinor: 430 })
  t.equal(parse(shown).events.length, 9)
})

t.test('the newest checkpoint is used when it holds the head, else one is made', async (t) => {
  const { signed, bytes } = await makeBundle(t)
  t.same(await signed.bundle(), bytes, 'the same bytes again')
  await signed.move('pi_elsewhere', 0)
  t.equal(parse(await signed.bundle()).checkpoints.length, 3, 'others may have moved on')
  await rm(signed.keyFile)
  const of = signed.wallets[1]
  await signed.move('pi_4')
  t.match(await verifyBundle(await signed.bundle(), crypto), {
    events: 9,
    checkpoint: { number: 3 },
  })
  t.equal(parse(await signed.bundle()).walletId, of, 'without the key: up to what was signed')
})

t.test('an unknown wallet has no bundle, a damaged stream neither', async (t) => {
  const { signed } = await makeBundle(t)
  const wallets = [signed.wallets[0], newWalletId(), signed.wallets[2]] as const
  const strange = Object.assign(Object.create(signed) as SignedLedger, { wallets })
  await t.rejects(strange.bundle(), { name: 'BundleError', message: /has no events/ })
  await signed.tamper("update ledger.events set data = replace(data, 'O-1', 'O-7')")
  await t.rejects(signed.bundle(), { name: 'DivergenceError', message: /revision 2 / })
})

const forgeries: Record<string, [change: (bundle: Bundle) => unknown, named: RegExp]> = {
  'an amount': [
    (b) => edit(b, 2, 'data', /200/, '100'),
    /revision 2 says the balance 3\.00 USD, but the entries up to it sum to 4\.00 USD\.$/,
  ],
  'a reference': [(b) => edit(b, 2, 'data', /O-1/, 'O-7'), /revision 2 does not continue/],
  'a type': [(b) => edit(b, 5, 'type', /.+/, 'BonusGranted'), /revision 5 does not continue/],
  'an unknown type': [(b) => edit(b, 5, 'type', /.+/, 'toString'), /revision 5 has no valid type/],
  'an event id': [
    (b) => edit(b, 1, 'id', /^./, at(b.events, 1).id.startsWith('0') ? '1' : '0'),
    /revision 1 has an event id/,
  ],
  'a hash': [(b) => edit(b, 1, 'metadata', /[0-9a-f]{8}/, '00000000'), /revision 1 does not cont/],
  'spaces in data': [(b) => edit(b, 3, 'data', /^\{/, '{ '), /revision 3 holds data that is not c/],
  'a missing entry': [({ events }) => events.splice(3, 1), /revision 3 has no valid revision/],
  'two exchanged entries': [({ events }) => events.reverse(), /revision 0 has no valid revision/],
  'a missing tail': [({ events }) => events.pop(), /ends at revision 7, but its head is 8/],
  'a missing tail with its head': [shorten, /inclusion proof does not lead to the signed root/],
  'the wallet': [(b) => (b.walletId = newWalletId()), /revision 0 opens another wallet/],
  'the currency': [(b) => (b.currency = 'eur'), /revision 0 opens another wallet/],
  'the place in the tree': [({ proof }) => (proof.index = (proof.index + 1) % 3), /inclusion pr/],
  'the size of the tree': [({ proof }) => (proof.size = 4), /tree of another size/],
  'the way to the root': [({ proof }) => proof.path.push('0'.repeat(64)), /inclusion proof/],
  'a signed root': [
    (b) => (at(b.checkpoints, 0).checkpoint['root'] = zeros),
    /Checkpoint 1 has a s/,
  ],
  'a signature': [
    (b) => (at(b.checkpoints, 1).signature = zeros + zeros),
    /Checkpoint 2 has a sig/,
  ],
  'a missing checkpoint': [(b) => b.checkpoints.splice(1, 1), /Checkpoint 3 does not follow/],
  "a key's beginning": [(b) => (at(b.keys, 1).key['from'] = later), /Key 1 has no valid until/],
  "a key's end": [(b) => (at(b.keys, 1).until = later), /Key 2 has no valid until/],
  'a public key': [(b) => (at(b.keys, 0).key['publicKey'] = zeros), /Key 1 has an id that is not/],
  'a missing key': [({ keys }) => keys.shift(), /Key 1 has no valid previous/],
  'an added field': [(b) => Object.assign(b, { note: 'x' }), /a field that does not belong there/],
}

const zeros = '0'.repeat(64)
const later = '2100-01-01T00:00:00.000Z'

type Text = 'id' | 'type' | 'data' | 'metadata'

function edit({ events }: Bundle, revision: number, field: Text, what: RegExp, by: string): void {
  const event = at(events, revision)
  const changed = event[field].replace(what, by)
  if (changed === event[field]) throw new Error('the forgery changed nothing')
  event[field] = changed
}

function shorten(bundle: Bundle): void {
  bundle.events.pop()
  const { metadata, revision } = at(bundle.events, bundle.events.length - 1)
  bundle.head = { revision, hash: (JSON.parse(metadata) as { hash: string }).hash }
}

t.test('a forged bundle is told by its place', async (t) => {
  const { bytes } = await makeBundle(t)
  for (const [what, [change, named]] of Object.entries(forgeries)) {
    const bundle = parse(bytes)
    change(bundle)
    const result = await verifyBundle(forge(bundle), crypto)
    t.equal(result.isValid, false, what)
    if (result.isValid) continue
    t.match(`${result.place} ${result.problem}`, named, what)
    const [, revision] = /^The entry at revision (\d+)/.exec(result.place) ?? []
    if (revision !== undefined) t.equal(result.revision, Number(revision))
  }
})

t.test('whichever byte is changed, the bundle does not hold or is none any more', async (t) => {
  const { bytes } = await makeBundle(t)
  const places = fc.nat({ max: bytes.length - 1 })
  const fails = fc.asyncProperty(places, fc.integer({ min: 1, max: 255 }), async (place, mask) => {
    const changed = Buffer.from(bytes)
    changed[place] = (changed[place] ?? 0) ^ mask
    const result = await verifyBundle(changed, crypto).catch(unableOrThrow)
    // Unable only where the change took away what makes it a bundle: all else is named and red.
    return isBundle(changed) ? result !== 'unable' && !result.isValid : result === 'unable'
  })
  await runAsyncProperty(t, fails, 1_500)
  const longer = Buffer.concat([bytes, Buffer.from('\n')])
  t.match(await verifyBundle(longer, crypto), { place: 'The file', revision: null })
  t.match(await verifyBundle(bytes.subarray(0, -1), crypto), { place: 'The file' })
  const pretty = Buffer.from(JSON.stringify(parse(bytes), null, 2), 'utf8')
  t.match(await verifyBundle(pretty, crypto), { problem: /changed or laid out anew/ })
})

function unableOrThrow(error: unknown): 'unable' {
  if (error instanceof UnableError) return 'unable'
  throw error
}

/** UTF-8, JSON and of the format. */
function isBundle(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return (JSON.parse(text) as { format?: unknown } | null)?.format === 'wallet-audit-bundle-v1'
  } catch {
    return false
  }
}

t.test('a file that is no bundle at all is not accused of having been changed', async (t) => {
  const { bytes } = await makeBundle(t)
  const others: Record<string, Buffer> = {
    'a script': await readFile(script),
    'a picture': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    nothing: Buffer.from(''),
    null: Buffer.from('null'),
    'a list': Buffer.from(`[${bytes.toString('utf8')}]`),
    'another JSON': Buffer.from('{"name":"wallet"}'),
    'a later format': Buffer.from(bytes.toString('utf8').replace('bundle-v1', 'bundle-v2')),
    'half a bundle': bytes.subarray(0, bytes.length / 2),
  }
  for (const [what, file] of Object.entries(others))
    await t.rejects(
      verifyBundle(file, crypto),
      { name: 'UnableError', message: /^This is no audit bundle: / },
      what,
    )
  const bare = Buffer.from('{"format":"wallet-audit-bundle-v1"}')
  t.match(await verifyBundle(bare, crypto), { isValid: false, problem: 'has no valid walletId.' })
})

t.test('a chain of checkpoints may begin late, and kept ones must be the same', async (t) => {
  const { signed, bytes } = await makeBundle(t)
  const bundle = parse(bytes)
  bundle.checkpoints.shift()
  const cut = forge(bundle)
  t.match(await verifyBundle(cut, crypto), { isValid: true, oldestCheckpoint: 2 })
  const [third, second, first] = await listCheckpoints(signed.ledger.pool, { limit: 3 })
  const check = (keptCheckpoints: unknown) => verifyBundle(cut, crypto, { keptCheckpoints })
  t.match(await check({ checkpoints: [third, second, first] }), { isValid: true, keptCompared: 2 })
  t.match(await check(third), { keptCompared: 1 })
  await t.rejects(check([first]), { name: 'UnableError' })
  await t.rejects(check({ something: 'else' }), { name: 'UnableError' })
  const other = { ...second, checkpoint: { ...second?.checkpoint, walletCount: 2 } }
  const problem = 'is not the one that you have kept.'
  t.match(await check([other]), { isValid: false, place: 'Checkpoint 2', problem })
})

t.test('a trusted key is the one that signed, or one from which that comes', async (t) => {
  const { signed, bytes } = await makeBundle(t)
  const [first = '', second = ''] = parse(bytes).keys.map(({ key }) => String(key['keyId']))
  const check = (of: Buffer, trustedKey?: string) =>
    verifyBundle(of, crypto, trustedKey === undefined ? {} : { trustedKey })
  t.match(await check(bytes, first), { isValid: true, keyId: second })
  t.match(await check(bytes, second), { isValid: true })
  t.match(await check(bytes, zeros), { isValid: false, problem: /does not hold the key that you/ })

  await rm(signed.keyFile)
  const { key } = await rotateKey(signed.parts, { isLost: true })
  await signed.move('pi_4')
  const orphaned = await signed.bundle()
  t.match(await check(orphaned), {
    isValid: false,
    place: 'Key 3',
    problem: /not signed by the key/,
  })
  t.match(await check(orphaned, first), { isValid: false, problem: /does not come from the one/ })
  t.match(await check(orphaned, key.keyId), { isValid: true, keyId: key.keyId })
})

t.test('the script alone in an empty folder says green, red or unable', async (t) => {
  const { signed, bytes } = await makeBundle(t)
  const folder = await mkdtemp(join(tmpdir(), 'verify-bundle-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await copyFile(script, join(folder, 'verify-bundle.mjs'))
  await writeFile(join(folder, 'good.json'), bytes)
  const bad = parse(bytes)
  edit(bad, 2, 'data', /O-1/, 'O-7')
  await writeFile(join(folder, 'bad.json'), forge(bad))
  const { pool } = signed.ledger
  const kept = { checkpoints: await listCheckpoints(pool, { limit: 2 }) }
  await writeFile(join(folder, 'kept.json'), JSON.stringify(kept))
  const keys = published(await readKeys(pool))
  const raw = Buffer.from(keys[0]?.key.publicKey ?? '', 'hex')
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
  const pem = `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`
  await writeFile(join(folder, 'key.pem'), pem)

  const start = async (...args: string[]) => {
    const options = { cwd: folder, env: { PATH: process.env['PATH'] } }
    return run(process.execPath, ['verify-bundle.mjs', ...args], options).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: unknown) => error as { code: number; stdout: string },
    )
  }
  const green = await start('good.json')
  t.equal(green.code, 0)
  t.match(green.stdout, / {2}WalletDebited {4} +-2\.00 USD +3\.00 USD .* ORDER O-1\n/)
  t.match(green.stdout, `GREEN  wallet ${signed.wallets[1]}: 9 entries, balance 4.30 USD`)
  const pinned = await start('good.json', '--key', 'key.pem', '--checkpoints', 'kept.json')
  t.equal(pinned.code, 0)
  t.match(pinned.stdout, /the one that you trust, or its successor.\n.*2 kept checkpoints are the/)
  t.equal((await start('good.json', '--key', pem)).code, 0)
  const red = await start('bad.json')
  t.equal(red.code, 1)
  t.match(red.stdout, /^FAILS {2}The entry at revision 2 does not continue the hash chain/)
  const none = await start('verify-bundle.mjs')
  t.equal(none.code, 2)
  t.equal(none.stdout, 'UNABLE  This is no audit bundle: it is not JSON.\n')
  for (const args of [[], ['nowhere.json'], ['good.json', '--key', 'x'], ['good.json', '--what']]) {
    const unable = await start(...args)
    t.equal(unable.code, 2, args.join(' '))
    t.match(unable.stdout, /^UNABLE {2}/)
  }
})

t.test('one entry, one wallet and one kept checkpoint are not told as many', async (t) => {
  const signed = await openOneEntryLedger(t)
  const folder = t.testdir({ 'kept.json': JSON.stringify(await signed.sign()) })
  const file = join(folder, 'bundle.json')
  await writeFile(file, await signed.bundle())
  const said: string[] = []
  const args = [file, '--checkpoints', join(folder, 'kept.json')]
  t.equal(await main(args, (line) => said.push(line)), 0)
  t.match(said.join('\n'), `GREEN  wallet ${signed.wallets[1]}: 1 entry, balance 0.00 USD`)
  t.match(said.join('\n'), ', over 1 wallet; chain from checkpoint 1 on')
  t.match(said.join('\n'), '1 kept checkpoint is the very same')
})

t.test('text of others cannot move the cursor of whoever checks', async (t) => {
  const { bytes } = await makeBundle(t)
  const bundle = parse(bytes)
  Object.assign(bundle, { '\u001b[2J': 1 })
  const file = join(t.testdir({}), 'odd.json')
  await writeFile(file, forge(bundle))
  const said: string[] = []
  t.equal(await main([file], (line) => said.push(line)), 1)
  t.notMatch(said.join('\n'), '\u001b')
})

t.test('nobody else has a copy of the checker that could differ', async (t) => {
  const page = await readFile(new URL('../../widget-ui/src/verify/check-file.ts', import.meta.url))
  t.match(page.toString(), "from '../../../src/verify-bundle/verify-bundle.mjs'")
  t.match(await readFile(script, 'utf8'), /^(?![\s\S]*^import )[\s\S]*$/m, 'it imports nothing')
})
