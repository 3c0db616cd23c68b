/** What a person is told who tried too often, by the answer's `Retry-After`. */

export function tooManyTries(headers: Headers): string {
  const minutes = Math.max(1, Math.ceil(Number(headers.get('retry-after') ?? 60) / 60))
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return `There were too many tries. Wait ${wait}, then try again.`
}
