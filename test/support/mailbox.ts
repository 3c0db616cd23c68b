/** A mailer whose mails a test can await and look at. */
import type { Mailer, Message } from '../../src/platform/mail.js'

export class Mailbox implements Mailer {
  readonly messages: Message[] = []
  #waiting: (() => void)[] = []

  async send(message: Message): Promise<void> {
    this.messages.push(message)
    for (const resume of this.#waiting.splice(0)) resume()
  }

  close(): void {
    this.messages.splice(0)
  }

  /** The first mail to this address whose subject has these words; removed from the box. */
  async take(to: string, subject: RegExp): Promise<Message> {
    for (;;) {
      const index = this.messages.findIndex((each) => each.to === to && subject.test(each.subject))
      const [found] = index === -1 ? [] : this.messages.splice(index, 1)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }
}
