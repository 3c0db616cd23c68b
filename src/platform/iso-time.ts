/**
 * Times as text: ISO 8601 in UTC with milliseconds. Pure but for what it remembers of the call
 * before: up to the second it is nearly always the same, and making it anew costs more than the
 * line or the event that it stands in.
 */

let second = { ms: NaN, text: '' }

export function isoTime(ms: number): string {
  const beyondMs = ms - second.ms
  if (beyondMs >= 0 && beyondMs < 1_000) return `${second.text}${digits(beyondMs)}Z`
  const text = new Date(ms).toISOString()
  second = { ms: Math.floor(ms / 1_000) * 1_000, text: text.slice(0, -'000Z'.length) }
  return text
}

function digits(ms: number): string {
  return String(Math.floor(ms)).padStart(3, '0')
}
