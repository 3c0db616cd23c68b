/** The findings, the bad ones first; each with a word for its state, and its fix below it. */
import { Icon } from '../shared/icon.js'
import type { Finding } from './findings.js'

const looks = {
  bad: { icon: 'refuse', word: 'To mend' },
  unsure: { icon: 'info', word: 'To check' },
  good: { icon: 'check', word: 'Fine' },
} as const

const order = ['bad', 'unsure', 'good'] as const

export function FindingList({ findings }: { findings: readonly Finding[] }) {
  const sorted = order.flatMap((state) => findings.filter((finding) => finding.state === state))
  const badCount = findings.filter(({ state }) => state === 'bad').length
  return (
    <div class="findings" role="status">
      <p class="verdict">{verdict(badCount)}</p>
      <ul>
        {sorted.map(({ state, title, fix }) => (
          <li key={title} class={`finding finding-${state}`}>
            <Icon name={looks[state].icon} />
            <div>
              <p>
                <strong class="finding-word">{looks[state].word}</strong> {title}
              </p>
              {fix !== undefined && <p class="finding-fix">{fix}</p>}
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

function verdict(badCount: number): string {
  if (badCount === 0) return 'Nothing stands in the way.'
  return badCount === 1 ? 'One thing to mend.' : `${badCount} things to mend.`
}
