/**
 * `webhooks`: where client apps are told what happens, and what came of it. A signing secret is
 * printed once, by the command that made it. Promises: every change stands in the admin log; a
 * running service sends what is made here within a second. Never: sends anything itself.
 */
import type { Command } from 'commander'
import type { Identity } from '../compose/parts.js'
import type { Config } from '../config.js'
import { parseAmount, toMajor } from '../domain/money.js'
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import { readSetting } from '../platform/settings.js'
import type { Delivery } from '../webhooks/deliveries.js'
import type { Endpoint } from '../webhooks/endpoints.js'
import { requestTimeoutMs, sendPollMs } from '../webhooks/limits.js'
import { SecretKeyError } from '../webhooks/secret-key.js'
import { openWebhooks } from '../webhooks/webhook-parts.js'
import type { WebhookParts } from '../webhooks/webhook-parts.js'
import { webhookTypes } from '../webhooks/webhook-types.js'
import { allowPrivateSetting } from '../webhooks/webhooks-config.js'
import { collect, findClientApp, printable, recorded } from './identity.js'
import { withLedgerData } from './opened-ledger.js'
import { CommandError, environmentOption, print, printEnvironment, printJson } from './terminal.js'

interface JsonOption {
  readonly json?: true
}

export function registerWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('tell client apps what happens')
  const add = (usage: string, said: string): Command =>
    webhooks.command(usage).description(said).option('--json', 'print the result as JSON')
  add('create', 'a new endpoint of a client app; prints its endpointId and its secret, once')
    .requiredOption('--client-app <clientId>', 'whose endpoint it is')
    .requiredOption('--url <url>', 'where webhooks are sent to')
    .requiredOption('--type <type>', `repeatable: ${webhookTypes.join(', ')}`, collect)
    .addOption(environmentOption('WEBHOOK_ENDPOINT_ID and WEBHOOK_SECRET'))
    .action(create)
  add('list', 'every endpoint, with its types and the ids of its signing secrets')
    .option('--client-app <clientId>', 'of this client app only')
    .action(list)
  add('test <endpointId>', 'send a test event, and say what came of it').action(test)
  add('deliveries <endpointId>', 'what was sent, newest first, with payload and answer')
    .option('--state <state>', 'waiting, delivered or dead; all if left out')
    .option('--limit <number>', 'how many; 20 if left out')
    .action(listDeliveries)
  add('redeliver <deliveryId>', 'send one again, with its old id and body').action(redeliver)
  add('thresholds <clientId>', 'at which balances wallet.low_balance is sent to a client app')
    .option('--below <amount>', 'at or below this balance, repeatable; shown if left out', collect)
    .option('--none', 'never')
    .action(thresholds)
  add('rotate <endpointId>', 'a second signing secret; both sign until one is revoked').action(
    rotate,
  )
  add('revoke <endpointId> <secretId>', 'end one signing secret').action(revoke)
  add('remove <endpointId>', 'end an endpoint, with everything that waits for it').action(remove)
}

interface Work {
  readonly webhooks: WebhookParts
  readonly identity: Identity
  readonly config: Config
  /** As the service says that last started here; what is set here, if none did. */
  readonly allowPrivate: boolean
}

async function withWebhooks(work: (parts: Work) => Promise<void>): Promise<void> {
  await withLedgerData(async ({ config, pool, store, identity, log }) => {
    const system = { pool, store, log, clock: systemClock, random: systemRandom }
    const findEntry = async () => undefined
    const { currency } = config
    const webhooks = openWebhooks(config.webhooks, { ...system, currency, findEntry })
    const noted = await readSetting(pool, allowPrivateSetting)
    const allowPrivate = config.webhooks.allowPrivate || noted !== 'false'
    try {
      await work({ webhooks, identity, config, allowPrivate })
    } catch (error) {
      if (error instanceof SecretKeyError) throw new CommandError(error.message, error.remedy)
      throw error
    }
  })
}

interface CreateOptions extends JsonOption {
  readonly clientApp: string
  readonly url: string
  readonly type: readonly string[]
  readonly env?: true
}

async function create(options: CreateOptions): Promise<void> {
  const { clientApp, url, type: types, json, env } = options
  await withWebhooks(async ({ webhooks, identity, allowPrivate }) => {
    const { clientId } = await findClientApp(identity, clientApp)
    const details = { clientId, url: originOf(url), types }
    const made = await recorded(
      identity,
      { action: 'webhook.create', subject: clientId, details },
      () => webhooks.endpoints.create(clientId, { url, types }, { allowPrivate }),
      ({ endpoint }) => endpoint.endpointId,
    )
    const { endpoint, secret } = made
    if (json) printJson({ ...endpoint, secret })
    else if (env)
      printEnvironment({
        WEBHOOK_ENDPOINT_ID: endpoint.endpointId,
        WEBHOOK_SECRET: secret,
      })
    else print(`${describe(endpoint)}\n\n${describeSecret(secret)}`)
  })
}

