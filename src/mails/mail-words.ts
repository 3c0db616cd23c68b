/**
 * What a catalog of mails is: English says the keys, every other language has the same, or the
 * types complain. {name} in braces is put in by mails.ts; test/mails holds all of them together.
 */
import type { english } from './english.js'

export type MailWords = { readonly [Key in keyof typeof english]: string }
