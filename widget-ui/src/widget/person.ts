/**
 * What only the person may ask for: calls with a session that they made by giving the password,
 * beside the session of the page, which an app's backend may have made. Promises: it lives in
 * memory only; it goes on by itself while it is used, as long as the service lets it; a renewal of
 * the page's session changes nothing here. Never: repeats a call by itself.
 * States: locked → open (a login, or the password) → locked (time, or the person leaves).
 */
import type { PersonSession } from '../../../src/http/schemas/answers/account.js'
import { asFailure, WidgetApi, type CallOptions, type SavedFile } from './api.js'

/** Time to ask for the next one before this one ends. */
const goOnBeforeMs = 120_000
/** What a login lives, with some of it gone on the way. */
const loginLifeMs = 280_000

export class Person {
  /** The page's own. */
  readonly #api: WidgetApi
  readonly #own = new WidgetApi(undefined)
  #endsAtMs = 0

  constructor(api: WidgetApi) {
    this.#api = api
  }

  get isOpen(): boolean {
    return this.#own.session !== undefined && performance.now() < this.#endsAtMs
  }

  /** After a login on this page. */
  take(sessionToken: string): void {
    this.#keep({ sessionToken, lifeMs: loginLifeMs })
  }

  forget(): void {
    this.#own.session = undefined
    this.#endsAtMs = 0
  }

  async unlock(password: string): Promise<void> {
    const body = { password }
    this.#keep(await this.#api.call<PersonSession>('POST', '/api/widget/auth/unlock', { body }))
  }

  async call<Answer>(method: 'GET' | 'POST', path: string, options?: CallOptions) {
    await this.#goOn()
    return this.#own.call<Answer>(method, path, options).catch((error: unknown) => {
      throw this.#asFailure(error)
    })
  }

  async file(path: string, query: Readonly<Record<string, string>> = {}): Promise<SavedFile> {
    await this.#goOn()
    return this.#own.file(path, query).catch((error: unknown) => {
      throw this.#asFailure(error)
    })
  }

  /** The page's own session where the person has given no password: it sees less. */
  async read<Answer>(path: string, query: Readonly<Record<string, string>>): Promise<Answer> {
    const api = this.isOpen ? this.#own : this.#api
    return api.call<Answer>('GET', path, { query })
  }

  #keep({ sessionToken, lifeMs }: Pick<PersonSession, 'sessionToken' | 'lifeMs'>): void {
    this.#own.session = sessionToken
    this.#endsAtMs = performance.now() + lifeMs
  }

  async #goOn(): Promise<void> {
    if (!this.isOpen || this.#endsAtMs - performance.now() > goOnBeforeMs) return
    try {
      const path = '/api/widget/account/go-on'
      this.#keep(await this.#own.call<PersonSession>('POST', path))
    } catch {
      // Too long ago, or no answer: what this one is still good for is tried.
    }
  }

  #asFailure(error: unknown) {
    const failure = asFailure(error)
    if (failure.isExpiry || failure.code === 'LOGIN_REQUIRED') this.forget()
    return failure
  }
}
