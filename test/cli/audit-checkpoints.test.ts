// Checkpoints, keys and bundles as an operator and an auditor run them, on a PostgreSQL database.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { publicKeyObject } from '../../src/audit/proofs/checkpoint-format.js'
import { runCommand } from '../support/command-line.js'
import { newDatabase, query, refused, runJson, type DatabaseEnvironment } from './json-commands.js'

t.test('a checkpoint, a new key, a bundle and its check', async (t) => {
  const folder = t.testdir({})
  const database = await newDatabase(t)
  const environment = { ...database, DATA_DIR: folder }
  const early = /There is nothing to sign yet/
  await runJson(t, ['rebuild'], environment)
  await refused(t, ['audit', 'checkpoint'], environment, early)
  const app = await runJson<{ clientId: string }>(
    t,
    ['client-apps', 'create', '--name', 'Shop'],
    environment,
  )
  const seed = ['seed', '--wallets', '3', '--balance', '12.50', '--link', app.clientId]
  const seeded = await runJson<{ serviceUserIds: string[] }>(t, seed, environment)
  const [serviceUserId = ''] = seeded.serviceUserIds
  await runJson(t, ['rebuild'], environment)

  const first = await runJson(t, ['audit', 'checkpoint'], environment)
  t.match(first, { isNew: true, checkpoint: { number: 1, walletCount: 3 }, hash: String })
  t.match(readFileSync(join(folder, 'checkpoint-key.pem'), 'utf8'), 'PRIVATE KEY')
  const again = await runCommand(t, ['audit', 'checkpoint'], environment)
  t.match(again.stdout, /^Nothing has moved since checkpoint 1 of /)
  const rotated = await runJson<{ key: { keyId: string } }>(
    t,
    ['audit', 'keys', 'rotate'],
    environment,
  )
  const keys = await runCommand(t, ['audit', 'keys', 'list'], environment)
  t.match(keys.stdout, new RegExp(` until .*\n${rotated.key.keyId}  from .*  in use\n$`))

  const file = join(folder, 'wallet.json')
  const made = await runJson(t, ['audit', 'bundle', serviceUserId, '--out', file], environment)
  t.match(made, { file, events: 2, checkpoint: 1 })
  const green = await runCommand(t, ['verify-bundle', file], {})
  t.equal(green.code, 0, green.stderr)
  t.match(green.stdout, /GREEN .* 2 entries, balance 12\.50 USD/)
  await t.test('verify-bundle answers in JSON with the same exit codes', (t) =>
    verifyAsJson(t, file, rotated.key.keyId),
  )
  writeFileSync(file, readFileSync(file, 'utf8').replace('Minor\\":1250', 'Minor\\":9250'))
  const red = await runCommand(t, ['verify-bundle', file, '--key', rotated.key.keyId], {})
  t.equal(red.code, 1)
  t.match(red.stdout, /^FAILS {2}The entry at revision 1 /)
  t.equal((await runCommand(t, ['verify-bundle', `${file}.not`], {})).code, 2)
  t.match(await runJson(t, ['audit', 'verify'], environment), { events: 6, divergence: undefined })
  await t.test('a key in place of a lost one fails verify until it is named', (t) =>
    loseKey(t, environment),
  )
})

t.test('after a loss the next number is signed, logged, and says what is gone', async (t) => {
  const environment = { ...(await newDatabase(t)), DATA_DIR: t.testdir({}) }
  const app = ['client-apps', 'create', '--name', 'Shop']
  const { clientId } = await runJson<{ clientId: string }>(t, app, environment)
  const seed = ['seed', '--wallets', '2', '--balance', '1.00', '--link', clientId]
  await runJson(t, seed, environment)
  await runJson(t, ['rebuild'], environment)
  const first = await runJson<{ hash: string }>(t, ['audit', 'checkpoint'], environment)
  const goOn = ['audit', 'checkpoints', 'continue-after-loss', '--number']
  await refused(t, [...goOn, '1'], environment, /Nothing was signed: checkpoint 1 and all that/)
  await refused(t, [...goOn, 'x'], environment, /--number is 'x'/)
  await query(
    environment,
    `alter table audit.checkpoints disable trigger user;
     alter table audit.signing_keys disable trigger user;
     delete from audit.checkpoints; delete from audit.signing_keys`,
  )
  const gone = await runCommand(t, ['audit', 'verify'], environment)
  t.match(gone, { code: 1, stdout: /^DIFFERS \(checkpoint\)\ncheckpoint 1: is gone: .*holds none/ })
  await refused(
    t,
    ['audit', 'checkpoint'],
    environment,
    /Nothing is signed or bundled: checkpoint 1/,
  )
  await refused(t, [...goOn, '7'], environment, /the newest witnessed checkpoint is 1, not 7/)

  const signed = await runCommand(t, [...goOn, '1'], environment)
  t.match(signed, {
    code: 0,
    stdout: /^Signed checkpoint 2 over the witnessed hash of 1\.\nGone: /,
  })
  t.match(signed.stdout, `Checkpoint 1 had hash ${first.hash} and root `)
  t.match(await runJson(t, ['audit', 'verify'], environment), { divergence: undefined })
  const acts = await query(
    environment,
    `select o.details, f.outcome from identity.admin_log o join identity.admin_log f
       on f.order_id = o.log_id where o.action = 'checkpoints.continue_after_loss'
     order by o.log_id desc limit 1`,
  )
  t.match(acts, [{ details: { number: 1, by: 'command line' }, outcome: 'done' }])

  rmSync(join(environment.DATA_DIR, 'checkpoint-key.pem.witness'))
  const alone = await runCommand(t, ['audit', 'verify'], environment)
  t.match(alone, { code: 0, stderr: /No witness of checkpoints is here/ })
  const away = { ...environment, CHECKPOINT_WITNESS: 'http://127.0.0.1:1/w' }
  const unable = await runCommand(t, ['audit', 'verify'], away)
  t.match(unable, { code: 2, stderr: /Not compared with its witness: .*cannot be reached/ })
})

