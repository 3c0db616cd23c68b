/**
 * The client app of the demo's shop, and its credentials in a file of mode 0600 beside the demo's
 * data. Promises: made once; a later start finds it by the file, gives it the shop's origin of now,
 * and makes a new secret only when the one in the file does not work any more.
 * Never: prints the secret.
 */
import { open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openDatabase } from '../compose/database.js'
import { openIdentity } from '../compose/identity.js'
import type { Identity } from '../compose/parts.js'
import type { Config } from '../config.js'
import type { ClientAppDetails, MadeSecret } from '../identity/client-apps.js'
import { liveSecretsMax } from '../limits.js'
import { makeFolders } from '../platform/folders.js'
import type { Log } from '../platform/log.js'
import { recorded } from './identity.js'
import { CommandError, notice } from './terminal.js'

export interface ShopCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

export interface ShopPlace {
  readonly folder: string
  readonly shopOrigin: string
  readonly log: Log
}

/** On the database of the running service. */
export async function ensureShop(config: Config, place: ShopPlace): Promise<ShopCredentials> {
  const database = await openDatabase(config, { log: place.log, notice })
  try {
    const identity = openIdentity(database, config, place)
    try {
      return await findOrMake(identity, place)
    } finally {
      await identity.close()
    }
  } finally {
    await database.close()
  }
}

async function findOrMake(identity: Identity, place: ShopPlace): Promise<ShopCredentials> {
  const file = join(place.folder, 'shop-credentials.json')
  const known = await readCredentials(file)
  const clientApp = known && (await identity.clientApps.find(known.clientId))
  if (known === undefined || clientApp === undefined)
    return writeCredentials(file, await makeApp(identity, place.shopOrigin))
  await keepUsable(identity, clientApp, place.shopOrigin)
  const { clientId, clientSecret } = known
  if ((await identity.clientApps.authenticate(clientId, clientSecret)) !== undefined) return known
  return writeCredentials(file, await newSecret(identity, clientApp))
}

const scopes = ['wallet:read', 'wallet:write'] as const

function makeApp(identity: Identity, shopOrigin: string): Promise<MadeSecret> {
  const origins = { allowedOrigins: [shopOrigin], allowedIframeParents: [shopOrigin] }
  const look = { brandName: 'Paper & Ink', accentColor: '#0f766e' }
  const input = { name: 'Example shop', ...origins, ...look, scopes }
  const act = { action: 'client-app.create', subject: null, details: { ...input } }
  const create = () => identity.clientApps.create(input)
  return recorded(identity, act, create, ({ clientApp }) => clientApp.clientId)
}

/** Another port is another origin; and somebody may have tried out what switching it off does. */
async function keepUsable(
  identity: Identity,
  clientApp: ClientAppDetails,
  shopOrigin: string,
): Promise<void> {
  const { clientId, allowedOrigins, allowedIframeParents, isActive } = clientApp
  const isListed = [allowedOrigins, allowedIframeParents].every((list) => list.includes(shopOrigin))
  if (!isListed) {
    const patch = { allowedOrigins: [shopOrigin], allowedIframeParents: [shopOrigin] }
    const act = { action: 'client-app.update', subject: clientId, details: patch }
    await recorded(identity, act, () => identity.clientApps.update(clientId, patch))
  }
  if (isActive) return
  const act = { action: 'client-app.activate', subject: clientId }
  await recorded(identity, act, () => identity.clientApps.setActive(clientId, true))
}

async function newSecret(identity: Identity, clientApp: ClientAppDetails): Promise<MadeSecret> {
  const { clientId, secrets } = clientApp
  const [oldest] = secrets
  if (oldest !== undefined && secrets.length >= liveSecretsMax) {
    const { secretId } = oldest
    const act = { action: 'client-app.revoke', subject: clientId, details: { secretId } }
    await recorded(identity, act, () => identity.clientApps.revoke(clientId, secretId))
  }
  const act = { action: 'client-app.rotate', subject: clientId }
  const made = await recorded(identity, act, () => identity.clientApps.rotate(clientId))
  if (made !== undefined) return made
  throw new CommandError("The shop's client app has just been removed.", 'Start the demo again.')
}

async function readCredentials(file: string): Promise<ShopCredentials | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    const { clientId, clientSecret } = JSON.parse(text) as Partial<ShopCredentials>
    if (typeof clientId !== 'string' || typeof clientSecret !== 'string') return undefined
    return { clientId, clientSecret }
  } catch {
    return undefined
  }
}

async function writeCredentials(file: string, made: MadeSecret): Promise<ShopCredentials> {
  const { clientId } = made.clientApp
  const credentials = { clientId, clientSecret: made.clientSecret }
  await makeFolders(dirname(file))
  const fresh = `${file}.new`
  const handle = await open(fresh, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(credentials, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(fresh, file)
  return credentials
}
