/**
 * The mails about a person's account: links that confirm an email, and word of what was done to the
 * account, so that who did not do it can act. Pure. Never: a secret but the link itself.
 */
import type { Message } from '../platform/mail.js'
import { cardName, type MailedCard } from './card-name.js'
import { mail, type MailContext } from './mails.js'

/** What may be told of an account. */
export type AccountNews =
  /** `link`: works once. */
  | { readonly kind: 'confirm-email'; readonly link: string }
  | { readonly kind: 'new-login'; readonly device: string; readonly app: string }
  | { readonly kind: 'password-changed' }
  | { readonly kind: 'email-change-asked'; readonly email: string }
  | { readonly kind: 'email-changed'; readonly email: string }
  | { readonly kind: 'closed'; readonly erasedAt: string }
  | { readonly kind: 'reopened' }
  | { readonly kind: 'money-in-closed' }
  | CardNews
  | { readonly kind: 'automatic-top-up-on' | 'automatic-top-up-failed' }
  | { readonly kind: 'returned-to-cards' }

interface CardNews {
  readonly kind: 'card-saved' | 'card-removed'
  readonly card: MailedCard
}

export function accountMail(context: MailContext, news: AccountNews): Message {
  switch (news.kind) {
    case 'confirm-email':
      return mail(context, 'confirm.subject', (say) => [
        say('confirm.lead'),
        '',
        say('confirm.link'),
        news.link,
        '',
        say('confirm.notYou'),
      ])
    case 'new-login': {
      const { device, app } = news
      const lead = { device, app }
      return mail(context, 'login.subject', (say) => [say('login.lead', lead), '', say('notYou')])
    }
    case 'password-changed':
      return mail(context, 'password.subject', (say) => [say('password.lead'), '', say('notYou')])
    case 'email-change-asked': {
      const { email } = news
      return mail(context, 'emailAsked.subject', (say) => [
        say('emailAsked.lead', { email }),
        '',
        say('notYou'),
      ])
    }
    case 'email-changed': {
      const { email } = news
      return mail(context, 'emailChanged.subject', (say) => [
        say('emailChanged.lead', { email }),
        '',
        say('notYou'),
      ])
    }
    case 'closed': {
      const date = dayOf(news.erasedAt, context)
      return mail(context, 'closed.subject', (say) => [
        say('closed.lead', { date }),
        '',
        say('notYou'),
      ])
    }
    case 'reopened':
      return mail(context, 'reopened.subject', (say) => [say('reopened.lead'), '', say('notYou')])
    case 'money-in-closed':
      return mail(context, 'money.subject', (say) => [say('money.lead'), say('money.kept')])
    case 'card-saved':
    case 'card-removed':
      return cardMail(context, news)
    case 'automatic-top-up-on':
      return mail(context, 'autoOn.subject', (say) => [say('autoOn.lead'), '', say('notYou')])
    case 'automatic-top-up-failed':
      return mail(context, 'autoOff.subject', (say) => [say('autoOff.lead'), say('autoOff.next')])
    case 'returned-to-cards':
      return mail(context, 'returned.subject', (say) => [say('returned.lead'), '', say('notYou')])
  }
}

function cardMail(context: MailContext, news: CardNews): Message {
  const key = news.kind === 'card-saved' ? 'cardSaved' : 'cardRemoved'
  const card = cardName(news.card)
  return mail(context, `${key}.subject`, (say) => [say(`${key}.lead`, { card }), '', say('notYou')])
}

/** Of the service's calendar: whoever reads it elsewhere has some hours more. */
function dayOf(iso: string, { language }: MailContext): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
  return format.format(new Date(iso))
}
