/**
 * The JSON of a request body: read once, and only after a look that bounds what reading can cost.
 * A body of brackets alone would take hundreds of times as long as a text of its size.
 * Promises: bytes that are no UTF-8, too many levels or values, and names that would change what an
 * object is are refused with a text that says so. Never: parses twice, or converts a value.
 */
import { isUtf8 } from 'node:buffer'
import { bodyLevelsMax, bodyValuesMax } from './limits.js'
import { ApiError } from './errors.js'

/** Throws the ApiError that says what is wrong with the body. */
export function readJsonBody(body: Buffer, valuesMax = bodyValuesMax): unknown {
  // Refused instead of replaced: two different references would otherwise become the same one.
  if (!isUtf8(body)) throw refusal('The body is not valid UTF-8.')
  const text = withoutMark(body.toString('utf8'))
  if (text === '') throw refusal('The body is empty.')
  if (!isSurelySmall(text)) requireBounds(text, valuesMax)
  const value = parse(text)
  const name = mayHoldForbiddenName(text) ? forbiddenName(value) : undefined
  if (name !== undefined) throw refusal(`The body holds the name '${name}', which is not allowed.`)
  return value
}

function refusal(message: string): ApiError {
  return new ApiError('INVALID_REQUEST', { message })
}

/** Without the byte order mark that some editors and libraries put in front. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not the error: its text repeats what was sent.
    throw refusal('The body is not valid JSON.')
  }
}

/** True for every debit, by a few native searches: the walk along all characters costs 1 µs. */
function isSurelySmall(text: string): boolean {
  // A value is at least one character, and one more parts it from the next.
  if (text.length > 2 * bodyValuesMax || text.includes('[')) return false
  let objects = 0
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) objects += 1
  return objects <= bodyLevelsMax
}

/**
 * Counts levels and values outside of strings. Whether it is JSON at all is not asked here: what is
 * none has no more brackets and commas than these either.
 */
function requireBounds(text: string, valuesMax: number): void {
  let levels = 0
  let values = 1
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case quote:
        index = endOfString(text, index)
        break
      case openBracket:
      case openBrace:
        levels += 1
        values += 1
        if (levels > bodyLevelsMax)
          throw refusal(`The body is nested deeper than ${bodyLevelsMax} levels.`)
        break
      case closeBracket:
      case closeBrace:
        levels -= 1
        break
      case comma:
        values += 1
        break
    }
    if (values > valuesMax) throw refusal(`The body has more than ${valuesMax} values.`)
  }
}

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** The index of the quote that ends the string which begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === quote) return index
    index += code === backslash ? 2 : 1
  }
  return index
}

/** A name may be written with escapes: a backslash anywhere is reason enough to look. */
function mayHoldForbiddenName(text: string): boolean {
  return text.includes('__proto__') || text.includes('constructor') || text.includes('\\')
}

/** Valid JSON, and refused all the same: such a name would change what an object is. */
function forbiddenName(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, '__proto__')) return '__proto__'
  for (const [name, inner] of Object.entries(value)) {
    const isPrototype =
      name === 'constructor' && isObject(inner) && Object.hasOwn(inner, 'prototype')
    const found = isPrototype ? 'constructor.prototype' : forbiddenName(inner)
    if (found !== undefined) return found
  }
  return undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
