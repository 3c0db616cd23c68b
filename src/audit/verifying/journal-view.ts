/**
 * Whether the view over the postings is the one that this release makes: a changed one could show
 * other accounts with the same sums. Promises: compares with a copy that is made at the same moment
 * by the same server, so no text of a server's version is kept; where none can be made (a database
 * that takes no writes, a user who may not), it says so and accuses nobody.
 */
import { readJournalDefinitions } from '../../../projections/read-schema.js'
import type { Pool } from '../../platform/postgres.js'
import { diverges } from './divergence.js'

/** False when it could not be compared. */
export async function compareJournalView(pool: Pool): Promise<boolean> {
  const definitions = await readJournalDefinitions(pool)
  if (definitions === undefined) return false
  const { stored, made } = definitions
  if (stored === made) return true
  const problem = stored === null ? 'is no view any more' : 'is defined otherwise than it was made'
  return diverges('journal-view', 'the view of the journal', problem)
}
