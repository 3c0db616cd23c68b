/**
 * Mail by SMTP. Promises: a message is handed to the server within `mailTimeoutMs` or fails; nobody
 * waits for longer. Never: logs an address or a text.
 */
import { createTransport } from 'nodemailer'
import { mailTimeoutMs } from '../limits.js'

export interface Message {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface Mailer {
  send(message: Message): Promise<void>
  close(): void
}

export function smtpMailer({ smtpUrl, from }: { smtpUrl: string; from: string }): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: mailTimeoutMs,
    greetingTimeout: mailTimeoutMs,
    socketTimeout: mailTimeoutMs,
  })
  return {
    async send(message) {
      await transport.sendMail({ from, ...message })
    },
    close: () => transport.close(),
  }
}
