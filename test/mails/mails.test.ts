// The mails that people get: in their language, and each says whose it is and which account.
import t from 'tap'
import { languages as pageLanguages } from '../../widget-ui/src/words/languages.js'
import { accountMail, type AccountNews } from '../../src/mails/account-mail.js'
import { mailCatalogs, resetMail } from '../../src/mails/mails.js'
import { languages, languageWished } from '../../src/platform/languages.js'
import { unnamedService } from '../../src/platform/service-identity.js'

const account = 'ada@example.com'
const link = 'https://wallet.example/widget/reset#rst_1'
const service = { ...unnamedService, name: 'Acme Pay', support: 'help@acme.example' }

function namesIn(text: string): string {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).join()
}

t.test('mails and pages speak the same languages, and every catalog says everything', async (t) => {
  t.same(languages, pageLanguages)
  for (const language of languages)
    for (const [key, text] of Object.entries(mailCatalogs[language])) {
      const english = mailCatalogs.en[key as keyof typeof mailCatalogs.en]
      t.equal(namesIn(text), namesIn(english), `${language} ${key}`)
      if (language !== 'en' && text === english && !(language === 'de' && key === 'wallet'))
        t.fail(`${language} ${key} is English`)
    }
})

t.test('a mail says whose it is, which account it concerns and whom to ask', async (t) => {
  for (const language of languages) {
    const { to, subject, text } = resetMail({ language, service, account }, link)
    t.equal(to, account)
    t.match(subject, /^Acme Pay ?: /)
    for (const part of [link, account, 'Acme Pay', 'help@acme.example'])
      t.ok(text.includes(part), `${language}: ${part}`)
    t.notMatch(subject + text, /[{}]|undefined/)
  }
  const german = resetMail({ language: 'de', service: unnamedService, account }, link)
  t.equal(german.subject, 'Wallet: neues Passwort wählen')
  t.match(german.text, 'Antworten darauf werden nicht gelesen')
})

t.test('every mail about an account is whole in every language', async (t) => {
  const link = 'https://wallet.example/widget/confirm#eml_1'
  const news: readonly [AccountNews, ...string[]][] = [
    [{ kind: 'confirm-email', link }, link],
    [{ kind: 'new-login', device: 'Firefox · Linux', app: 'Shop' }, 'Firefox · Linux', 'Shop'],
    [{ kind: 'password-changed' }],
    [{ kind: 'email-change-asked', email: 'new@example.com' }, 'new@example.com'],
    [{ kind: 'email-changed', email: 'new@example.com' }, 'new@example.com'],
    [{ kind: 'closed', erasedAt: '2026-12-16T10:00:00.000Z' }, '16', '2026'],
    [{ kind: 'reopened' }],
    [{ kind: 'money-in-closed' }],
    [{ kind: 'card-saved', card: { brand: 'visa', lastFour: '4242' } }, 'Visa •••• 4242'],
    [{ kind: 'automatic-top-up-on' }],
    [{ kind: 'automatic-top-up-failed' }],
    [{ kind: 'card-removed', card: { brand: 'x', lastFour: '4242' } }, 'x •••• 4242'],
  ]
  for (const language of languages)
    for (const [told, ...parts] of news) {
      const { to, subject, text } = accountMail({ language, service, account }, told)
      t.equal(to, account)
      t.match(subject, /^Acme Pay ?: /)
      for (const part of [...parts, account, 'help@acme.example'])
        t.ok(text.includes(part), `${language} ${told.kind}: ${part}`)
      t.notMatch(subject + text, /[{}]|undefined/)
    }
})

t.test('a browser’s wishes are read by their order of preference', async (t) => {
  t.equal(languageWished('de-AT,de;q=0.9,en;q=0.8'), 'de')
  t.equal(languageWished('ja, en;q=0.5, pl;q=0.7'), 'pl')
  t.equal(languageWished('fr;q=0, es;q=0.1'), 'es')
  for (const none of [undefined, '', '*', 'ja', ';;;', 'de;q=x', ','.repeat(9_000)])
    t.equal(languageWished(none), undefined, `${none?.slice(0, 10)}`)
})
