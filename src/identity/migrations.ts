/**
 * The migrations of identity after `0003-users` (users.ts), in their order, for ever.
 * Never: changed once released; what comes next is a new file.
 */
import { readFileSync } from 'node:fs'
import type { Migration } from '../platform/migrations.js'

export const identityMigrations: readonly Migration[] = [
  { name: '0004-accounts', sql: sqlOf('accounts') },
  { name: '0005-client-apps', sql: sqlOf('client-apps') },
  { name: '0006-links', sql: sqlOf('links') },
  { name: '0007-widget-sessions', sql: sqlOf('widget-sessions') },
  { name: '0008-throttle', sql: sqlOf('throttle') },
  { name: '0011-client-app-brand', sql: sqlOf('client-app-brand') },
  { name: '0016-changes', sql: sqlOf('changes') },
  { name: '0017-changes-counted-once', sql: sqlOf('changes-counted-once') },
  { name: '0019-owner-salts', sql: sqlOf('owner-salts') },
  { name: '0020-admin-log-chain', sql: sqlOf('admin-log-chain') },
  { name: '0022-refused-logins', sql: sqlOf('refused-logins') },
  { name: '0027-account', sql: sqlOf('account') },
  { name: '0028-languages', sql: sqlOf('languages') },
  { name: '0032-closing', sql: sqlOf('closing') },
  { name: '0033-language-choice', sql: sqlOf('language-choice') },
]

function sqlOf(name: string): string {
  return readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8')
}
