/**
 * The mails that people get: subject and plain text, in their language. Promises: each says whose
 * it is and which account it concerns, and where to ask. Pure. Never: a password, or a balance.
 */
import type { Language } from '../platform/languages.js'
import type { Message } from '../platform/mail.js'
import type { ServiceIdentity } from '../platform/service-identity.js'
import { english } from './english.js'
import { french } from './french.js'
import { german } from './german.js'
import type { MailWords } from './mail-words.js'
import { polish } from './polish.js'
import { portuguese } from './portuguese.js'
import { spanish } from './spanish.js'

export const mailCatalogs: Readonly<Record<Language, MailWords>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  pt: portuguese,
  pl: polish,
}

export interface MailContext {
  readonly language: Language
  readonly service: ServiceIdentity
  /** The email of the account that it concerns; also where it goes, unless `to` says else. */
  readonly account: string
  readonly to?: string
}

/** `link`: works once. */
export function resetMail(context: MailContext, link: string): Message {
  return mail(context, 'reset.subject', (say) => [
    say('reset.lead'),
    '',
    say('reset.link'),
    link,
    '',
    say('reset.notYou'),
  ])
}

export type Say = (key: keyof MailWords, values?: Readonly<Record<string, string>>) => string

/** Every mail is made here: its words between whose it is and whom to ask. */
export function mail(
  context: MailContext,
  subject: keyof MailWords,
  lines: (say: Say) => readonly string[],
): Message {
  const { service, account, to = account } = context
  const say = sayer(context)
  const foot = service.support === undefined ? 'foot.doNotAnswer' : 'foot.support'
  return {
    to,
    subject: say(subject),
    text: [...lines(say), '', '-- ', nameOf(context), say('foot.account'), say(foot)].join('\n'),
  }
}

function sayer(context: MailContext): Say {
  const { service, account, language } = context
  const known = { service: nameOf(context), account, support: service.support ?? '' }
  return (key, values = {}) => {
    const all: Readonly<Record<string, string>> = { ...known, ...values }
    return mailCatalogs[language][key].replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => all[name] ?? '',
    )
  }
}

function nameOf({ service, language }: MailContext): string {
  return service.name ?? mailCatalogs[language].wallet
}
