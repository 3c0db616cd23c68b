/** What every part of the account view is given. */
import type { Person } from '../widget/person.js'

export interface PartProps {
  readonly person: Person
  readonly brand: string
  /** Something was changed: the account is read anew. */
  readonly onChanged: () => void
}
