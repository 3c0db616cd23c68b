/** What a person is told who tried too often, by the answer's `Retry-After`. */
import { say } from '../words/say.js'

export function tooManyTries(headers: Headers): string {
  const minutes = Math.max(1, Math.ceil(Number(headers.get('retry-after') ?? 60) / 60))
  return say('failure.tries', { count: minutes })
}