async function list({ clientApp, json }: JsonOption & { readonly clientApp?: string }) {
  await withWebhooks(async ({ webhooks, identity }) => {
    if (clientApp !== undefined) await findClientApp(identity, clientApp)
    const endpoints = await webhooks.endpoints.list(clientApp)
    if (json) printJson(endpoints)
    else if (endpoints.length === 0)
      print('No endpoint yet. Next: webhooks create --client-app <id> --url <url> --type <type>')
    else print(endpoints.map(describe).join('\n\n'))
  })
}

async function test(endpointId: string, { json }: JsonOption): Promise<void> {
  await withWebhooks(async ({ webhooks, identity }) => {
    await findEndpoint(webhooks, endpointId)
    const act = { action: 'webhook.test', subject: endpointId }
    const made = await recorded(identity, act, () => webhooks.deliveries.sendTest(endpointId))
    const delivery = await outcomeOf(webhooks, made)
    if (json) printJson(delivery)
    else print(describeDelivery(delivery))
    if (delivery.state !== 'delivered') process.exitCode = 1
  })
}

interface DeliveriesOptions extends JsonOption {
  readonly state?: string
  readonly limit?: string
}

async function listDeliveries(endpointId: string, options: DeliveriesOptions): Promise<void> {
  const limit = Number(options.limit ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new CommandError('--limit must be a whole number from 1 to 100.', 'Give another one.')
  const state = states.find((known) => known === options.state)
  if (options.state !== undefined && state === undefined)
    throw new CommandError(`--state must be one of ${states.join(', ')}.`, 'Give another one.')
  await withWebhooks(async ({ webhooks }) => {
    await findEndpoint(webhooks, endpointId)
    const page = { limit, ...(state !== undefined && { state }) }
    const deliveries = await webhooks.deliveries.list(endpointId, page)
    if (options.json) printJson(deliveries)
    else print(deliveries.map(describeDelivery).join('\n\n') || 'Nothing was to be sent yet.')
  })
}

const states = ['waiting', 'delivered', 'dead'] as const

async function redeliver(text: string, { json }: JsonOption): Promise<void> {
  await withWebhooks(async ({ webhooks, identity }) => {
    const deliveryId = /^[0-9]{1,15}$/.test(text) ? Number(text) : -1
    if ((await webhooks.deliveries.find(deliveryId)) === undefined)
      throw new CommandError(
        `There is no delivery '${printable(text)}'.`,
        'See them: npm run -s wallet -- webhooks deliveries <endpointId>',
      )
    const act = { action: 'webhook.redeliver', subject: text, details: { deliveryId } }
    const again = await recorded(identity, act, () => webhooks.deliveries.sendAgain(deliveryId))
    if (json) printJson(again)
    else print('It waits again: a running service sends it within a second.')
  })
}

async function thresholds(
  clientId: string,
  { below, none, json }: JsonOption & { readonly below?: readonly string[]; readonly none?: true },
): Promise<void> {
  await withWebhooks(async ({ webhooks, identity, config: { currency } }) => {
    await findClientApp(identity, clientId)
    const given = none === true ? [] : below?.map((text) => minorOf(text, currency))
    if (given !== undefined) {
      const details = { lowBalanceThresholds: given.map(String) }
      const act = { action: 'webhook.thresholds', subject: clientId, details }
      await recorded(identity, act, () => webhooks.endpoints.setThresholds(clientId, given))
    }
    const minor = await webhooks.endpoints.thresholds(clientId)
    const lowBalanceThresholds = minor.map((each) => toMajor(each, currency))
    if (json) printJson({ clientId, lowBalanceThresholds })
    else print(`Told at or below: ${lowBalanceThresholds.join(', ') || 'never'}.`)
  })
}

async function rotate(endpointId: string, { json }: JsonOption): Promise<void> {
  await withWebhooks(async ({ webhooks, identity }) => {
    await findEndpoint(webhooks, endpointId)
    const act = { action: 'webhook.rotate', subject: endpointId }
    const made = await recorded(identity, act, () => webhooks.endpoints.rotate(endpointId))
    if (made === undefined) throw noEndpoint(endpointId)
    if (json) printJson({ ...made.endpoint, secret: made.secret })
    else
      print(`${describeSecret(made.secret)}\nThe secret of before signs too, until it is revoked.`)
  })
}

async function revoke(endpointId: string, secretId: string, { json }: JsonOption): Promise<void> {
  await withWebhooks(async ({ webhooks, identity }) => {
    const { secrets } = await findEndpoint(webhooks, endpointId)
    if (!secrets.some((secret) => secret.secretId === secretId))
      throw new CommandError(
        `The endpoint has no live secret '${printable(secretId)}'.`,
        `Its live secrets: ${secrets.map((secret) => secret.secretId).join(', ')}.`,
      )
    const act = { action: 'webhook.revoke', subject: endpointId, details: { secretId } }
    const endpoint = await recorded(identity, act, () =>
      webhooks.endpoints.revoke(endpointId, secretId),
    )
    if (json) printJson(endpoint)
    else print('Revoked: nothing is signed with it any more.')
  })
}

async function remove(endpointId: string, { json }: JsonOption): Promise<void> {
  await withWebhooks(async ({ webhooks, identity }) => {
    await findEndpoint(webhooks, endpointId)
    const act = { action: 'webhook.remove', subject: endpointId }
    await recorded(identity, act, () => webhooks.endpoints.remove(endpointId))
    if (json) printJson({ endpointId, removed: true })
    else print('Removed, with all of its deliveries.')
  })
}

async function findEndpoint({ endpoints }: WebhookParts, endpointId: string): Promise<Endpoint> {
  const endpoint = await endpoints.find(endpointId)
  if (endpoint === undefined) throw noEndpoint(endpointId)
  return endpoint
}

function noEndpoint(endpointId: string): CommandError {
  return new CommandError(
    `There is no endpoint '${printable(endpointId)}'.`,
    'See them all: npm run -s wallet -- webhooks list',
  )
}

/** What a running service made of it, for as long as one request may take. */
async function outcomeOf({ deliveries }: WebhookParts, made: Delivery): Promise<Delivery> {
  const untilMs = systemClock.now() + requestTimeoutMs + 4 * sendPollMs
  for (let delivery = made; ;) {
    if (delivery.tries > 0 || systemClock.now() > untilMs) return delivery
    await systemClock.sleep(sendPollMs)
    delivery = (await deliveries.find(made.deliveryId)) ?? delivery
  }
}

function minorOf(text: string, currency: Config['currency']): number {
  const isNumber = /^[0-9]{1,15}(\.[0-9]{1,4})?$/.test(text)
  const parsed = isNumber ? parseAmount(Number(text), { currency, zeroAllowed: true }) : undefined
  if (parsed !== undefined && 'minor' in parsed) return parsed.minor
  throw new CommandError(`'${printable(text)}' is no amount.`, 'Give one such as 12.50.')
}

/** The path may hold a token of the receiver's. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}

function describe(endpoint: Endpoint): string {
  const rows = [
    ['endpointId', endpoint.endpointId],
    ['client app', endpoint.clientId],
    ['types', endpoint.types.join(', ')],
    ['since', endpoint.createdAt],
    ['state', endpoint.deadSince === null ? 'well' : `given up since ${endpoint.deadSince}`],
    ...endpoint.secrets.map(({ secretId, createdAt }) => [
      'secret id',
      `${secretId}, made ${createdAt}`,
    ]),
  ]
  const lines = rows.map(([label = '', value = '']) => `  ${label.padEnd(11)} ${value}`)
  return [printable(endpoint.url), ...lines].join('\n')
}

function describeSecret(secret: string): string {
  return `  secret      ${secret}\n\nIt is shown only now, and is for the app's backend only.`
}

function describeDelivery(delivery: Delivery): string {
  const { deliveryId, type, state, tries, createdAt, lastTryAt, nextTryAt, fault } = delivery
  const answer = delivery.answerStatus === null ? (fault ?? 'not tried yet') : delivery.answerStatus
  return [
    `${deliveryId}  ${type}  ${state}  ${createdAt}`,
    `  webhook-id  ${delivery.webhookId}`,
    `  tries       ${tries}${lastTryAt === null ? '' : `, last ${lastTryAt}`}`,
    ...(nextTryAt === null ? [] : [`  next try    ${nextTryAt}`]),
    `  answer      ${printable(`${answer} ${delivery.answerBody ?? ''}`.trim())}`,
    `  payload     ${printable(delivery.payload)}`,
  ].join('\n')
}
