// A forgotten password: the mail, the one-time link, and that asking tells nothing.
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { AccountMails } from '../../src/http/account-mails.js'
import { registerPasswordReset } from '../../src/http/routes/password-reset.js'
import { resetMailsPerAccount } from '../../src/limits.js'
import { PersonLanguages } from '../../src/identity/person-languages.js'
import { smtpMailer } from '../../src/platform/mail.js'
import type { Mailer, Message } from '../../src/platform/mail.js'
import { unnamedService } from '../../src/platform/service-identity.js'
import { TestIdentity } from '../support/identity.js'
import { quietLog } from '../support/ledger.js'
import { serve } from '../support/served-app.js'

const account = {
  email: 'Ada@Example.com',
  password: 'correct horse',
  firstName: 'Ada',
  lastName: 'Byron',
}

t.test('the mailed link sets a new password once', async (t) => {
  const { post, users, mailer, clientId } = await start(t)
  await users.signUp({ ...account, clientId })
  const asked = await post('forgot-password', { email: 'ada@example.com' })
  t.equal(asked.status, 200)
  const [, token = ''] = /\/widget\/reset#(\S+)/.exec((await mailer.next()).text) ?? []
  t.equal((await post('reset-password', { token, password: 'battery staple' })).status, 200)
  const login = { email: account.email, clientId }
  t.ok(await users.login({ ...login, password: 'battery staple' }))
  t.equal(await users.login({ ...login, password: account.password }), undefined)
  const again = await post('reset-password', { token, password: 'battery staple 2' })
  t.match(again, { status: 400, body: { code: 'INVALID_RESET_TOKEN' } })
})

t.test('the mail is in the language of the person, else of the page, and says whose', async (t) => {
  const ask = async (chosen: 'fr' | undefined) => {
    const { post, users, languages, mailer, clientId } = await start(t)
    const { serviceUserId } = await users.signUp({ ...account, clientId })
    if (chosen !== undefined) await languages.choose(serviceUserId, chosen)
    await post('forgot-password', { email: account.email }, { 'accept-language': 'pl-PL,pl' })
    return { post, ...(await mailer.next()) }
  }
  t.equal((await ask(undefined)).subject, 'Acme Pay: wybór nowego hasła')
  const { text, post } = await ask('fr')
  t.match(text, /Cet e-mail concerne le compte de portefeuille de Ada@Example\.com/)
  const [, token = ''] = /\/widget\/reset#(\S+)/.exec(text) ?? []
  const whose = await post('reset-password/account', { token })
  t.same(whose, { status: 200, body: { email: 'Ada@Example.com' } }, 'the link knows its account')
  const unknown = await post('reset-password/account', { token: 'rst_none' })
  t.match(unknown, { status: 400, body: { code: 'INVALID_RESET_TOKEN' } })
})

t.test('asking for an unknown account is answered the same and mails nobody', async (t) => {
  const { post, users, mailer, clientId } = await start(t)
  await users.signUp({ ...account, clientId })
  const unknown = await post('forgot-password', { email: 'nobody@example.com' })
  const known = await post('forgot-password', { email: account.email })
  t.same(unknown, known)
  t.equal((await mailer.next()).to, account.email)
  t.equal(mailer.sent, 1)
})

t.test('a service without mail promises none, to those with an account and without', async (t) => {
  const { post, users, clientId } = await start(t, { hasMail: false })
  const { serviceUserId } = await users.signUp({ ...account, clientId })
  const known = await post('forgot-password', { email: account.email })
  t.match(known, {
    status: 404,
    body: { code: 'NOT_FOUND', error: /sends no mail. Ask the people/ },
  })
  t.same(await post('forgot-password', { email: 'nobody@example.com' }), known)
  const token = await users.createResetToken(serviceUserId)
  const reset = await post('reset-password', { token, password: 'battery staple' })
  t.equal(reset.status, 200, 'the link that they make sets a new password')
})

t.test('a password that is too short is named and the link stays good', async (t) => {
  const { post, users, clientId } = await start(t)
  const { serviceUserId } = await users.signUp({ ...account, clientId })
  const token = await users.createResetToken(serviceUserId)
  const short = await post('reset-password', { token, password: 'short' })
  t.match(short, { status: 400, body: { code: 'INVALID_REQUEST', error: /'password'/ } })
  t.equal((await post('reset-password', { token, password: 'battery staple' })).status, 200)
})

t.test('links for one account are throttled', async (t) => {
  const { post } = await start(t)
  const body = { email: 'ada@example.com' }
  for (let tries = 0; tries < resetMailsPerAccount; tries += 1)
    t.equal((await post('forgot-password', body)).status, 200)
  const refused = await post('forgot-password', { email: 'ADA@example.com' })
  t.match(refused, { status: 429, body: { code: 'TOO_MANY_TRIES' } })
})

t.test('a message reaches a mail server by SMTP', async (t) => {
  const { url, received } = await smtpServer(t)
  const mailer = smtpMailer({ smtpUrl: url, from: 'wallet@example.com' })
  await mailer.send({ to: 'ada@example.com', subject: 'Hello', text: 'A link' })
  mailer.close()
  t.match(received(), /MAIL FROM:<wallet@example.com>[\s\S]*RCPT TO:<ada@example.com>/)
  t.match(received(), 'Subject: Hello')
})

class TestMailer implements Mailer {
  sent = 0
  #message: Message | undefined
  #waiting: ((message: Message) => void) | undefined

  async send(message: Message): Promise<void> {
    this.sent += 1
    this.#message = message
    this.#waiting?.(message)
  }

  next(): Promise<Message> {
    if (this.#message !== undefined) return Promise.resolve(this.#message)
    return new Promise((resolve) => (this.#waiting = resolve))
  }

  close(): void {
    this.#waiting = undefined
  }
}

const service = { ...unnamedService, name: 'Acme Pay', support: 'help@acme.example' }

async function start(t: Test, { hasMail = true } = {}) {
  const identity = await TestIdentity.open(t)
  const { users, throttle, clientApps } = identity
  const { clientApp } = await clientApps.create({
    name: 'Shop',
    allowedOrigins: [],
    allowedIframeParents: [],
    scopes: ['wallet:read'],
  })
  const mailer = new TestMailer()
  const publicOrigin = (): string => 'https://wallet.example'
  const personLanguages = new PersonLanguages(identity.pool)
  const mailing = { mailer: undefined, personLanguages, service, publicOrigin }
  const { origin } = await serve(t, {}, (app) =>
    registerPasswordReset(app, {
      users,
      personLanguages,
      service,
      throttle,
      mailer: hasMail ? mailer : undefined,
      publicOrigin,
      accountMails: new AccountMails({ ...mailing, log: quietLog }),
    }),
  )
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${origin}/api/widget/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const languages = new PersonLanguages(identity.pool)
  return { post, users, languages, mailer, clientId: clientApp.clientId }
}

/** As much of a mail server as one message needs. */
async function smtpServer(t: Test) {
  let text = ''
  const answer = (socket: Socket, line: string): void => {
    if (/^(EHLO|HELO|MAIL|RCPT|RSET)/.test(line)) socket.write('250 ok\r\n')
    else if (line === 'DATA') socket.write('354 go on\r\n')
    else if (line === '.') socket.write('250 taken\r\n')
    else if (line === 'QUIT') socket.end('221 bye\r\n')
  }
  const server = createServer((socket) => {
    socket.setEncoding('utf8').write('220 here\r\n')
    socket.on('data', (chunk: string) => {
      text += chunk
      for (const line of chunk.split('\r\n')) answer(socket, line)
    })
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, received: () => text }
}
