/**
 * The language of a person: kept when they sign up or log in for the first time, changed by their
 * choice, forgotten with them. Promises: what was once chosen is only changed by a choice.
 */
import { languageOf, type Language } from '../platform/languages.js'
import type { Pool } from '../platform/postgres.js'

export class PersonLanguages {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async find(serviceUserId: string): Promise<Language | undefined> {
    const { rows } = await this.#pool.query<{ language: string | null }>(
      'select language from identity.users where service_user_id = $1',
      [serviceUserId],
    )
    return languageOf(rows[0]?.language ?? '')
  }

  /** Theirs; where they have none yet, `language` is theirs from now on. */
  async findOrKeep(
    serviceUserId: string,
    language: Language | undefined,
  ): Promise<Language | undefined> {
    const { rows } = await this.#pool.query<{ language: string | null }>(keepFirst, [
      serviceUserId,
      language ?? null,
    ])
    return rows[0] === undefined ? this.find(serviceUserId) : languageOf(rows[0].language ?? '')
  }

  async choose(serviceUserId: string, language: Language): Promise<void> {
    await this.#pool.query(
      'update identity.users set language = $2 where service_user_id = $1 and erased_at is null',
      [serviceUserId, language],
    )
  }
}

const keepFirst = `
  update identity.users set language = $2
  where service_user_id = $1 and language is null and erased_at is null
  returning language`