async function verifyAsJson(t: Test, file: string, newKeyId: string) {
  const json = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runCommand(t, ['verify-bundle', ...args, '--json'], {})
    return { code, stderr, value: stdout === '' ? undefined : (JSON.parse(stdout) as unknown) }
  }
  const { walletId, keys } = JSON.parse(readFileSync(file, 'utf8')) as {
    walletId: string
    keys: { key: { keyId: string; publicKey: string } }[]
  }
  const { keyId = '', publicKey = '' } = keys[0]?.key ?? {}
  const pem = join(dirname(file), 'key.pem')
  const key = publicKeyObject(Buffer.from(publicKey, 'hex'))
  writeFileSync(pem, key.export({ format: 'pem', type: 'spki' }))
  const facts = { walletId, balanceMinor: 1250, currency: 'usd', events: 2, checkpoint: 1, keyId }
  for (const args of [[], ['--key', keyId], ['--key', pem]])
    t.same(await json(file, ...args), { code: 0, stderr: '', value: { isValid: true, ...facts } })

  const red = await json(file, '--key', newKeyId)
  t.match(red, { code: 1, stderr: '', value: { isValid: false, revision: null, place: String } })
  const forged = join(dirname(file), 'forged.json')
  writeFileSync(forged, readFileSync(file, 'utf8').replace('Minor\\":1250', 'Minor\\":9250'))
  const entry = { place: 'The entry at revision 1', problem: /balance/, revision: 1 }
  t.match(await json(forged), { code: 1, value: { isValid: false, ...entry } })

  const unable = [
    [[`${file}.not`], /wallet\.json\.not cannot be read \(ENOENT\)\.\n$/],
    [[pem], /^This is no audit bundle/],
    [[file, '--key', 'abc'], /^--key is neither a keyId \(64 digits\) nor an Ed25519 public key/],
    [[file, '--checkpoints', pem], /key\.pem cannot be read as JSON\.\n$/],
    [[file, '--checkpoints', `${file}.not`], /cannot be read as JSON/],
  ] as const
  for (const [args, stderr] of unable)
    t.match(await json(...args), { code: 2, stderr, value: undefined })
}

async function loseKey(t: Test, environment: DatabaseEnvironment & { DATA_DIR: string }) {
  rmSync(join(environment.DATA_DIR, 'checkpoint-key.pem'))
  const rotated = await runCommand(t, ['audit', 'keys', 'rotate', '--lost'], environment)
  const [, keyId = ''] = /^The new key is ([0-9a-f]{64})\./.exec(rotated.stdout) ?? []
  t.match(rotated.stderr, new RegExp(`until you vouch for it[^]*\nAUDIT_TRUSTED_KEYS=${keyId}\n`))
  const signed = await runJson(t, ['audit', 'checkpoint'], environment)
  t.match(signed, { isNew: true, checkpoint: { number: 2, keyId } })

  const verify = ['audit', 'verify']
  const differs = await runCommand(t, verify, environment)
  t.equal(differs.code, 1)
  t.match(differs.stdout, new RegExp(`^DIFFERS \\(checkpoint\\)\nsigning key 3, ${keyId}: `))
  const trusting = await runCommand(t, [...verify, '--trust-key', keyId], environment)
  t.match(trusting, { code: 0, stdout: /^All agrees/ }, trusting.stderr)
  const named = { ...environment, AUDIT_TRUSTED_KEYS: keyId }
  t.match(await runJson(t, verify, named), { divergence: undefined })

  const unable = [
    [['--trust-key', 'abc'], {}, /--trust-key is 'abc', which is no keyId/],
    [['--trust-key', keyId, '--wallet', 'usr_1'], {}, /With --wallet no key is checked/],
    [[], { AUDIT_TRUSTED_KEYS: 'abc' }, /^AUDIT_TRUSTED_KEYS must be .* but is 'abc'/],
  ] as const
  for (const [args, wrong, stderr] of unable)
    t.match(await runCommand(t, [...verify, ...args], { ...environment, ...wrong }), {
      code: 2,
      stderr,
    })
}

t.test('what cannot be signed or bundled is refused with a sentence', async (t) => {
  const folder = t.testdir({})
  const environment = { ...(await newDatabase(t)), DATA_DIR: folder }
  const nobody = '11111111-2222-4333-8444-555555555555'
  const cases = [
    [['audit', 'keys', 'rotate'], /There is no key yet/],
    [['audit', 'bundle', nobody], /is no wallet that this service knows/],
    [['audit', 'bundle', nobody, '--from', 'soon'], /--from is 'soon'/],
    [['audit', 'bundle', 'usr_nobody'], /'usr_nobody' is no wallet/],
  ] as const
  for (const [args, sentences] of cases) await refused(t, args, environment, sentences)
})
