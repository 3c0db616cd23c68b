/**
 * A text of English that is too long for a line. Adding strings would lose what the types read out
 * of it: the names in its braces (catalog.ts).
 */
type Joined<Parts extends readonly string[]> = Parts extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? `${First}${Joined<Rest>}`
  : ''

export function long<const Parts extends readonly string[]>(...parts: Parts): Joined<Parts> {
  return parts.join('') as Joined<Parts>
}
