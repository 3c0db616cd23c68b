/**
 * The way from the wallet to the top-up page inside this frame. Promises: an amount that the host
 * page asked for before the person had logged in is not forgotten.
 */
import type { WidgetApi } from '../widget/api.js'
import { pageAddress } from '../widget/opening.js'
import type { PageData } from '../../../src/http/schemas/answers/page-data.js'

export class TopUpDoor {
  readonly #api: WidgetApi
  readonly #data: Pick<PageData, 'clientId'>
  #waiting: { readonly amount: number | undefined } | undefined

  constructor({ api, data }: { api: WidgetApi; data: Pick<PageData, 'clientId'> }) {
    this.#api = api
    this.#data = data
  }

  open(amount?: number): void {
    const { session } = this.#api
    const { clientId } = this.#data
    if (session === undefined) this.#waiting = { amount }
    // Not a step of the history: going back would show the login, as the token is not kept there.
    else location.replace(pageAddress({ page: 'topup', clientId, session, amount }))
  }

  /** After a login; true when it led away. */
  openWaiting(): boolean {
    if (this.#waiting === undefined) return false
    this.open(this.#waiting.amount)
    return true
  }
}
