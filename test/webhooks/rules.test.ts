// What webhooks are made of: which event tells what, low balances, addresses, signatures, ids.
import t from 'tap'
import { Webhook } from 'standardwebhooks'
import { systemRandom } from '../../src/platform/random.js'
import { isPublicAddress } from '../../src/webhooks/addresses.js'
import { checkEndpoint, urlFault } from '../../src/webhooks/endpoint-rules.js'
import { forHolder, lowBalanceOf, noticesOf } from '../../src/webhooks/notices.js'
import { releasable } from '../../src/webhooks/outbox.js'
import type { OutboxRow } from '../../src/webhooks/outbox.js'
import { newSigningSecret, signatureHeaders } from '../../src/webhooks/signature.js'
import { healthOf } from '../../src/webhooks/webhook-parts.js'
import { webhookIdOf } from '../../src/webhooks/webhook-id.js'
import { webhookTypes } from '../../src/webhooks/webhook-types.js'
import { usd } from '../support/webhooks.js'

const time = '2026-01-02T03:04:05.006Z'
const entry = {
  amountMinor: 250,
  balanceMinor: 750,
  description: 'v1.sealed',
  entryId: 'e1',
  issuer: 'client-app:app_1',
  referenceId: '1',
  referenceType: 'ORDER',
  time,
}

function event(type: string, data: object = {}) {
  return { type, data: JSON.stringify({ ...entry, ...data }) }
}

t.test('each event of the log tells what the table says, and no description', (t) => {
  const service = { issuer: 'service' }
  const entryData = { amount: 2.5, entryId: 'e1', referenceType: 'ORDER', referenceId: '1' }
  const cases: [string, object, object[]][] = [
    ['WalletToppedUp', service, [{ type: 'wallet.topped_up', clientId: undefined }]],
    ['TopUpReversed', service, [{ type: 'wallet.top_up_reversed', clientId: undefined }]],
    ['WalletDebited', {}, [{ type: 'wallet.entry', clientId: 'app_1' }]],
    ['WalletCredited', {}, [{ type: 'wallet.entry', clientId: 'app_1' }]],
    ['WalletDebited', service, []],
    ['DebitDeclined', { code: 'INSUFFICIENT_BALANCE' }, []],
    ['BonusGranted', service, []],
    ['TopUpReinstated', service, []],
    ['WalletOpened', {}, []],
    ['SomethingOfTheNextRelease', {}, []],
  ]
  for (const [type, data, expected] of cases) {
    const notices = noticesOf(event(type, data), usd)
    t.match(notices, expected, type)
    t.equal(notices.length, expected.length, type)
    t.notMatch(JSON.stringify(notices), 'sealed')
  }
  const [debit] = noticesOf(event('WalletDebited', { refundOf: undefined }), usd)
  t.same(debit?.data, { ...entryData, entryType: 'debit' })
  t.equal(debit?.balanceMinor, 750)
  const pair = { referenceType: 'ORDER', referenceId: '0' }
  const [credit] = noticesOf(event('WalletCredited', { refundOf: pair }), usd)
  t.same(credit?.data, { ...entryData, entryType: 'credit', refundOf: pair })
  const status = { type: 'WalletDeactivated', data: JSON.stringify({ reason: 'why', time }) }
  const [told] = noticesOf(status, usd)
  t.same(told?.data, {}, 'an app cannot read the reason')
  t.equal(told?.balanceMinor, undefined, 'to be looked up')
  t.end()
})

t.test('a hold that expired is told to the app that placed it, with its pair', (t) => {
  const expired = event('HoldExpired', { issuer: 'service', referenceId: 'hold-entry' })
  const [notice] = noticesOf(expired, usd)
  t.match(notice, { type: 'hold.expired', holdId: 'hold-entry', data: { amount: 2.5 } })
  if (notice === undefined) return t.end()
  const pair = { referenceType: 'BOOKING', referenceId: '7' }
  const known = forHolder(notice, { issuer: 'client-app:app_2', ...pair })
  t.match(known, { clientId: 'app_2', data: { amount: 2.5, holdOf: pair } })
  t.equal(forHolder(notice, { issuer: 'service', ...pair }), undefined)
  t.end()
})

t.test('a low balance is told once, by the entry that crosses a threshold', (t) => {
  const crossing = (beforeMinor: number, afterMinor: number, thresholds = [1_000, 500]) => {
    const data = { amountMinor: beforeMinor - afterMinor, balanceMinor: afterMinor }
    return lowBalanceOf(event('WalletDebited', data), thresholds, usd)?.data['threshold']
  }
  t.equal(crossing(1_001, 1_000), 10, 'down to it is low')
  t.equal(crossing(1_000, 999), undefined, 'it was not above')
  t.equal(crossing(999, 501), undefined, 'not again below it')
  t.equal(crossing(501, 499), 5)
  t.equal(crossing(2_000, 0), 5, 'several at once are told once, by the lowest')
  t.equal(crossing(2_000, 0, []), undefined)
  const credit = event('WalletCredited', { amountMinor: 1, balanceMinor: 900 })
  t.equal(lowBalanceOf(credit, [1_000], usd), undefined, 'a credit makes nothing low')
  const declined = event('DebitDeclined', { amountMinor: 5_000, balanceMinor: 900 })
  t.equal(lowBalanceOf(declined, [1_000], usd), undefined, 'a decline moves nothing')
  t.end()
})

