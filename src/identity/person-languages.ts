/**
 * The language of a person: what they have chosen, forgotten with them. Until then that of the page
 * on which they last logged in, which only mails speak: a borrowed browser is no choice.
 * Promises: what was once chosen is only changed by a choice.
 */
import { languageOf, type Language } from '../platform/languages.js'
import type { Pool } from '../platform/postgres.js'

interface Row {
  readonly language: string | null
}

export class PersonLanguages {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** For mails: their choice, else what they were last spoken to in. */
  find(serviceUserId: string): Promise<Language | undefined> {
    return this.#ask('select language from identity.users where service_user_id = $1', [
      serviceUserId,
    ])
  }

  /** For pages. */
  findChosen(serviceUserId: string): Promise<Language | undefined> {
    return this.#ask(
      'select language from identity.users where service_user_id = $1 and language_chosen',
      [serviceUserId],
    )
  }

  /** At a login on a page in this language; answers what they have chosen. */
  noteLogin(serviceUserId: string, language: Language | undefined): Promise<Language | undefined> {
    return this.#ask(noteLogin, [serviceUserId, language ?? null])
  }

  async choose(serviceUserId: string, language: Language): Promise<void> {
    await this.#pool.query(choose, [serviceUserId, language])
  }

  async #ask(text: string, values: readonly unknown[]): Promise<Language | undefined> {
    const { rows } = await this.#pool.query<Row>(text, [...values])
    return languageOf(rows[0]?.language ?? '')
  }
}

const noteLogin = `
  update identity.users
  set language = case when language_chosen then language else coalesce($2, language) end
  where service_user_id = $1 and erased_at is null
  returning case when language_chosen then language end as language`

const choose = `
  update identity.users set language = $2, language_chosen = true
  where service_user_id = $1 and erased_at is null`
