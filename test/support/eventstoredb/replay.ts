/**
 * The recorded conversations with a real 23.10.8 and the means to compare a new one with them:
 * what may differ (drawn ids, positions, times, ports) is replaced by its order of appearance, so
 * that "the same position as before" is still compared. Everything else must be equal.
 */
import { readFileSync } from 'node:fs'

export interface RecordedScenario {
  readonly scenario: string
  readonly clientSees: unknown
  readonly wire: readonly unknown[]
}

export function recordedScenarios(): readonly RecordedScenario[] {
  const file = new URL('../../event-store/eventstoredb-recorded.jsonl', import.meta.url)
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedScenario)
}

const positionKeys = new Set(['commit', 'prepare', 'commitPosition', 'preparePosition'])
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Event ids that the scenarios fix themselves. */
const fixedIdPrefix = '00000000-0000-4000-8000-'

/** One per side and server: it remembers what it has named. */
export class Normaliser {
  readonly #names = new Map<string, string>()

  normalise(value: unknown, key = ''): unknown {
    if (key === 'deadline') return 'a time'
    if (key === 'leader-endpoint-port') return "the leader's port"
    if (Array.isArray(value)) {
      if (value[0] === 'created') return ['created', 'a time']
      return value.map((item) => this.normalise(item))
    }
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, field]) => [name, this.normalise(field, name)]),
      )
    if (typeof value !== 'string') return value
    if (positionKeys.has(key) && value !== '0') return this.#name('position', value)
    if (uuidPattern.test(value) && !value.startsWith(fixedIdPrefix)) return this.#name('id', value)
    return value
  }

  #name(kind: string, value: string): string {
    const known = this.#names.get(value)
    if (known !== undefined) return known
    const name = `${kind} ${(this.#names.size + 1).toString()}`
    this.#names.set(value, name)
    return name
  }
}
