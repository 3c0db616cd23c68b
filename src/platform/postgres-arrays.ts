/**
 * Columns as parameters of a statement: what `unnest` makes rows of again. The driver's own arrays
 * quote and search every text, and the server reads them letter by letter; texts and ids go out as
 * PostgreSQL's binary arrays instead, each written once. Pure.
 * Never: looks at what a text says; the server refuses what it cannot keep.
 */

/** For `bigint[]`, `boolean[]` and the like: what needs no quotes, whoever made it. */
export function plainArray(values: readonly (number | string | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`
}

/**
 * For `text[]`. The texts are well formed: UTF-8 has no place for half of a pair, and it would
 * arrive as another character.
 */
export function textArray(values: readonly (string | null)[]): Buffer {
  // Room for the longest that they can be: to measure each costs as much as to write it.
  let size = headerBytes
  for (const value of values) size += 4 + 3 * (value?.length ?? 0)
  if (texts.length < size) texts = Buffer.allocUnsafeSlow(size)
  let end = startArray(texts, { oid: textOid, count: values.length })
  for (const value of values) {
    const length = value === null ? nullLength : texts.write(value, end + 4)
    texts.writeInt32BE(length, end)
    end += 4 + Math.max(length, 0)
  }
  return Buffer.from(texts.subarray(0, end))
}

/** Where texts are put together; what is sent is a copy. */
let texts = Buffer.allocUnsafeSlow(64 * 1024)

/** For `uuid[]`; each is one. */
export function uuidArray(values: readonly (string | null)[]): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + values.length * (4 + uuidPlaces.length))
  // All of them as bytes at once: a look at the letters of each takes three times as long.
  const letters = Buffer.from(values.join(''), 'latin1')
  let end = startArray(bytes, { oid: uuidOid, count: values.length })
  let start = 0
  for (const value of values) {
    bytes.writeInt32BE(value === null ? nullLength : uuidPlaces.length, end)
    end += 4
    if (value === null) continue
    for (const place of uuidPlaces) {
      bytes[end] = (digit(letters[start + place]) << 4) | digit(letters[start + place + 1])
      end += 1
    }
    start += value.length
  }
  return bytes.subarray(0, end)
}

/** Where the digits of each byte begin in the text. */
const uuidPlaces = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/** Of a hexadecimal digit, in either case. By a table: no processor guesses letter or number. */
function digit(code = 0): number {
  return digits[code] ?? 0
}

const digits = new Uint8Array(128)
for (let value = 0; value < 16; value += 1) {
  const letter = value.toString(16)
  for (const either of [letter, letter.toUpperCase()]) digits[either.charCodeAt(0)] = value
}

/** One dimension, perhaps with nulls, of this type, so many of them, counted from 1. */
function startArray(bytes: Buffer, { oid, count }: { oid: number; count: number }): number {
  bytes.writeInt32BE(1, 0)
  bytes.writeInt32BE(1, 4)
  bytes.writeInt32BE(oid, 8)
  bytes.writeInt32BE(count, 12)
  return bytes.writeInt32BE(1, 16)
}

const headerBytes = 20
const textOid = 25
const uuidOid = 2950
const nullLength = -1
