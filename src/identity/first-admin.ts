/**
 * The admin of a first start, without whom nobody could enter the admin area: the one that the
 * operator named, else, where nobody but the person at this machine is there, one to be printed.
 * Never: makes one beside another.
 */
import { firstPasswordBytes } from '../limits.js'
import type { Random } from '../platform/random.js'
import { AdminExistsError, type Admins } from './admins.js'

export interface AdminAccount {
  readonly email: string
  readonly password: string
}

/** What was made and must be told, for nobody can ask for it again. */
export async function makeFirstAdmin(
  { admins, random }: { readonly admins: Admins; readonly random: Random },
  wanted: { readonly given: AdminAccount | undefined; readonly mayBePrinted: boolean },
): Promise<AdminAccount | undefined> {
  if ((await admins.count()) > 0) return undefined
  if (wanted.given !== undefined) {
    await createOnce(admins, wanted.given)
    return undefined
  }
  if (!wanted.mayBePrinted) return undefined
  const password = random.bytes(firstPasswordBytes).toString('base64url')
  const made = { email: 'admin@wallet.example', password }
  return (await createOnce(admins, made)) ? made : undefined
}

/** False when another process, started at the same moment, was first. */
async function createOnce(admins: Admins, account: AdminAccount): Promise<boolean> {
  try {
    await admins.create({ ...account, role: 'admin' })
    return true
  } catch (error) {
    if (error instanceof AdminExistsError) return false
    throw error
  }
}