t.test('only addresses of the public internet are public', (t) => {
  const refused = [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.9.9.9', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.168.1.1', '198.18.0.1', '224.0.0.1', '240.0.0.1'],
    ...['255.255.255.255', '::', '::1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1'],
    ...['::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001::1', '2001:db8::1', 'fc00::1'],
    ...['fd12::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '100::1', 'nonsense', ''],
  ]
  for (const address of refused) t.notOk(isPublicAddress(address), address)
  const open = ['8.8.8.8', '93.184.216.34', '172.32.0.1', '100.128.0.1', '192.169.0.1']
  for (const address of [...open, '2606:4700:4700::1111', '2a00:1450:4001::200e'])
    t.ok(isPublicAddress(address), address)
  t.end()
})

t.test('an endpoint is an https address outside, and what is wrong is said', (t) => {
  const outside = { allowPrivate: false }
  t.equal(urlFault('https://shop.example/hooks?key=1', outside), undefined)
  for (const [url, fault] of [
    ['shop.example', /such as https/],
    ['ftp://shop.example', /such as https/],
    ['http://shop.example', /https:.*WEBHOOKS_ALLOW_PRIVATE/],
    ['https://127.0.0.1/hooks', /private network/],
    ['https://[::1]/hooks', /private network/],
    ['https://0x7f.1/', /private network/],
    ['https://localhost/', /private network/],
    ['https://user:word@shop.example', /no user/],
    ['https://shop.example/#a', /fragment/],
    [`https://shop.example/${'a'.repeat(2_000)}`, /2000 characters/],
  ] as const)
    t.match(urlFault(url, outside), fault, url)
  t.equal(urlFault('http://127.0.0.1:4000/hooks', { allowPrivate: true }), undefined)
  const url = 'https://shop.example'
  for (const [types, field] of [
    [[], 'types'],
    [['wallet.entry', 'wallet.everything'], 'types[1]'],
    [['wallet.entry', 'wallet.entry'], 'types[1]'],
  ] as const)
    t.throws(() => checkEndpoint({ url, types }, outside), {
      name: 'InvalidFieldError',
      message: new RegExp(`^${field.replace('[1]', '.1.')} `),
    })
  t.doesNotThrow(() => checkEndpoint({ url, types: webhookTypes }, outside))
  t.end()
})

t.test('the package of the convention takes signatures of both live secrets', (t) => {
  const [old, fresh] = [newSigningSecret(systemRandom), newSigningSecret(systemRandom)]
  t.match(old, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const body = '{"type":"wallet.entry","text":"ä€"}'
  const message = { webhookId: 'id-1', body, atMs: Date.now(), secrets: [fresh, old] }
  const headers: Record<string, string> = { ...signatureHeaders(message) }
  for (const secret of [old, fresh])
    t.same(new Webhook(secret).verify(body, headers), JSON.parse(body))
  const other = new Webhook(newSigningSecret(systemRandom))
  t.throws(() => other.verify(body, headers), 'another secret')
  t.throws(() => new Webhook(old).verify(`${body} `, headers), 'another body')
  t.end()
})

t.test('the id of a webhook follows from endpoint, source event and type', (t) => {
  const endpointId = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
  const sourceId = '00000000-0000-4000-8000-000000000001'
  const id = webhookIdOf({ endpointId, sourceId, type: 'wallet.entry' })
  t.equal(id, 'de72939e-832a-5dc0-a4b3-7bbc6d889056', 'for ever, and by every library')
  t.not(webhookIdOf({ endpointId, sourceId, type: 'wallet.low_balance' }), id)
  t.not(webhookIdOf({ endpointId: sourceId, sourceId, type: 'wallet.entry' }), id)
  t.end()
})

t.test('a row of the outbox waits for the log before it and overtakes nothing', (t) => {
  const row = (outboxId: number, type: OutboxRow['type'], walletId: string, after?: bigint) =>
    ({ outboxId, type, walletId, afterPosition: after }) as OutboxRow
  const rows = [
    row(1, 'link.created', 'a'),
    row(2, 'link.removed', 'a', 5n),
    row(3, 'link.created', 'a'),
    row(4, 'wallet.top_up_failed', 'b', 4n),
    row(5, 'link.removed', 'c'),
  ]
  const ids = (position: bigint) => releasable(rows, position).map(({ outboxId }) => outboxId)
  t.same(ids(3n), [1], 'a link goes at once, but not before its own removal')
  t.same(ids(4n), [1, 4])
  t.same(ids(5n), [1, 2, 3, 4])
  t.end()
})

t.test('webhooks are degraded at worst, and say why', (t) => {
  const clock = { now: () => 10_000_000 }
  const well = { contradiction: undefined, hasWrongKey: false, clock }
  const nothing = { waiting: 0, oldestMs: undefined, deadEndpoints: 0 }
  t.same(healthOf(nothing, well), { state: 'ok' })
  t.same(healthOf({ ...nothing, waiting: 1, oldestMs: 9_000_000 }, well), { state: 'ok' })
  t.match(healthOf({ ...nothing, oldestMs: 1_000_000 }, well), { detail: /more than an hour/ })
  t.match(healthOf({ ...nothing, deadEndpoints: 1 }, well), { state: 'degraded' })
  t.match(healthOf(nothing, { ...well, hasWrongKey: true }), { detail: /WEBHOOKS_KEY/ })
  t.match(healthOf(nothing, { ...well, contradiction: 'x' }), { detail: /contradiction/ })
  t.end()
})
