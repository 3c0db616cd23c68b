/**
 * What an email, a password and a name may be; the text rules of the ledger hold here too.
 * Promises: what passes can be stored, compared and put into the head of a mail.
 * Never: trims, repairs or normalises.
 */
import { emailCharactersMax, passwordCharactersMax, passwordCharactersMin } from '../limits.js'
import { InvalidFieldError } from './invalid-field-error.js'

/** The email in the form that is compared, or an InvalidFieldError. */
export function parseEmail(email: string): string {
  const fault = emailFault(email)
  if (fault !== undefined) throw new InvalidFieldError('email', fault)
  return emailKeyOf(email)
}

export function parsePassword(password: string): string {
  const fault = passwordFault(password)
  if (fault !== undefined) throw new InvalidFieldError('password', fault)
  return password
}

/** What is wrong with an email, as the end of a sentence. */
export function emailFault(email: string): string | undefined {
  const text = boundsFault(email, { min: 1, max: emailCharactersMax })
  if (text !== undefined) return text
  return emailPattern.test(email) ? undefined : 'must be an email address such as ann@example.com'
}

/** The form of an email that is compared. */
export function emailKeyOf(email: string): string {
  return email.toLowerCase()
}

export function passwordFault(password: string): string | undefined {
  return boundsFault(password, { min: passwordCharactersMin, max: passwordCharactersMax })
}

/** Names of people and of client apps. */
export function nameFault(name: string, max: number): string | undefined {
  const fault = boundsFault(name, { min: 1, max })
  return fault ?? (name.trim() === '' ? 'must not be blank' : undefined)
}

/** NUL is refused by PostgreSQL, and two lone surrogates would become the same bytes. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

// Anything that mail takes, without what would need quotes or could end a header: spaces, control
// characters, brackets, commas, colons.
const part = String.raw`[^\s\p{C}@<>()[\]\\,;:"]`
const emailPattern = new RegExp(`^${part}{1,64}@${part}+\\.${part}+$`, 'u')

function boundsFault(text: string, { min, max }: { min: number; max: number }): string | undefined {
  if (!isStorable(text)) return 'must be well-formed Unicode without U+0000'
  // A text of more UTF-16 units than twice the bound is too long without counting.
  const length = text.length > 2 * max ? text.length : Array.from(text).length
  if (length === 0) return 'must not be empty'
  if (length < min) return `must be at least ${min} characters`
  return length > max ? `must be at most ${max} characters` : undefined
}
