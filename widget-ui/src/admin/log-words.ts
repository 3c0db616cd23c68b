/**
 * The log of admin actions in words: what was done, by whom, and with what. Values only, so that
 * tests need no browser. Promises: every action that the service or the command line writes has its
 * words. Never: names somebody who is not known; a login that was refused is nobody's.
 */
import type { LogEntry } from '../../../src/http/schemas/answers/admin.js'
import { inWords } from '../shared/words.js'

export function actionWords(entry: Pick<LogEntry, 'action' | 'outcome'>): string {
  if (isRefusedLogin(entry)) return 'Login refused'
  return actions[entry.action] ?? inWords(entry.action.replaceAll('.', ' '))
}

/** Its action says it already. */
export function isRefusedLogin({ action, outcome }: Pick<LogEntry, 'action' | 'outcome'>): boolean {
  return action === 'session.begin' && outcome === 'refused'
}

/** `isKnown`: it is the name of an admin, and not a description of somebody. */
export function actorOf(entry: LogEntry): { readonly words: string; readonly isKnown: boolean } {
  const name = entry.adminEmail ?? entry.adminId
  if (name !== null) return { words: name, isKnown: true }
  if (isByCommandLine(entry)) return { words: 'the command line', isKnown: false }
  if (entry.action.startsWith('session.'))
    return { words: 'somebody at the login page', isKnown: false }
  return { words: 'nobody known', isKnown: false }
}

/** Without what stands in another column already, and without what was not given. */
export function detailWords(entry: LogEntry): string {
  const isChange = entry.action === 'client-app.update'
  return (
    Object.entries(entry.details)
      .filter(([name]) => !(name === 'by' && isByCommandLine(entry)))
      // In a change it is told: it took away what stood there.
      .filter(([, value]) => value !== null || isChange)
      .map(([name, value]) => `${nameWords(name)}: ${plain(value)}`)
      .join(' · ')
  )
}

const actions: Readonly<Record<string, string>> = {
  'session.begin': 'Logged in',
  'session.end': 'Logged out',
  'client-app.create': 'Client app created',
  'client-app.update': 'Client app changed',
  'client-app.rotate': 'Secret made',
  'client-app.revoke': 'Secret revoked',
  'client-app.activate': 'Client app activated',
  'client-app.deactivate': 'Client app deactivated',
  'webhook.create': 'Webhook endpoint added',
  'webhook.update': 'Webhook endpoint changed',
  'webhook.remove': 'Webhook endpoint removed',
  'webhook.rotate': 'Signing secret made',
  'webhook.revoke': 'Signing secret revoked',
  'webhook.test': 'Test event sent',
  'webhook.redeliver': 'Webhook sent again',
  'webhook.thresholds': 'Low balances changed',
  'wallet.deactivate': 'Wallet deactivated',
  'wallet.reactivate': 'Wallet reactivated',
  'wallet.bonus': 'Bonus granted',
  'user.create': 'Account created',
  'user.reset-password': 'Password link made',
  'user.unlink': 'Account unlinked',
  'user.erase': 'Account erased',
  'admin.create': 'Admin created',
  'admin.set-password': 'Admin’s password set',
  'admin.lock': 'Admin locked',
  'lost-events.seen': 'Lost events marked as seen',
  seed: 'Test wallets made',
}

/** As src/cli/identity.ts signs what it writes. */
function isByCommandLine({ details }: LogEntry): boolean {
  return details['by'] === 'command line'
}

function nameWords(name: string): string {
  return name === 'linked' ? 'linked to' : name
}

function plain(value: unknown): string {
  if (value === null) return 'none'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
