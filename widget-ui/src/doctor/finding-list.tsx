/** The findings, the bad ones first; each with a word for its state, and its fix below it. */
import { Icon } from '../shared/icon.js'
import type { Finding } from './findings.js'

const looks = {
  bad: { icon: 'refuse', word: 'To mend' },
  missing: { icon: 'info', word: 'Not examined' },
  unsure: { icon: 'info', word: 'To check' },
  good: { icon: 'check', word: 'Fine' },
} as const

const order = ['bad', 'missing', 'unsure', 'good'] as const

export function FindingList({ findings }: { findings: readonly Finding[] }) {
  const sorted = order.flatMap((state) => findings.filter((finding) => finding.state === state))
  return (
    <div class="findings" role="status">
      <p class="verdict">{verdict(findings)}</p>
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

function verdict(findings: readonly Finding[]): string {
  const badCount = findings.filter(({ state }) => state === 'bad').length
  if (badCount > 0) return badCount === 1 ? 'One thing to mend.' : `${badCount} things to mend.`
  const isMissing = findings.some(({ state }) => state === 'missing')
  return isMissing ? 'Not everything could be examined.' : 'Nothing stands in the way.'
}
