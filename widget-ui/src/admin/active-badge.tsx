/** Whether a wallet or a client app is active, in a word. */
import { Badge } from '../shared/notice.js'

export function ActiveBadge({ isActive }: { isActive: boolean }) {
  return isActive ? (
    <Badge kind="good" icon="check">
      Active
    </Badge>
  ) : (
    <Badge kind="warning" icon="pause">
      Inactive
    </Badge>
  )
}
