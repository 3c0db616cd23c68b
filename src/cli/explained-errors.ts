/**
 * What a command says when it did not work: one line what and one line how to mend it. Knows the
 * errors of every room, so it is loaded when there is one to explain.
 */
import { OtherStoreError } from '../../projections/checkpoint.js'
import { ReadModelsVersionError } from '../../projections/read-schema.js'
import { RebuildRunningError } from '../../projections/rebuild.js'
import { DivergenceError } from '../audit/verifying/divergence.js'
import { ConfigError } from '../config.js'
import { InvariantError } from '../domain/invariant.js'
import { StoreUnavailableError } from '../event-store/event-store.js'
import { ListenError, reasonOf } from '../platform/connection-faults.js'
import { EmbeddedPostgresError } from '../platform/embedded-postgres-error.js'
import { isDatabaseAway } from '../platform/postgres.js'
import { NoServiceError, SettingChangedError } from '../platform/settings.js'
import { CommandError } from './terminal.js'

/** What happened and how to mend it, one line each; undefined for a mistake of ours. */
export function explain(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof ConfigError) return error.faults
  if (error instanceof CommandError) return [error.message, error.remedy]
  if (error instanceof EmbeddedPostgresError)
    return [sentence(error.message), error.remedy, ...(error.detail === '' ? [] : [error.detail])]
  if (error instanceof DivergenceError) return [`${error.message}.`]
  if (error instanceof ListenError) return explainListening(error)
  const remedy = remedyFor(error)
  return remedy === undefined ? explainFile(error) : [sentence(reasonOf(error)), remedy]
}

/** Messages of errors begin in lower case and have no full stop, ours and others'. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function remedyFor(error: Error): string | undefined {
  if (error instanceof OtherStoreError)
    return 'Point EVENTSTORE_URL or DATABASE_URL to the store that belongs to these read models.'
  if (error instanceof ReadModelsVersionError)
    return 'Run: npm run -s wallet -- rebuild (the ledger itself is not touched).'
  if (error instanceof RebuildRunningError) return 'Wait until it has finished.'
  if (error instanceof SettingChangedError) return 'Set the variable back, or use another database.'
  if (error instanceof InvariantError)
    return 'Nothing was written. Keep the data as it is and look into it.'
  if (error instanceof StoreUnavailableError) return 'Is the event store running and reachable?'
  if (error instanceof NoServiceError)
    return 'Check DATABASE_URL or DATA_DIR. The first start of the service makes what it needs.'
  if (isDatabaseAway(error)) return 'Is the database running and reachable?'
  return databaseRemedies[codeOf(error)]
}

function explainListening(error: ListenError): readonly string[] {
  const { port, address, hostname } = error.cause as ListenFault
  const code = codeOf(error)
  if (code === 'EADDRINUSE' && port !== undefined)
    return [
      `The port ${port} of the service is taken.`,
      'Stop what runs there (perhaps npm start or npm run demo), or choose another PORT.',
    ]
  if (code === 'EACCES' && port !== undefined)
    return [`This user may not have the port ${port}.`, 'Choose another PORT, such as 3000.']
  const host = hostname ?? address
  const isUnknown = code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
  return [
    isUnknown && host !== undefined
      ? `HOST is ${host}, which is no address of this machine.`
      : sentence(error.message),
    'Set HOST to an address of this machine, such as 127.0.0.1, or to 0.0.0.0 for all of them.',
  ]
}

/** What Node says beside the message: of listening the first two, of looking a name up the last. */
interface ListenFault {
  readonly port?: number
  readonly address?: string
  readonly hostname?: string
}

/** By SQLSTATE: what PostgreSQL refuses because of how it or we were set up. */
const databaseRemedies: Readonly<Record<string, string>> = {
  '28P01': 'Correct the user or the password in DATABASE_URL.',
  '28000': 'Correct DATABASE_URL, or let this user in (pg_hba.conf of that server).',
  '3D000': 'Make that database first, or name another one in DATABASE_URL.',
  '42501': 'Give the user of DATABASE_URL this right, or make it the owner of the database.',
  '42P01': 'Run: npm run -s wallet -- migrate (it makes the tables that are missing).',
}

/** A file or folder that was named by an option or a variable. */
function explainFile(error: Error): readonly string[] | undefined {
  const reason = fileReasons[codeOf(error)]
  if (reason === undefined || !('path' in error) || !('syscall' in error)) return undefined
  // A missing program is no missing file of the person's.
  if (String(error.syscall).startsWith('spawn')) return undefined
  const path = 'dest' in error ? error.dest : error.path
  // A file that appears whole is written beside its place first, with a UUID behind its name.
  const named = String(path).replace(/\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '')
  return [`${named}: ${reason}.`, 'Name another place, or mend this one.']
}

const fileReasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read or write there',
  EISDIR: 'that is a folder, not a file',
  ENOENT: 'there is no such file, or its folder is missing',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EPERM: 'this user may not read or write there',
  EROFS: 'nothing can be written there (read-only)',
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
