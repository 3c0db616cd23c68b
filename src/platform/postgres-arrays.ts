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
  let size = headerBytes
  for (const value of values) size += 4 + (value === null ? 0 : Buffer.byteLength(value))
  const bytes = startArray(size, { oid: textOid, count: values.length })
  let end = headerBytes
  for (const value of values) {
    const length = value === null ? nullLength : bytes.write(value, end + 4)
    bytes.writeInt32BE(length, end)
    end += 4 + Math.max(length, 0)
  }
  return bytes
}

/** For `uuid[]`; each is one. */
export function uuidArray(values: readonly (string | null)[]): Buffer {
  const size = headerBytes + values.length * (4 + uuidBytes)
  const bytes = startArray(size, { oid: uuidOid, count: values.length })
  let end = headerBytes
  for (const value of values) {
    const length = value === null ? nullLength : uuidBytes
    if (value !== null) bytes.write(value.replaceAll('-', ''), end + 4, 'hex')
    bytes.writeInt32BE(length, end)
    end += 4 + Math.max(length, 0)
  }
  return bytes.subarray(0, end)
}

/** One dimension, perhaps with nulls, of this type, so many of them, counted from 1. */
function startArray(size: number, { oid, count }: { oid: number; count: number }): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let end = 0
  for (const word of [1, 1, oid, count, 1]) end = bytes.writeInt32BE(word, end)
  return bytes
}

const headerBytes = 20
const uuidBytes = 16
const textOid = 25
const uuidOid = 2950
const nullLength = -1
