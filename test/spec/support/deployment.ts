/**
 * What the suite runs on. With SPEC_BASE_URL: that deployment, with the client apps of
 * SPEC_CLIENT_ID, SPEC_CLIENT_SECRET and SPEC_CLIENT_ID_2, SPEC_CLIENT_SECRET_2 (both scopes each)
 * and the users of SPEC_USERS, comma-separated and linked to both (28 are enough; their balances do
 * not matter); SPEC_PARENT_ORIGIN is an origin that both apps list in allowedOrigins and in
 * allowedIframeParents, without it the tests of embedding are skipped. Without SPEC_BASE_URL: our
 * own service, once on each event store, with its log looked through at the end. Tests that need a
 * hand inside the service are skipped elsewhere, with that reason.
 */
import t from 'tap'
import type { Test } from 'tap'
import { commandDeadlineMs } from '../../../src/limits.js'
import { startOwnService } from './own-service.js'
import type { Control, Store } from './own-service.js'
import { Account, WalletApi } from './wallet-api.js'
import type { Credentials } from './wallet-api.js'

export interface Deployment {
  readonly api: WalletApi
  readonly first: Credentials
  readonly second: Credentials
  /** A user linked to both apps, as the first one sees them, with exactly this balance. */
  account(balance?: number): Promise<Account>
  /** In allowedOrigins and allowedIframeParents of both apps. */
  readonly parentOrigin: string | undefined
  /** A hand inside the service; only where the suite has started it. */
  readonly control?: Control
}

type Register = (t: Test, on: Deployment) => void

/**
 * Registers a file's tests on every deployment. Files run beside each other, so each takes the
 * users of its own `place` in the list.
 */
export function onEveryDeployment(place: number, register: Register): void {
  registerOn(['PostgreSQL', 'EventStoreDB'], place, register)
}

/**
 * The same for a file whose requests are refused before an event store is asked, or are about apps,
 * people, sessions and pages, which are in PostgreSQL whatever the store is: one is enough.
 */
export function onAnyStore(place: number, register: Register): void {
  registerOn(['PostgreSQL'], place, register)
}

function registerOn(stores: readonly Store[], place: number, register: Register): void {
  const baseUrl = process.env['SPEC_BASE_URL'] ?? ''
  if (baseUrl !== '') {
    t.test('on the deployment of SPEC_BASE_URL', async (t) => {
      const deployment = givenDeployment(baseUrl, place)
      register(t, deployment)
      await answersInTime(t, deployment)
    })
    return
  }
  for (const store of stores)
    t.test(`on the ${store} store`, async (t) => {
      const deployment = await startOwnService(t, store)
      register(t, deployment)
      await answersInTime(t, deployment)
      await deployment.control.requireCleanLog(t)
    })
}

const noHand = 'needs a hand inside the service'

/** A test that needs a hand inside the service. */
export function testInside(
  t: Test,
  { control }: Deployment,
  name: string,
  run: (t: Test, control: Control) => Promise<void>,
): void {
  if (control === undefined) t.test(name, { skip: noHand }, async () => undefined)
  else t.test(name, (t) => run(t, control))
}

/** A test that needs an origin that may embed the widget. */
export function testEmbedding(
  t: Test,
  { parentOrigin }: Deployment,
  name: string,
  run: (t: Test, parentOrigin: string) => Promise<void>,
): void {
  if (parentOrigin === undefined)
    t.test(name, { skip: 'needs SPEC_PARENT_ORIGIN' }, async () => undefined)
  else t.test(name, (t) => run(t, parentOrigin))
}

/** At least as many as there are files: each has a place of its own. */
const filesMax = 14

function givenDeployment(baseUrl: string, place: number): Deployment {
  const api = new WalletApi(baseUrl)
  const first = credentials('SPEC_CLIENT_ID', 'SPEC_CLIENT_SECRET')
  const second = credentials('SPEC_CLIENT_ID_2', 'SPEC_CLIENT_SECRET_2')
  const users = required('SPEC_USERS')
    .split(',')
    .filter((_user, index) => index % filesMax === place)
  if (users.length < 2) throw new Error(`SPEC_USERS needs at least ${2 * filesMax} users`)
  let taken = 0
  return {
    api,
    first,
    second,
    parentOrigin: process.env['SPEC_PARENT_ORIGIN'],
    async account(balance = 0) {
      const user = users[taken++ % users.length] ?? ''
      const account = new Account(api, first, user)
      await account.setBalance(balance)
      return account
    },
  }
}

function credentials(idName: string, secretName: string): Credentials {
  return { clientId: required(idName), clientSecret: required(secretName) }
}

function required(name: string): string {
  const value = process.env[name] ?? ''
  if (value === '') throw new Error(`${name} must be set beside SPEC_BASE_URL`)
  return value
}

async function answersInTime(t: Test, { api }: Deployment): Promise<void> {
  await t.test('8 limits: every answer of this file came within the deadline', async (t) => {
    t.ok(api.slowestMs < commandDeadlineMs, `the slowest took ${Math.round(api.slowestMs)} ms`)
  })
}
